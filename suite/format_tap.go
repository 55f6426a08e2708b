package suite

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/isolate"
)

// mostNested is how deep subtests of TAP and elements of XML may be nested.
const mostNested = 100

var (
	tapPoint     = lazyregexp.New(`^(not )?ok\b(?: +(\d+))?(?: +-(?: |$))? *(.*)$`)
	tapPlan      = lazyregexp.New(`^1\.\.(\d+)(?:\s*#.*)?$`)
	tapDirective = lazyregexp.New(`(?i)(?:^|\s+)#\s*(todo|skip|time=)`)
	tapNumbered  = lazyregexp.New(`^(?:not )?ok \d+\b`)
)

var tapUnescape = strings.NewReplacer(`\#`, "#", `\\`, `\`)

func beginsTAP(line string) bool {
	return strings.HasPrefix(line, "TAP version ") || tapPlan().MatchString(line) || tapNumbered().MatchString(line)
}

// A tapReader has the subtests whose parent is not known yet, and the point that what follows is said of.
type tapReader struct {
	b       *builder
	levels  []tapLevel // by the depth of their points; level 0 has no tests, they are added at once
	last    Result
	depth   int  // of last
	pending bool // last has not been added
	yaml    int  // the column of the block that is being read, plus 1; 0 outside of one
	points  int  // at depth 0
	planned int  // at depth 0, -1 without a plan

	begun  bool   // a line beside that of the version was read
	titled bool   // comments between points name the test that the points behind them belong to, as tape writes them
	title  string // that name
}

type tapLevel struct {
	tests []Result // names are relative to the parent of the level
	block string   // the point whose subtests follow it in braces
	next  int      // the number of a point without one
}

// readTAP reads the Test Anything Protocol, versions 12 to 14, with subtests that are indented by four spaces before
// the point of their parent, or behind it in braces. The name of a test is its description, or its number if it has
// none. A point that is marked as TODO passes, one that is skipped is unresolved.
//
// If the line behind that of the version is a comment, comments that are not about a failed point are names of tests, and
// the points behind them are parts of these: so tape writes them.
func readTAP(_ Format, b *builder, r io.Reader) {
	t := &tapReader{b: b, planned: -1}
	for line := range plainLines(r) {
		text := strings.TrimLeft(line, " ")
		indent := len(line) - len(text)
		switch {
		case t.yaml > 0:
			if text == "..." && indent == t.yaml-1 {
				t.yaml = 0
			} else if !strings.HasPrefix(text, "duration_ms:") {
				t.say(line[min(indent, t.yaml-1):])
			}
		case text == "---":
			t.yaml = indent + 1
		case strings.HasPrefix(text, "Bail out!"):
			t.flush()
			b.incomplete("%s", text)
		case strings.HasPrefix(text, "#"):
			t.comment(strings.TrimPrefix(text, "#"), indent)
		case strings.HasPrefix(text, "TAP version "):
		default:
			t.line(text, indent/4)
		}
	}
	t.close()
}

// comment takes a comment.
func (t *tapReader) comment(text string, indent int) {
	if strings.HasPrefix(text, " Subtest: ") {
		t.titled, t.title = false, ""
		return
	}
	t.titled = t.titled || !t.begun && indent == 0
	t.begun = true
	if t.titled && indent == 0 && !(t.pending && t.last.Outcome == isolate.Fail && t.last.Message == "") {
		t.flush()
		t.title = t.b.name(text)
		return
	}
	t.say(text)
}

// line takes a line that is no comment.
func (t *tapReader) line(text string, depth int) {
	t.begun = true
	if depth > mostNested {
		t.b.incomplete("its subtests are nested more than %d deep", mostNested)
		return
	}
	for len(t.levels) <= depth {
		t.levels = append(t.levels, tapLevel{next: 1})
	}
	if m := tapPlan().FindStringSubmatch(text); m != nil {
		t.flush()
		if n, err := strconv.Atoi(m[1]); err == nil && depth == 0 {
			t.planned = max(t.planned, 0) + n
		}
	} else if text == "}" {
		t.flush()
		t.endBlock(depth)
	} else if m := tapPoint().FindStringSubmatch(text); m != nil && m[2]+m[3] != "" { // prove ends a file with "ok" alone
		t.flush()
		t.point(m[1] == "", m[2], m[3], depth)
	} else {
		t.say(text)
	}
}

// point takes a test point.
func (t *tapReader) point(ok bool, number, text string, depth int) {
	level := &t.levels[depth]
	if number == "" {
		number = strconv.Itoa(level.next)
	}
	level.next++
	if depth == 0 {
		t.points++
	}
	r := Result{Outcome: isolate.Fail}
	if ok {
		r.Outcome = isolate.Pass
	}
	text, block := strings.CutSuffix(text, "{")
	if m := tapDirective().FindStringSubmatchIndex(text); m != nil {
		switch strings.ToLower(text[m[2]:m[3]]) {
		case "todo":
			r.Outcome = isolate.Pass
		case "skip":
			r.Outcome = isolate.Unresolved
		}
		text = text[:m[0]]
	}
	if r.Name = t.b.name(tapUnescape.Replace(text)); r.Name == "" {
		r.Name = number
	}
	if depth == 0 && t.title != "" {
		r.Name, r.Parent = t.title+" > "+r.Name, t.title
	}
	t.endBlock(depth)
	if block {
		level.block = r.Name
	} else {
		t.adopt(r.Name, depth)
	}
	t.last, t.depth, t.pending = r, depth, true
}

// endBlock ends the block of subtests of a point, if one is open.
func (t *tapReader) endBlock(depth int) {
	if name := t.levels[depth].block; name != "" {
		t.adopt(name, depth)
		t.levels[depth].block = ""
	}
}

// adopt makes the tests of deeper levels subtests of a point.
func (t *tapReader) adopt(parent string, depth int) {
	for d := len(t.levels) - 1; d > depth; d-- {
		for _, r := range t.levels[d].tests {
			if r.Parent != "" {
				r.Parent = " > " + r.Parent
			}
			r.Name, r.Parent = parent+" > "+r.Name, parent+r.Parent
			t.add(r, depth)
		}
	}
	t.levels = t.levels[:depth+1]
}

func (t *tapReader) add(r Result, depth int) {
	if depth == 0 {
		t.b.add(r)
	} else if t.b.keep(len(r.Name) + perTest) {
		t.levels[depth].tests = append(t.levels[depth].tests, r)
	}
}

// say appends to the message of the last point, if it failed.
func (t *tapReader) say(text string) {
	if t.pending && t.last.Outcome == isolate.Fail && len(t.last.Message) < mostMessage {
		t.last.Message += text[:min(len(text), mostMessage)] + "\n"
	}
}

// flush adds the last point: nothing that follows is said of it.
func (t *tapReader) flush() {
	if t.pending {
		t.add(t.last, t.depth)
		t.pending = false
	}
}

// close ends the report, and compares it with its plan.
func (t *tapReader) close() {
	t.flush()
	for depth := range slices.Backward(t.levels) {
		t.endBlock(depth)
	}
	for depth, level := range t.levels {
		if depth > 0 && len(level.tests) > 0 {
			t.b.incomplete("it ends within a subtest")
		}
		for _, r := range level.tests {
			t.b.add(r)
		}
	}
	switch {
	case t.planned < 0 && t.points == 0:
		t.b.incomplete("no TAP is in it")
	case t.planned < 0:
		t.b.incomplete("it has no plan")
	case t.planned != t.points:
		t.b.incomplete("%d tests were planned, and it has %d", t.planned, t.points)
	}
}
