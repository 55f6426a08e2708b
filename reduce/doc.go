// Package reduce minimises a failing input: formats, and passes over them.
package reduce
