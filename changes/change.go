package changes

import (
	"fmt"
	"time"

	"github.com/gitdd/gitdd/internal/git"
)

// A Kind says what a change does.
type Kind uint8

const (
	Text      Kind = iota // replaces, inserts or removes lines
	Created               // makes a file that good does not have
	Deleted               // removes a file that bad does not have
	Renamed               // moves a file; its content and mode are changes of their own
	Copied                // makes a file out of another file of good; content and mode apart
	Mode                  // sets or clears the executable bit
	Symlink               // points a symbolic link elsewhere
	Binary                // replaces a content that is not cut: binary, or larger than maxText
	Submodule             // pins a submodule to another commit
	Type                  // turns a file, symbolic link or submodule into another of these
)

var kindNames = [...]string{"text", "created", "deleted", "renamed", "copied", "mode", "symlink", "binary", "submodule", "type"}

// String returns the kind's name as it stands in results: "text", "created", ...
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", k)
}

// A Change is one elementary, separately applicable piece of the difference.
type Change struct {
	// ID is a hash with 16 hexadecimal digits, unique in a set. It is computed from the
	// kind, the path, the old and the new text and the part, and, if several changes agree
	// in all of these, from the number of the occurrence. It does not depend on line numbers
	// or commits, and so survives a rebase.
	ID   string
	Kind Kind

	Path, OldPath string // under bad, under good; equal unless renamed or copied

	// As in the header "@@ -OldStart,OldLines +NewStart,NewLines @@" of
	// git diff -U0: lines count from 1, and a side without lines gives the line
	// before the place. All zero unless Kind is Text.
	OldStart, OldLines, NewStart, NewLines int

	Old, New []byte // the replaced and the new text, of text hunks and symbolic links; else nil

	// Part is what the change replaces and writes within Old and New, which are a line each
	// then. Other changes may have other parts of these lines. The zero Part means all of
	// Old and New. Text only.
	Part Part

	// Heading is what git diff shows after the second @@: the last line before
	// the new text (or, without a new text, before the old text) that begins at the
	// left margin with a letter, "_" or "$", at most 80 bytes of it. A jump target does
	// not count, and after a line that begins with "}" Heading is "". It is a guess at the
	// declaration that contains the text, and is not a part of the ID. Text only.
	Heading string

	OldMode, NewMode git.Mode // 0 when the file is absent on that side
	OldBlob, NewBlob git.ID   // of the whole file (for submodules a commit); "" when absent, or Kind is Text

	Commits []Commit // the commits that made the change; nil until Set.Blame was asked
}

// A Commit is what a reader wants to know of a commit that made a change.
type Commit struct {
	ID            git.ID
	Author, Email string
	Date          time.Time // the author's date
	Subject       string
}

// String names the change for a reader: "text a.go:10", "renamed a.go -> b.go"; within a line
// with the first byte of its part, counted from 1: "text a.go:10:7".
func (c *Change) String() string {
	switch {
	case c.Part != Part{}:
		return fmt.Sprintf("%s %s:%d:%d", c.Kind, printable(c.Path), c.NewStart, c.Part.NewFrom+1)
	case c.Kind == Text:
		return fmt.Sprintf("%s %s:%d", c.Kind, printable(c.Path), max(c.NewStart, 1))
	case c.Path != c.OldPath:
		return fmt.Sprintf("%s %s -> %s", c.Kind, printable(c.OldPath), printable(c.Path))
	}
	return fmt.Sprintf("%s %s", c.Kind, printable(c.Path))
}
