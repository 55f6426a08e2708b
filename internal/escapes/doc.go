// Package escapes removes the escape sequences of terminals from text.
package escapes
