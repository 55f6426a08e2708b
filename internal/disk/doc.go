// Package disk does what a program that must lose nothing does with files of this
// machine: it replaces them as a whole, puts them on the disk, removes what a test has
// write-protected, counts what directories take and what is left, and tells a full disk and names that a file
// system cannot have from other errors.
package disk
