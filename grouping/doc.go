// Package grouping says which changes belong together and which require
// which.
package grouping
