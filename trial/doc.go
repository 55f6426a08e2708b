// Package trial gives a configuration a place to live, runs the command
// there, names the outcome and remembers it.
package trial
