package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// JSON writes r indented, with a final newline. Equal results give equal
// bytes.
func JSON(w io.Writer, r Result) error {
	r.fillArrays()
	return writeJSON(w, r)
}

// ReadJSON reads one result written by [JSON], of this or any later version:
// fields it does not know are ignored.
func ReadJSON(r io.Reader) (Result, error) {
	var res Result
	if err := readJSON(r, "result", &res, &res.Schema, Schema); err != nil {
		return Result{}, err
	}
	res.fillArrays()
	res.Minimal = res.Minimal && len(res.Unproven) == 0 // older versions left these out
	for i := range res.Further {
		f := &res.Further[i]
		f.Minimal = f.Minimal && len(f.Unproven) == 0
	}
	return res, nil
}

func writeJSON(w io.Writer, result any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // code is full of < and &
	e.SetIndent("", "  ")
	if err := e.Encode(result); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}

// readJSON reads all there is to read as one value, which says in the field at names
// that its schema is want. what is what errors call it.
func readJSON(r io.Reader, what string, value any, names *string, want string) error {
	d := json.NewDecoder(r)
	if err := d.Decode(value); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("it is empty")
		}
		return fmt.Errorf("read %s: %w", what, err)
	}
	if *names != want {
		return fmt.Errorf("read %s: it has schema %q, this gitdd reads %q", what, *names, want)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("read %s: there is more after its end", what)
	}
	return nil
}

// fillArrays makes no array null, in fresh slices where it has to change one:
// the caller may share them.
func (r *Result) fillArrays() {
	r.Cause = filled(r.Cause)
	r.Context = filled(r.Context)
	r.Unproven = filled(r.Unproven)
	r.Messages = filled(r.Messages)
	r.Command = filled(r.Command)
	r.Commits = filled(r.Commits)
	r.Present = filled(r.Present)
	r.ContextDiff = filledCommits(filled(r.ContextDiff))
	r.ContextUnproven = filled(r.ContextUnproven)
	r.Hints, r.Paths = filled(r.Hints), filled(r.Paths)
	r.Around.Patches, r.Around.Overlay = filled(r.Around.Patches), filled(r.Around.Overlay)
	r.Learned = filled(r.Learned)
	r.Suspicions, r.Artifacts = filledSuspicions(r.Suspicions), filled(r.Artifacts)
	r.Bases = filled(r.Bases)
	r.Further = slices.Clone(filled(r.Further))
	for i := range r.Further {
		f := &r.Further[i]
		f.Cause = filledCommits(filled(f.Cause))
		f.Context, f.ContextUnproven, f.Unproven = filled(f.Context), filled(f.ContextUnproven), filled(f.Unproven)
		f.Commits, f.Present = filled(f.Commits), filled(f.Present)
		f.ContextDiff = filledCommits(filled(f.ContextDiff))
		f.Suspicions, f.Artifacts = filledSuspicions(f.Suspicions), filled(f.Artifacts)
	}
	r.Flaky.Torn = filled(r.Flaky.Torn)
	if r.History != nil {
		h := *r.History
		h.Skipped, h.Suspects, h.Sides = filled(h.Skipped), filled(h.Suspects), filled(h.Sides)
		h.SideChanges = slices.Clone(filled(h.SideChanges))
		for i := range h.SideChanges {
			h.SideChanges[i] = filled(h.SideChanges[i])
		}
		r.History = &h
	}
	r.Cause = filledCommits(r.Cause)
}

func filledCommits(list []Change) []Change {
	for i, c := range list {
		if c.Commits == nil {
			list = slices.Clone(list)
			for ; i < len(list); i++ {
				list[i].Commits = filled(list[i].Commits)
			}
			return list
		}
	}
	return list
}

func filledSuspicions(list []Suspicion) []Suspicion {
	list = slices.Clone(filled(list))
	for i := range list {
		list[i].Changes = filled(list[i].Changes)
	}
	return list
}

func filled[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
