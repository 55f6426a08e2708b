package reduce

import (
	"bytes"
	"context"
	"testing"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// oneFile is an input of one file.
func oneFile(name, content string) trial.Input {
	return trial.Input{Files: []trial.File{{Path: name, Mode: 0o644, Content: []byte(content)}}}
}

// failing is a test that fails for the contents of the first file that a
// function finds interesting.
func failing(interesting func(content []byte) bool) Test {
	return func(_ context.Context, in trial.Input) (isolate.Outcome, error) {
		if len(in.Files) > 0 && interesting(in.Files[0].Content) {
			return isolate.Fail, nil
		}
		return isolate.Pass, nil
	}
}

func TestLines(t *testing.T) {
	var input bytes.Buffer
	for range 200 {
		input.WriteString("nothing\n")
	}
	text := input.String() + "x\n" + input.String() + "y\n" + input.String()
	result, err := Reduce(t.Context(), oneFile("a", text), failing(func(c []byte) bool {
		return bytes.Contains(c, []byte("x\n")) && bytes.Contains(c, []byte("y\n"))
	}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(result.Output.Files[0].Content); got != "x\ny\n" {
		t.Errorf("reduced to %q", got)
	}
	t.Log(result.Trials)
}
