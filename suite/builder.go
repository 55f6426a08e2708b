package suite

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
)

const (
	mostMessage = 1000      // bytes of a message that are kept
	mostKept    = 100 << 20 // bytes that names and messages of a report may take
	mostBuild   = 64 << 10  // bytes that are kept of what a build prints
	perTest     = 200       // bytes that a Result takes beside its texts
)

// A builder collects the results of a report. The readers of formats write to it.
type builder struct {
	dir    string // the directory that the runner ran in, with slashes, one of them at the end; or ""
	at     map[string]int
	tests  []Result
	notRun map[string]bool
	again  map[string]bool // names that came again, for Report.Repeated; nil if that means nothing
	why    string          // the first reason for which the report is incomplete
	build  strings.Builder // what a build printed
	format string          // that auto has found
	absent string          // for Report.NotFound
	room   int             // bytes that may still be kept
}

func newBuilder(dir string) *builder {
	if dir != "" {
		dir = strings.TrimSuffix(filepath.ToSlash(dir), "/") + "/"
	}
	return &builder{dir: dir, at: map[string]int{}, notRun: map[string]bool{}, again: map[string]bool{}, room: mostKept}
}

// add takes the result of a test, which may not be the first one of its name.
func (b *builder) add(r Result) {
	r.Name, r.Parent, r.File = cmp.Or(b.name(r.Name), "unnamed"), b.name(r.Parent), b.name(filepath.ToSlash(r.File))
	if r.Outcome == isolate.Fail {
		r.Message = b.message(r.Message)
		if file, line := place(r.Message); file != "" {
			r.File, r.Line = file, line
		}
	} else {
		r.Message, r.File, r.Line = "", "", 0
	}
	at, known := b.at[r.Name]
	if known && b.again != nil && !b.again[r.Name] && b.keep(perTest) {
		b.again[r.Name] = true
	}
	switch {
	case known && severity(r.Outcome) > severity(b.tests[at].Outcome):
		if b.keep(len(r.Message)) {
			b.tests[at] = r
		}
	case !known && b.keep(len(r.Name)+len(r.Parent)+len(r.Message)+perTest):
		b.at[r.Name] = len(b.tests)
		b.tests = append(b.tests, r)
	}
}

// keep reports whether so many bytes more may be kept.
func (b *builder) keep(bytes int) bool {
	b.room -= bytes
	if b.room < 0 {
		b.incomplete("its tests take more than %s", prose.Size(mostKept))
	}
	return b.room >= 0
}

// severity orders outcomes: of several results of one test the most severe one counts.
func severity(o isolate.Outcome) int {
	switch o {
	case isolate.Pass:
		return 0
	case isolate.Fail:
		return 2
	}
	return 1
}

// stopped says that a package, a file or a binary did not run all of its tests.
func (b *builder) stopped(suite string) {
	if suite = b.name(suite); !b.notRun[suite] && b.keep(len(suite)+perTest) {
		b.notRun[suite] = true
	}
}

// incomplete says why the report has not all tests. The first reason stays.
func (b *builder) incomplete(format string, args ...any) {
	if b.why == "" {
		b.why = prose.Printable(fmt.Sprintf(format, args...))
	}
}

// report returns what was collected.
func (b *builder) report() Report {
	slices.SortFunc(b.tests, func(x, y Result) int { return strings.Compare(x.Name, y.Name) })
	r := Report{Tests: b.tests, NotRun: slices.Sorted(maps.Keys(b.notRun)), Incomplete: b.why, Build: b.build.String(), Format: b.format, Repeated: slices.Sorted(maps.Keys(b.again)), NotFound: b.absent}
	if len(r.NotRun) > 0 && r.Incomplete == "" {
		r.Incomplete = r.NotRun[0] + " did not run all of its tests"
		if n := len(r.NotRun) - 1; n > 0 {
			r.Incomplete = fmt.Sprintf("%s and %s did not run all of their tests", r.NotRun[0], prose.Count(n, "other"))
		}
	}
	return r
}

// name makes a name printable, and relative if it begins with the directory that the runner ran in.
func (b *builder) name(text string) string {
	text = strings.TrimPrefix(strings.TrimSpace(text), b.dir)
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return prose.Printable(text)
		}
	}
	return text
}

// message is the beginning of a message, without the directory that the runner ran in.
func (b *builder) message(text string) string {
	text = plain(text[:min(len(text), 4*mostMessage)])
	if b.dir != "" {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "file://"+b.dir, ""), b.dir, "")
	}
	text = strings.ToValidUTF8(strings.Trim(text, "\r\n"), "\uFFFD")
	if len(text) > mostMessage {
		end := mostMessage
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	return strings.TrimRight(text, " \t\r\n")
}

// placed matches a file of source code and a line in it.
var placed = lazyregexp.New(`([^\s:()'"]+\.(?:go|py|rs|[cm]?[jt]sx?|java|kt|scala|c|cc|cpp|cxx|h|hpp|rb|cs|php|swift|sh|pl|t|exs?)):(\d+)`)

// place is the first file of the project that a message names with a line.
func place(message string) (file string, line int) {
	for _, m := range placed().FindAllStringSubmatch(message, -1) {
		if n, err := strconv.Atoi(m[2]); err == nil && !strings.HasPrefix(m[1], "/") {
			return m[1], n
		}
	}
	return "", 0
}
