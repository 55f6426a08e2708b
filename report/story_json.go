package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// StoryJSON writes s with a line for each trial, group, edge and step: it may have
// ten thousands of them. Equal stories give equal bytes.
func StoryJSON(w io.Writer, s Story) error {
	fillArrays(&s)
	out := &storyWriter{out: bufio.NewWriter(w)}
	out.field("{", "schema", s.Schema)
	out.field(",\n", "environment", s.Environment)
	writeList(out, "trials", s.Trials)
	out.text(",\n\"stages\": [")
	for i, stage := range s.Stages {
		if i > 0 {
			out.text(",")
		}
		out.field("\n{", "of", stage.Of)
		out.field(", ", "from", stage.From)
		out.field(", ", "to", stage.To)
		out.field(", ", "answer", stage.Answer)
		out.field(", ", "elements", stage.Elements)
		writeList(out, "groups", stage.Groups)
		writeList(out, "requires", stage.Requires)
		writeList(out, "steps", stage.Steps)
		out.field(",\n", "left", stage.Left)
		out.text("}")
	}
	out.text("]")
	writeList(out, "needed", s.Needed)
	writeList(out, "files", s.Files)
	out.text("}\n")
	if out.err == nil {
		out.err = out.out.Flush()
	}
	if out.err != nil {
		return fmt.Errorf("write story: %w", out.err)
	}
	return nil
}

// A storyWriter writes what the last error lets it.
type storyWriter struct {
	out *bufio.Writer
	err error
}

func (w *storyWriter) text(text string) {
	if w.err == nil {
		_, w.err = w.out.WriteString(text)
	}
}

func (w *storyWriter) value(v any) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil && w.err == nil {
		w.err = err
	}
	w.text(string(bytes.TrimSuffix(text.Bytes(), []byte("\n"))))
}

func (w *storyWriter) field(before, name string, v any) {
	w.text(before + `"` + name + `": `)
	w.value(v)
}

func writeList[T any](w *storyWriter, name string, list []T) {
	w.text(",\n\"" + name + "\": [")
	for i, v := range list {
		if i > 0 {
			w.text(",")
		}
		w.text("\n")
		w.value(v)
	}
	w.text("]")
}

// ReadStory reads one story written by [StoryJSON], of this or any later version:
// fields it does not know are ignored.
func ReadStory(r io.Reader) (Story, error) {
	var s Story
	if err := readJSON(r, "story", &s, &s.Schema, StorySchema); err != nil {
		return Story{}, err
	}
	fillArrays(&s)
	return s, nil
}
