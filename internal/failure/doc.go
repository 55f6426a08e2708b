// Package failure tells failures apart by what commands printed.
//
// Two failures with the same exit status may be different. [TextOf] reads what a failure printed beyond what the passing end prints, and
// [Text.Differs] compares two of them (failure.go). A [Signature] is the part of an output that names a failure (signature.go). A [Baseline]
// and a [Comparison] find what only a mixture of two revisions prints (mixture.go). [FirstAndErrorLine] chooses the lines to quote
// (line.go). Nothing is run here, and only outputs are read.
package failure
