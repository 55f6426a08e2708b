// Package gostandard reads the packages of Go's standard library from their sources, as far as what they declare,
// so that sources that import them can be type-checked. It starts no process, and needs no compiled packages: the go command
// of this machine only says where the sources lie.
package gostandard
