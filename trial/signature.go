package trial

import "github.com/gitdd/gitdd/internal/failure"

// A Signature finds in what a command printed the text that names its failure, see Options.SameOutput.
type Signature = failure.Signature

// AutoSignature is the text of the signature that knows the common tools.
const AutoSignature = failure.AutoSignature

// NewSignature reads a regular expression, in which ^ and $ are the ends of a
// line, or AutoSignature.
func NewSignature(text string) (*Signature, error) { return failure.NewSignature(text) }
