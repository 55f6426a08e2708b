package suite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/gitdd/gitdd/internal/prose"
)

// A Format is a form in which a test runner writes what tests did. ParseFormat and Detect make one; the zero Format
// reads nothing.
type Format struct {
	row        *row
	pattern    string         // of the files that it reads, "" if it reads output
	expression *regexp.Regexp // of lines
}

// A row is what the package knows of a format.
type row struct {
	name    string
	read    func(f Format, b *builder, r io.Reader)
	begins  func(line string) bool                // whether output with such a line is of the format; nil if that cannot be said
	selects func(names []string) ([]string, bool) // as Format.Select; nil if there are no such arguments
}

// auto is the name of the format that finds out which one it is.
const auto = "auto"

// rows are all formats, in the order of their names.
var rows = []row{
	{auto, nil, nil, nil},
	{"cargo", readCargo, beginsCargo, selectCargo},
	{"go", readGo, beginsGo, selectGo},
	{"jest", readJest, beginsJest, selectJest},
	{"junit", readJUnit, beginsJUnit, selectNames},
	{"lines", readLines, nil, selectNames},
	{"pytest", readPytest, beginsPytest, selectNames},
	{"tap", readTAP, beginsTAP, selectNames},
	{"unittest", readUnittest, beginsUnittest, selectUnittest},
}

// Formats returns the names of all formats, sorted.
func Formats() []string {
	var names []string
	for _, r := range rows {
		names = append(names, r.name)
	}
	return names
}

// ParseFormat makes a Format of the text of a user:
//
//	NAME          the format reads the output of the command; auto is the format that Detect finds
//	NAME:PATTERN  the format reads the files below the directory of the command whose names match PATTERN, in which
//	              ** stands for any directories
//	lines:REGEX   the format reads the lines of the output that match a regular expression of Go. Its named groups
//	              test and status are the name and the outcome of a test, and the group message, if there is one, what is
//	              said of a failure; else that is the word of status
//
// An error is a mistake of the user, and says what would be right.
func ParseFormat(text string) (Format, error) {
	name, rest, given := strings.Cut(text, ":")
	at := slices.IndexFunc(rows, func(r row) bool { return r.name == name })
	if at < 0 {
		return Format{}, fmt.Errorf("there is no format %s; gitdd reads %s", prose.Quote(name), prose.List(Formats(), len(rows)))
	}
	f := Format{row: &rows[at]}
	var err error
	switch {
	case name == "lines":
		f.expression, err = parseExpression(rest)
	case given && name == auto:
		err = errors.New("auto looks at the output of the command: name the format of the files")
	case given:
		f.pattern, err = parsePattern(rest)
	}
	if err != nil {
		return Format{}, fmt.Errorf("format %s: %w", prose.Quote(text), err)
	}
	return f, nil
}

// parsePattern checks a pattern of file names, and returns it without "./".
func parsePattern(pattern string) (string, error) {
	clean := path.Clean(pattern)
	switch {
	case pattern == "":
		return "", errors.New("no file is named behind the colon")
	case !doublestar.ValidatePattern(pattern):
		return "", errors.New("the pattern of file names is not closed: a [ or { stands for itself as \\[ or \\{")
	case path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../"):
		return "", errors.New("name files below the directory that the command runs in")
	}
	return clean, nil
}

// String returns the text that ParseFormat makes an equal format of.
func (f Format) String() string {
	switch {
	case f.row == nil:
		return ""
	case f.expression != nil:
		return f.row.name + ":" + f.expression.String()
	case f.pattern != "":
		return f.row.name + ":" + f.pattern
	}
	return f.row.name
}

// ReadsFiles reports whether the format reads files, and not the output of the command.
func (f Format) ReadsFiles() bool { return f.pattern != "" }

// Files returns the sorted names of the files that the format would read. It does not follow symbolic links to
// directories. It is an error if a directory cannot be read.
func (f Format) Files(fsys fs.FS) ([]string, error) {
	if !f.ReadsFiles() {
		return nil, nil
	}
	names, err := doublestar.Glob(fsys, f.pattern, doublestar.WithFilesOnly(), doublestar.WithNoFollow(), doublestar.WithFailOnIOErrors())
	slices.Sort(names)
	return names, err
}

// ReadFiles reads the files of the format as one report, but for those that skip says; nil skips none. Dir is as for Read.
// The report is incomplete if there is no file, or one cannot be read or is no regular file.
func (f Format) ReadFiles(fsys fs.FS, dir string, skip func(name string, info fs.FileInfo) bool) Report {
	b := newBuilder(dir)
	names, err := f.Files(fsys)
	if err != nil {
		b.incomplete("%v", err)
	}
	read := 0
	for _, name := range names {
		info, err := fs.Lstat(fsys, name)
		switch {
		case err != nil:
			b.incomplete("%v", err)
		case skip != nil && skip(name, info):
		case !info.Mode().IsRegular():
			b.incomplete("%s is no regular file", name)
		default:
			read++
			if err := f.readFile(b, fsys, name); err != nil {
				b.incomplete("%s: %v", name, err)
			}
		}
	}
	if read == 0 {
		b.incomplete("there is no file %s", f.pattern)
	}
	return b.report()
}

func (f Format) readFile(b *builder, fsys fs.FS, name string) error {
	file, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	whole := b.why
	err = f.readAll(b, file)
	if whole == "" && b.why != "" {
		b.why = name + ": " + b.why
	}
	return err
}

// Read reads a report from r, to its end. Names of files and tests that begin with dir, the directory that the runner
// ran in, are made relative to it: reports that were made in different directories have equal names. An error is one
// of r, and comes with what was read before it; what is wrong with the text is no error, see Report.Incomplete.
func (f Format) Read(r io.Reader, dir string) (Report, error) {
	b := newBuilder(dir)
	err := f.readAll(b, r)
	return b.report(), err
}

func (f Format) readAll(b *builder, r io.Reader) error {
	if f.row == nil {
		return errors.New("no format")
	}
	s := &source{r: r}
	if f.row.read == nil { // auto
		readAuto(b, s)
	} else {
		f.row.read(f, b, s)
	}
	if s.err != nil {
		b.incomplete("it cannot be read: %v", s.err)
	}
	return s.err
}

// mostDetected is how many bytes of an output are looked at for the beginning of a report.
const mostDetected = 16 << 20

// readAuto reads what is of the format that Detect finds.
func readAuto(b *builder, r io.Reader) {
	begin, err := io.ReadAll(io.LimitReader(r, mostDetected))
	if err != nil {
		return // the source keeps it
	}
	f, ok := Detect(begin)
	if !ok {
		b.incomplete("no report is recognised in the output")
		return
	}
	b.format = f.row.name
	f.row.read(f, b, io.MultiReader(bytes.NewReader(begin), r))
}

// A source is a reader that keeps its error, so that readers of formats need not tell it from what is wrong with a
// text.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// Detect says of which format the output of a command is: the format whose report begins first in it. Output of
// "lines" cannot be recognised. It takes time in proportion to the length of the output before the report.
func Detect(output []byte) (Format, bool) {
	for line := range plainLines(bytes.NewReader(output)) {
		for i, r := range rows {
			if r.begins != nil && r.begins(line) {
				return Format{row: &rows[i]}, true
			}
		}
	}
	return Format{}, false
}
