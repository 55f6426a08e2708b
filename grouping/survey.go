package grouping

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/updates"
)

// How much a plan reads, in bytes of both sides of all files together, in the
// order of the set. Each bound is checked before a file, so the last file may
// exceed it.
const (
	parseBytes     = 4 << 20  // by grammar; the rest lexically
	parseFileBytes = 1 << 20  // of one side of one file by grammar
	scanBytes      = 32 << 20 // identifier by identifier; of the rest only the changed lines
	batch          = 64       // files in memory at a time
)

// A survey is what the contents say about the changes.
type survey struct {
	facts    []facts
	occurs   [2]presence
	declared [2]map[uint64]int
	packages packageNames
	members  map[string]int
	retyped  []retyped // in the order of their changes
	macros   bracketMacros
	parsed   int64 // bytes read by grammar
	scanned  int64 // bytes read identifier by identifier, these included
	allowed  int64 // bytes that may be parsed for the syntax of single hunks
	updates  updates.Found
	note     string // which bounds were met, "" = none
}

// surveyed holds a file's contents while it is read.
type surveyed struct {
	*file
	content [2][]byte
	made    bool // by a program, on both sides
	entries bool // it is a manifest or lock file of a known format: findUpdates says what belongs together
	how     reach
	macros  bracketMacros
	err     error
}

// look reads the contents of the changed files, several at a time, and returns
// what they say. The result depends on the set alone: how much of a file is
// read is decided in the set's order, and what the readers note is united.
func look(ctx context.Context, s *changes.Set) (*survey, error) {
	v := &survey{facts: make([]facts, len(s.Changes)), packages: packageNames{}, members: make(map[string]int), macros: bracketMacros{}}
	all := files(s.Changes)
	readers := make([]*reader, max(1, min(runtime.GOMAXPROCS(0), len(all))))
	for i := range readers {
		readers[i] = newReader()
		defer readers[i].parsers.close()
	}
	skimmedFiles, lexicalFiles := 0, 0
	work := make([]surveyed, 0, batch)
	for part := range slices.Chunk(all, batch) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		full := v.scanned < scanBytes
		work = work[:0]
		for i := range part {
			work = append(work, surveyed{file: &part[i]})
		}
		each(readers, work, func(_ *reader, w *surveyed) { w.load(s, full) })
		for i := range work {
			w := &work[i]
			if w.err != nil {
				return nil, fmt.Errorf("group changes: %w", w.err)
			}
			for name, left := range w.macros {
				v.macros.add(name, left)
			}
			size := int64(len(w.content[good]) + len(w.content[bad]))
			switch {
			case !full || v.scanned >= scanBytes:
				w.how = skimmed
				skimmedFiles++
			case v.parsed >= parseBytes || max(len(w.content[good]), len(w.content[bad])) > parseFileBytes:
				w.how = scanned
				v.scanned += size
				lexicalFiles++
			default:
				w.how = parsed
				v.parsed += size
				v.scanned += size
				if len(w.text) > 1 && !w.made && !w.entries && v.allowed < syntaxBytes {
					w.allowed = max(syntaxFactor*int(size), syntaxLeast)
					v.allowed += int64(w.allowed)
				}
			}
		}
		each(readers, work, func(r *reader, w *surveyed) {
			r.facts(v.facts, s.Changes, w.file, w.how, w.content[good], w.content[bad])
			if w.made {
				w.together(v.facts)
			}
			if w.how != skimmed && !w.entries {
				w.brackets(v.facts, s.Changes, v.macros.in(languageOf(w.path, nil)), w.content[good], w.content[bad])
			}
			if w.how != skimmed && syntaxOf(languageOf(w.path, nil)).family == "c" {
				w.conditionals(v.facts, s.Changes)
			}
		})
	}
	if n := lexicalFiles + skimmedFiles; n > 0 {
		v.note = fmt.Sprintf("%d of %d files beyond %d MB were read without a grammar", n, len(all), parseBytes>>20)
		if skimmedFiles > 0 {
			v.note += fmt.Sprintf(", %d of them beyond %d MB by their changed lines only", skimmedFiles, scanBytes>>20)
		}
	}
	v.unite(readers)
	return v, nil
}

// load reads the sides of a file that there are. A file that is not read in full
// has nothing to read beside its changes, unless it is one as a whole.
func (w *surveyed) load(s *changes.Set, full bool) {
	if !full && !w.whole {
		return
	}
	if w.new {
		w.content[bad], w.err = s.NewContent(w.path)
	}
	if w.old && w.err == nil {
		w.content[good], w.err = s.OldContent(w.oldPath)
	}
	if syntaxOf(languageOf(w.path, nil)).family == "c" {
		w.macros = bracketMacros{}
		w.macros.note(w.content[good])
		w.macros.note(w.content[bad])
	}
	w.entries = len(w.text) > 0 && updates.Readable(w.path, w.content[good], w.content[bad])
	w.made = !w.entries && generated(w.content[good]) && generated(w.content[bad])
}

// each calls f for every file, on one goroutine per reader.
func each(readers []*reader, work []surveyed, f func(*reader, *surveyed)) {
	var wait sync.WaitGroup
	next := make(chan *surveyed)
	for _, r := range readers {
		wait.Go(func() {
			for w := range next {
				f(r, w)
			}
		})
	}
	for i := range work {
		next <- &work[i]
	}
	close(next)
	wait.Wait()
}

// packageNames are the names of the packages of Go, by scope.
type packageNames map[string]string

// add notes that a file of a scope is of a package. Of several names the first one by the alphabet counts, in whatever order the files are read:
// the tests in a directory may be of a package of their own, whose name has "_test" behind that of the other one.
func (p packageNames) add(scope, name string) {
	if was, ok := p[scope]; !ok || name < was {
		p[scope] = name
	}
}

// unite brings together what the readers noted; no order matters here.
func (v *survey) unite(readers []*reader) {
	for which := range v.occurs {
		v.occurs[which], v.declared[which] = readers[0].occurs[which], readers[0].declared[which]
		for _, r := range readers[1:] {
			for h := range r.occurs[which] {
				v.occurs[which][h] = struct{}{}
			}
			for h, n := range r.declared[which] {
				v.declared[which][h] += n
			}
		}
	}
	for _, r := range readers {
		for name, n := range r.members {
			v.members[name] += n
		}
		v.retyped = append(v.retyped, r.retyped...)
		for scope, name := range r.packages {
			v.packages.add(scope, name)
		}
	}
	slices.SortFunc(v.retyped, func(a, b retyped) int {
		return cmp.Or(cmp.Compare(a.new, b.new), cmp.Compare(a.to.line, b.to.line), cmp.Compare(a.to.id, b.to.id))
	})
	for i := range v.facts {
		f := &v.facts[i]
		for _, list := range []*[]key{&f.defines[good], &f.defines[bad], &f.uses[good], &f.uses[bad]} {
			slices.SortFunc(*list, key.compare)
			*list = slices.Compact(*list)
		}
	}
}

// noteFiles adds the paths that changes make and take away.
func (v *survey) noteFiles(list []changes.Change) {
	note := func(f *facts, which int, path string) {
		f.defines[which] = append(f.defines[which], key{space: fileSpace, name: path})
	}
	for i := range list {
		c, f := &list[i], &v.facts[i]
		switch c.Kind {
		case changes.Created, changes.Copied:
			note(f, bad, c.Path)
		case changes.Deleted:
			note(f, good, c.OldPath)
		case changes.Renamed:
			note(f, bad, c.Path)
			note(f, good, c.OldPath)
		}
	}
}
