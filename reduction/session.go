package reduction

import (
	"fmt"

	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// The files in which the session of a reduction keeps inputs. A reduction that is resumed goes on with
// these, whatever has become of the user's files.
const (
	OriginalFile = "input.tar"   // the input
	PassingFile  = "passing.tar" // the input that passes; no files if there is none
	BeforeFile   = "before.tar"  // what the output is compared with
	OutputFile   = "output.tar"
)

// KeepInput writes an input into a session.
func KeepInput(session *trial.Session, name string, in testcase.Input) error {
	text, err := in.Archive()
	if err != nil {
		return fmt.Errorf("keep the input: %w", err)
	}
	return session.WriteFile(name, text)
}

// KeptInput reads what KeepInput wrote. The error wraps fs.ErrNotExist if the session has no such file.
func KeptInput(session *trial.Session, name string) (in testcase.Input, err error) {
	text, err := session.ReadFile(name)
	if err == nil {
		in, err = testcase.FromArchive(text)
	}
	if err != nil {
		return in, fmt.Errorf("read the input of session %s: %w", session.Name(), err)
	}
	return in, nil
}
