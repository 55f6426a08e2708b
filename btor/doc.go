// Package btor reads, writes, checks, generates, draws and translates bit-vector
// graphs with arrays in the format BTOR, and says what a reduction may do to them.
package btor
