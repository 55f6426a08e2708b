// Package jsonlog has the format of a log that is only ever appended to: a line of JSON for each entry, with
// a checksum, so that a crash costs at most the line that was being written, and any other damage is found.
//
// A line is {"sum":"<crc32c of the value's bytes, in hexadecimal>","<kind>":<value>}. What kinds there are,
// and what the first line must be, is for the caller to say.
package jsonlog
