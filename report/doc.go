// Package report turns a result into text, JSON or a patch.
package report
