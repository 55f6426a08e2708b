package reduce

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/testcase"
)

// Archives are directories for Reduce: the file a.zip becomes the files
// a.zip/NAME, one for each of its members; so do archives in it. Before them
// stands the mark of the archive, the path a.zip/ without content: as long as it
// is there, so is the archive. Before an input is tested its archives are
// written again; sizes are those of what is in them.
//
// The names of members never become paths of this machine: they go from one
// archive into the other as they are, whatever they say.
type archives struct {
	marks   map[string]*archive // by path of the mark
	members map[string]*member  // by path; an archive in an archive by that of its mark
}

// An archive is what there is to know beside its members.
type archive struct {
	archiver
	header any         // of its kind
	mode   fs.FileMode // of the file, if it is one of the input
}

// A member is a file in an archive, or a directory, a link and what else there
// may be.
type member struct {
	mark    string // of its archive
	name    string
	header  any // of its kind of archive
	content []byte
}

// An archiver reads and writes one kind of archive.
type archiver struct {
	kind  string
	fits  func(content []byte) bool
	read  func(content []byte, left *allowance) (members []*member, header any, err error)
	write func(members []*member, header any) ([]byte, error) // the same for the same members
}

var archivers = []archiver{
	{"zip", isZip, readZip, writeZip},
	{"tar", isTar, readTar, writeTar},
	{"tar.gz", isTarGz, readTarGz, writeTarGz},
}

// An allowance is how much may still be taken out of the archives of an input:
// what holds more stays a file.
type allowance struct{ bytes, members int64 }

const (
	mostUnpacked = 256 << 20
	mostMembers  = 100_000
	mostNested   = 4 // archives in archives
)

var errTooMuch = fmt.Errorf("its archives hold more than %d MB or %d entries", mostUnpacked>>20, mostMembers)

// take reads a member.
func (a *allowance) take(r io.Reader) ([]byte, error) {
	if a.members--; a.members < 0 {
		return nil, errTooMuch
	}
	content, err := io.ReadAll(io.LimitReader(r, a.bytes+1))
	if a.bytes -= int64(len(content)); a.bytes < 0 {
		return nil, errTooMuch
	}
	return content, err
}

// isMark reports whether a path is the mark of an archive.
func (a *archives) isMark(path string) bool { return a.marks[path] != nil }

// nameOf returns the name that a file has where it stands.
func (a *archives) nameOf(file string) string {
	if m := a.members[file]; m != nil {
		return path.Base(m.name)
	}
	return path.Base(file)
}

// unpack takes the archives of the input apart. One that fails only as it was
// written stays a file: whether it does when gitdd has written it costs a trial.
func (r *reduction) unpack(ctx context.Context) error {
	if r.opts.Format == "bytes" {
		return nil
	}
	r.enter("archives")
	left := allowance{mostUnpacked, mostMembers}
	for _, f := range slices.Clone(r.best.Files) {
		kind := archiverOf(f.Content)
		if kind == nil || f.Mode&fs.ModeSymlink != 0 {
			continue
		}
		before := r.archives.clone()
		files, err := r.archives.open(f.Path+"/", f.Content, *kind, &left, 0)
		ok := false
		if err == nil {
			r.archives.marks[f.Path+"/"].mode = f.Mode
			i := slices.IndexFunc(r.best.Files, func(g testcase.File) bool { return g.Path == f.Path })
			in := testcase.Input{Dir: r.best.Dir, Files: slices.Replace(slices.Clone(r.best.Files), i, i+1, files...)}
			if ok, err = r.writtenAgain(ctx, in); err == nil && !ok {
				r.note(fmt.Sprintf("%s fails only as it is, not when it is written again: it is reduced as bytes", f.Path))
			}
		}
		if !ok {
			r.archives = before
		}
		if r.err(ctx) != nil {
			return r.err(ctx)
		}
		if err != nil {
			r.note(fmt.Sprintf("%s is reduced as bytes, not as %s: %v", f.Path, kind.kind, err))
		}
	}
	return nil
}

// writtenAgain makes an input that differs from the best one in how archives are
// written the best one, if it fails.
func (r *reduction) writtenAgain(ctx context.Context, in testcase.Input) (bool, error) {
	packed, err := r.archives.pack(in)
	if err != nil {
		return false, err
	}
	if packed.Digest() != r.output.Digest() {
		if ok, err := r.ask(ctx, in); !ok {
			return false, err
		}
	}
	r.best, r.output = in, packed
	return true, nil
}

func archiverOf(content []byte) *archiver {
	for i := range archivers {
		if archivers[i].fits(content) {
			return &archivers[i]
		}
	}
	return nil
}

func (a *archives) clone() archives {
	c := archives{map[string]*archive{}, map[string]*member{}}
	maps.Copy(c.marks, a.marks)
	maps.Copy(c.members, a.members)
	return c
}

// open returns the files that an archive becomes.
func (a *archives) open(mark string, content []byte, kind archiver, left *allowance, nested int) ([]testcase.File, error) {
	members, header, err := kind.read(content, left)
	if err != nil {
		return nil, err
	}
	a.marks[mark] = &archive{archiver: kind, header: header}
	files := []testcase.File{{Path: mark}}
	numbers := map[string]int{} // by name: that of the last member of the name
	for _, m := range members {
		m.mark = mark
		at := mark + m.name
		for k := max(2, numbers[m.name]+1); a.taken(at); k++ { // two of one name, or one without
			at = fmt.Sprintf("%s%s#%d", mark, m.name, k)
			numbers[m.name] = k
		}
		if inner := archiverOf(m.content); inner != nil && nested < mostNested && !a.taken(at+"/") {
			if in, err := a.open(at+"/", m.content, *inner, left, nested+1); err == nil {
				a.members[at+"/"] = m
				files = append(files, in...)
				continue
			} else if errors.Is(err, errTooMuch) {
				return nil, err
			}
		}
		a.members[at] = m
		files = append(files, testcase.File{Path: at, Content: m.content})
	}
	return files, nil
}

func (a *archives) taken(path string) bool { return a.marks[path] != nil || a.members[path] != nil }

// pack writes the archives of an input.
func (a *archives) pack(in testcase.Input) (testcase.Input, error) {
	if len(a.marks) == 0 {
		return in, nil
	}
	inside := map[string][]testcase.File{} // by mark
	out := testcase.Input{Dir: in.Dir}
	for _, f := range in.Files {
		if m := a.members[f.Path]; m != nil {
			inside[m.mark] = append(inside[m.mark], f)
		}
	}
	for _, f := range in.Files {
		if a.members[f.Path] != nil {
			continue
		}
		if mark := a.marks[f.Path]; mark != nil {
			content, err := a.packed(f.Path, inside)
			if err != nil {
				return out, err
			}
			f = testcase.File{Path: strings.TrimSuffix(f.Path, "/"), Mode: mark.mode, Content: content}
		}
		out.Files = append(out.Files, f)
	}
	return out, nil
}

func (a *archives) packed(mark string, inside map[string][]testcase.File) ([]byte, error) {
	var members []*member
	for _, f := range inside[mark] {
		m := *a.members[f.Path]
		m.content = f.Content
		if a.isMark(f.Path) {
			var err error
			if m.content, err = a.packed(f.Path, inside); err != nil {
				return nil, err
			}
		}
		members = append(members, &m)
	}
	return a.marks[mark].write(members, a.marks[mark].header)
}

func hasPrefix(content []byte, prefix string) bool { return bytes.HasPrefix(content, []byte(prefix)) }
