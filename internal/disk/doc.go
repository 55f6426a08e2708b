// Package disk does what a program that must lose nothing does with files of this
// machine: it replaces them as a whole, puts them on the disk, removes what a test has
// write-protected, and tells a full disk from other errors.
package disk
