package grouping

import (
	"iter"
	"slices"
)

// A Requirement says that a configuration with Change and without Requires
// cannot be judged: "Change requires Requires".
type Requirement struct{ Change, Requires int }

const (
	maxRequirements = 32 // taught by one output
	maxBlamed       = 2  // changes on either side of one message; where more would do, none is blamed
)

// Learn reads the output of a configuration that does not build (or whose test
// broke down) and returns what the tools' messages in it teach: requirements
// of an applied change on one that is not applied, in the order of the
// messages, at most maxRequirements. It reads gcc, clang and their linkers, go,
// javac, tsc, python, rustc, make and node, and of other tools the quoted names
// in messages of the form "file:line: text".
//
// A message has a place and a name. The place is mapped through the composed
// file to the change whose line it is; it must mention the name, else the place
// is taken for another file's. Without a line, the changes of the file that
// bring or drop the name stand in. Then
//
//   - a name that is missing in a line that was added: that change requires the
//     change that defines the name, or creates the file;
//   - a name that is missing in a line that bad has no more, and that an applied
//     change removes: that one requires the change that drops the line;
//   - a name that is missing because its definition moved: the change that
//     removed it here requires the one that puts it there;
//   - likewise for what is declared twice, declared and not used, called as it
//     was not (or no more) declared, or lacking in the type of an interface;
//   - what does not parse: the applied change nearest to the place requires the
//     nearest one that is not applied, if both are within syntaxReach lines.
//
// Of several changes that may define a name only those nearest to the place
// count: in Go the package and the type that the message names, elsewhere the
// module or type that it names, then the same file, a header, the same
// directory. If more than maxBlamed remain, the message teaches nothing; what
// cannot be matched is never guessed at.
//
// Learn is pure, and safe for concurrent use. What it says is advice, as
// predictions are: names are matched, not resolved. Cost: the first and last
// 128 KB of the output, and for a few names one search through the text of all
// changes. The idea is that of Zeller, "Yesterday, my program worked. Today, it
// does not. Why?" (ESEC/FSE 1999, section 4): let the messages of the failed
// construction say which changes belong together.
func (p *Plan) Learn(applied iter.Seq[int], output []byte) []Requirement {
	if p.index == nil {
		return nil
	}
	l := inferrer{index: p.index, symbols: p.Symbols, has: p.index.composed(applied), scans: maxScans}
	for _, d := range diagnostics(output) {
		l.taught = false
		switch d.problem {
		case lacks, mentions:
			l.lacks(&d)
		case lacksFile:
			l.lacksFile(&d)
		case unused:
			l.unused(&d)
		case twice:
			l.twice(&d)
		case differs:
			l.differs(&d)
		case keyword:
			l.keyword(&d)
		case returns:
			l.returns(&d)
		case syntactic:
			l.syntactic(&d)
		case needsGo:
			l.needsGo(&d)
		case implements:
			l.implements(&d)
		}
		if !l.taught && d.member {
			l.passed(&d)
		}
		if len(l.list) >= maxRequirements {
			return l.list[:maxRequirements]
		}
	}
	return l.list
}

// An inferrer infers requirements from one output.
type inferrer struct {
	*index
	symbols []string // Plan.Symbols
	has     []bool
	list    []Requirement
	scans   int  // searches through all changes that may still be made
	taught  bool // by the present message
}

// maxScans is how many names of one output are searched for in all changes.
const maxScans = 8

// require adds all requirements of the ones on the others, if there are few of
// each.
func (l *inferrer) require(ones, others []int) bool {
	if len(ones) == 0 || len(ones) > maxBlamed || len(others) == 0 || len(others) > maxBlamed {
		return false
	}
	added := false
	for _, i := range ones {
		for _, j := range others {
			if i == j || !l.has[i] || l.has[j] {
				continue
			}
			added, l.taught = true, true
			if r := (Requirement{i, j}); !slices.Contains(l.list, r) {
				l.list = append(l.list, r)
			}
		}
	}
	return added
}

// A site is where a message points: a file, and there either a line or the
// changes that may be meant.
type site struct {
	file    string // its path, "" = unknown
	users   []int  // applied changes whose new lines are meant
	leavers []int  // changes that are not applied, whose old lines are meant
	exact   bool   // a line was named, and it is known whose it is
	n       int    // if exact: which of the index's files it is in
	after   int    // if exact: how many of the file's hunks begin before or at the line
	good    int    // if exact: where the line is in good, or would be
}

// site finds the place of a message about a word: the line of s, or if it has
// none the file's changes that bring or drop the word in their code.
func (l *inferrer) site(d *diagnostic, s spot, word string) (found site) {
	named := l.named(s.path, d.dirs, l.has)
	for _, n := range named {
		if s.line == 0 {
			break
		}
		f := &l.files[n]
		h := l.holder(f, l.has, s.line)
		if !hasWord(l.line(f, h), word) && (h.change < 0 || !l.says(h.change, h.applied, word)) {
			continue
		}
		found.file, found.exact, found.n, found.good = l.pathIn(f, l.has), true, n, h.line
		if h.change >= 0 {
			found.good = l.set.Changes[h.change].OldStart
		}
		for found.after < len(f.text) && l.set.Changes[f.text[found.after]].OldStart <= found.good {
			found.after++
		}
		found.users, found.leavers = h.ends()
		return found
	}
	if s.line > 0 || len(named) != 1 {
		return found
	}
	f := &l.files[named[0]]
	found.file = l.pathIn(f, l.has)
	for _, i := range f.members {
		new, old := l.uses(i, true, word), l.uses(i, false, word)
		if l.has[i] && new && !old {
			found.users = append(found.users, i)
		}
		if !l.has[i] && old && !new {
			found.leavers = append(found.leavers, i)
		}
	}
	return found
}

// uses reports whether the code of a change has the word: not its comments and
// strings.
func (l *inferrer) uses(i int, new bool, word string) bool {
	return l.anyToken(i, new, word, func(token) bool { return true })
}

// anyToken reports whether a token of the code of a change is the word, and as is wants it.
func (l *inferrer) anyToken(i int, new bool, word string, is func(token) bool) bool {
	text := l.text(i, new)
	if !hasWord(text, word) {
		return false
	}
	for t := range tokens(text, languageOf(l.set.Changes[i].Path, nil), 1) {
		if string(t.text) == word && is(t) {
			return true
		}
	}
	return false
}

// firstFile returns the file that the first place of a message most likely means; nil if there is none.
func (l *inferrer) firstFile(d *diagnostic) *file {
	if len(d.spots) > 0 {
		if named := l.named(d.spots[0].path, d.dirs, l.has); len(named) > 0 {
			return &l.files[named[0]]
		}
	}
	return nil
}

// where is site for the first place of a message.
func (l *inferrer) where(d *diagnostic, word string) site {
	if len(d.spots) == 0 {
		return site{}
	}
	return l.site(d, d.spots[0], word)
}
