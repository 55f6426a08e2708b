package grouping

import (
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// A remark is one thing that a tool says to be wrong, in whatever words.
type remark struct {
	text  string   // what it says, without the place
	spots []spot   // where, the likeliest first
	more  []string // lines that belong to it

	macro *spot  // where the outermost macro stands that it comes out of; nil = none
	uses  []spot // where the templates are used that it is in

	before bool // its places stood before its text
	framed bool // it has a line of a stack
}

// How much is read of an output.
const (
	maxRemarks  = 512
	maxSpots    = 8 // of one remark
	maxMore     = 6 // lines of one remark
	pendingMost = 64
)

var (
	// anyPlace is a file with a line, in the forms "file:12", "file(12", '"file", line 12' and
	// "file on line 12".
	anyPlace = lazyregexp.New(`(?:file://)?((?:\b[A-Za-z]:[/\\])?[^\s:;,'"()<>|\[\]=` + "`" + `]*[\w+])(?::(\d+)(?::\d+)?|\((\d+)(?:,\d+)?\)|['"]?,? (?:on )?line (\d+))`)
	// stacked is a line of a stack or a traceback, which says where, but not what.
	stacked = lazyregexp.New(`^\s*(?:at |from |File "|#\d+[: ]|-->|\.\.\. |in /)`)
	// listed is a line that goes on with what the line before began, without being
	// indented: an element of a list, or a quoted line of source.
	listed = lazyregexp.New(`^(?:[-*>] |(?:\d+|LL|\.\.\.) +[|+~-] |\|)`)
	// outerMacro is the note of gcc that says where a macro stands in whose expansion the error is.
	outerMacro = lazyregexp.New(`^note: in expansion of macro\b`)
	// used is how gcc says, before an error within a template, where that is used.
	used = lazyregexp.New(`^(?:(?:recursively )?required (?:from|by)\b|\[ skipping )`)
	// noted says that a line explains the one before.
	noted = lazyregexp.New(`^(?:note|info|help|remark)\b`)
	// warned says that a line is not why the tool fails.
	warned = lazyregexp.New(`^(?:warning|deprecated)\b`)
	// introduces is how a line ends that says where the text behind it is.
	introduces = lazyregexp.New(`(?::\d+|\(\d+\)|line \d+)[,:]$`)
	// calls is a function with its arguments, whose place is on the next line.
	calls = lazyregexp.New(`^\S+\(.*\)$|^created by `)
	// inMethod is how Ruby says, between the place and the text, in which method that is.
	inMethod = lazyregexp.New(`^(?:<internal:[^>]*>:\d+:)?in '([^']*)':[ :]*`)
	// inspected is how Ruby prints an object: its class, and what it consists of.
	inspected = lazyregexp.New(`#<([\w:]+):0x[0-9a-f]+.*`)
	// suggests is how a line begins that says which other names may be meant.
	suggests = lazyregexp.New(`^Did you mean\b`)
	// thrown is how the text of an exception begins, in most languages.
	thrown = lazyregexp.New(`^(?:[\w.$:]*[.:\s])?[A-Z]\w*(?:Error|Exception|Failure)\b`)
	// pointing is the line below a quoted line of source.
	pointing = lazyregexp.New(`^\s*[\^~][\s^~]*$`)
)

// A remarker goes once over the lines of an output.
type remarker struct {
	list    []remark
	last    *remark // what the next line may belong to: the last of list, or a warning, which is in no list
	indent  int     // of the line of last
	stack   bool    // the lines since last are its stack
	begun   int     // how many of list are before the last empty line
	pending []spot  // places whose text comes behind them
	uses    []spot  // of templates, whose error comes behind them
}

// remarks reads an output: what is said with a place, what stands before or behind a
// stack of places, and what stands alone. Of tools it knows only the lines of gcc
// that outerMacro and used match, and those of Ruby that inMethod and inspected match, else how places are written, and that what belongs together stands together:
//
//   - "place: text" is a remark, and so is a text of several words without a place;
//   - the places of a stack ("at", "from", "#3", "-->") are those of the text before
//     them, the innermost first; those of a traceback ('File "...", line 3') are those
//     of the text behind them, the innermost last;
//   - of what comes from macros, the place of the outermost one comes first, and of what
//     is within templates, the places where these are used come last;
//   - what Ruby says behind a place, "in 'm':", belongs to the remark, and is no quotation; nor is what an object of Ruby consists of;
//   - a line that ends with a place and a comma or a colon says where the text behind
//     it is;
//   - where the text of an exception has several lines, the stack behind them belongs to
//     its first line;
//   - a text without a place that comes behind a stack, quotes nothing and is no exception
//     is a closing line of the tool, and no remark;
//   - notes, lists, suggestions, indented lines and quoted lines of source belong to the remark
//     before them, and whatever belongs to a warning is left out.
func remarks(output []byte) []remark {
	var r remarker
	lines := logLines(output)
	for k, text := range lines {
		if len(r.list) >= maxRemarks {
			break
		}
		next := ""
		if k+1 < len(lines) {
			next = lines[k+1]
		}
		r.read(text, next)
	}
	for k := range r.list {
		if said := &r.list[k]; said.macro != nil {
			said.spots = addSpots([]spot{*said.macro}, said.spots)
		}
		r.list[k].spots = addSpots(r.list[k].spots, r.list[k].uses)
	}
	behind := false // a stack
	return slices.DeleteFunc(r.list, func(said remark) bool {
		closing := behind && len(said.spots) == 0 && len(quotations(said.text)) == 0 && !thrown().MatchString(said.text)
		behind = behind || said.framed
		return closing
	})
}

// read takes in a line; next is the one behind it.
func (r *remarker) read(text, next string) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		r.stack, r.begun = false, len(r.list)
		return
	}
	if pointing().MatchString(text) {
		return
	}
	if !hasLetter(trimmed) {
		if text == trimmed && len(trimmed) > 8 { // a line drawn between two parts
			r.pending, r.stack = nil, false
		}
		return
	}
	spots, rest := places(text)
	indent := strings.IndexFunc(text, func(c rune) bool { return c != ' ' && c != '\t' })
	frame := stacked().MatchString(text)
	switch {
	case strings.Contains(text, "(eval at "): // the place is that of the call of eval
		r.more(rest)
	case len(spots) > 0 && strings.Contains(text, `File "`):
		r.wait(spots[0])
		r.last, r.stack = nil, false
	case len(spots) > 0 && introduces().MatchString(text) || len(spots) > 0 && rest == "" && indent == 0:
		r.wait(spots[0])
	case len(spots) > 0 && (frame || !hasText(rest)):
		r.at(spots, rest, frame, indent)
	case frame:
		r.more(trimmed)
	case len(spots) > 0 && used().MatchString(rest):
		r.uses = addSpots(r.uses, spots)
	case len(spots) > 0 && warned().MatchString(rest):
		r.skip(indent)
	case len(spots) > 0 && r.last != nil && (noted().MatchString(rest) || indent > r.indent && len(r.last.spots) > 0):
		r.last.spots = addSpots(r.last.spots, spots)
		if outerMacro().MatchString(rest) {
			r.last.macro = &spots[0]
		}
		r.more(rest)
	case len(spots) > 0:
		found := remark{text: inspected().ReplaceAllString(rest, "$1"), spots: addSpots(nil, spots)}
		if m := inMethod().FindStringSubmatch(found.text); m != nil && len(m[0]) < len(found.text) {
			if found.text = found.text[len(m[0]):]; len(quotations(found.text)) > 0 {
				found.more = []string{m[1]}
			} else { // the method may be what it is about, as if the number of arguments is wrong
				found.text = m[1] + ": " + found.text
			}
		}
		r.add(found, indent)
	case suggests().MatchString(text):
		r.more(trimmed)
		r.stack = true // that of the exception may follow
	case indent > 0 || listed().MatchString(text) || pointing().MatchString(next):
		r.more(trimmed)
	case warned().MatchString(text):
		r.skip(indent)
	case noted().MatchString(text) && r.last != nil:
		r.more(trimmed)
		r.stack = true // its place may be on the next line
	case calls().MatchString(text) && indented(next) && placed().MatchString(next):
		r.more(trimmed)
		r.stack = true
	case strings.HasSuffix(text, ":") && (!indented(next) || stacked().MatchString(next)):
		// A heading says nothing itself.
	case hasText(trimmed) || len(r.pending) > 0:
		found := remark{text: trimmed, before: len(r.pending) > 0}
		for k := len(r.pending) - 1; k >= 0; k-- {
			found.spots = addSpots(found.spots, r.pending[k:k+1])
		}
		r.add(found, indent)
	}
}

// add begins a remark.
func (r *remarker) add(found remark, indent int) {
	found.uses, r.uses = r.uses, nil
	r.list = append(r.list, found)
	r.last, r.indent, r.pending, r.stack = &r.list[len(r.list)-1], indent, nil, true
}

// skip begins a remark that is left out.
func (r *remarker) skip(indent int) {
	r.last, r.indent, r.pending, r.uses, r.stack = &remark{}, indent, nil, nil, true
}

// more takes in a line that belongs to the last remark.
func (r *remarker) more(text string) {
	if r.last != nil && len(r.last.more) < maxMore {
		r.last.more = append(r.last.more, text)
	}
}

// at takes in a line that names places and says nothing.
func (r *remarker) at(spots []spot, rest string, frame bool, indent int) {
	switch {
	case r.last != nil && rest != "" && !frame && strings.Contains(r.last.text, rest): // where it was raised
		r.last.spots = addSpots(addSpots(nil, spots), r.last.spots)
	case r.last != nil && (frame || indent > 0 && (len(r.last.spots) == 0 || r.stack)):
		if frame && !r.last.framed {
			r.fold()
			if r.last.before { // there it may have been raised again, after it was caught
				r.last.spots = addSpots(addSpots(nil, spots), r.last.spots)
			}
			r.last.framed = true
		}
		r.last.spots, r.stack = addSpots(r.last.spots, spots), true
		if frame && hasLetter(strings.TrimPrefix(rest, "at")) {
			r.more(rest) // names the function
		}
	default:
		r.wait(spots[0])
	}
}

// fold makes the last remark, if it has no place, a part of the exception before it in the
// same paragraph: the text of that exception has several lines.
func (r *remarker) fold() {
	last := len(r.list) - 1
	if last < 0 || r.last != &r.list[last] || len(r.last.spots) > 0 || thrown().MatchString(r.last.text) {
		return
	}
	for k := last - 1; k >= r.begun; k-- {
		if thrown().MatchString(r.list[k].text) {
			r.last = &r.list[k]
			for _, line := range r.list[k+1:] {
				r.more(line.text)
			}
			r.list = r.list[:k+1]
			return
		}
	}
}

// wait keeps a place until the text comes that it belongs to.
func (r *remarker) wait(s spot) {
	if len(r.pending) < pendingMost {
		r.pending = append(r.pending, s)
	}
}

func indented(text string) bool { return text != "" && (text[0] == ' ' || text[0] == '\t') }

func hasLetter(text string) bool {
	return strings.ContainsFunc(text, func(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 })
}

func addSpots(list, more []spot) []spot {
	for _, s := range more {
		if len(list) < maxSpots && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// hasText reports whether a text with its places taken out says anything: more than the
// name of a function.
func hasText(rest string) bool {
	words := 0
	for _, w := range strings.Fields(rest) {
		if hasLetter(w) && w != "in" && w != "at" && w != "on" {
			words++
		}
	}
	return words > 1
}

// places returns the places that a line names, and the line without them.
func places(text string) (spots []spot, rest string) {
	at := 0
	var b strings.Builder
	for _, m := range anyPlace().FindAllStringSubmatchIndex(text, 4) {
		if m[2] > 0 && m[3] > m[2]+1 && text[m[2]-1] == '.' && text[m[2]+1] == ':' { // "x.o:/a.c:3"; no drive
			m[2] += 2
			m[0] = m[2]
		}
		name := text[m[2]:m[3]]
		if !strings.ContainsAny(name, "./\\") && !fileNamed(m) || strings.HasPrefix(name, "//") || !hasLetter(name) {
			continue
		}
		line := ""
		for g := 2; g <= 4; g++ {
			if m[2*g] >= 0 {
				line = text[m[2*g]:m[2*g+1]]
			}
		}
		spots = append(spots, spot{name, number(line)})
		b.WriteString(text[at:m[0]])
		at = m[1]
	}
	b.WriteString(text[at:])
	return spots, strings.Trim(b.String(), " \t:,-")
}

// fileNamed reports whether a match of anyPlace is a file although its name has neither a
// dot nor a slash: such as a Makefile, at the beginning of a line.
func fileNamed(m []int) bool { return m[2] == 0 && m[4] >= 0 }

// alike returns what texts have in common that say the same: numbers, addresses and
// paths that depend on the workspace are left out. Digits within names stay.
func alike(text string) string {
	text = anyPath().ReplaceAllString(text, "$1/")
	return digits().ReplaceAllString(text, "0")
}

var (
	anyPath = lazyregexp.New(`(^|[\s'"(\[<=:,])(?:[A-Za-z]:|~|\.\.)?[/\\](?:[\w.~+-]*[/\\])*[\w.~+-]*`)
	digits  = lazyregexp.New(`\b(?:0x[0-9a-fA-F]+|\d+)`)
)

// identifiers yields the names in a text.
func identifiers(text string, yield func(name string)) {
	for _, m := range identifier().FindAllString(text, 64) {
		yield(m)
	}
}

// quotations returns the parts of a text between quotation marks. An apostrophe within a word
// is none, nor is one behind a letter that ends no quotation, such as that of a plural.
func quotations(text string) (parts []string) {
	for at := 0; at < len(text) && len(parts) < 16; at++ {
		mark := text[at]
		if mark != '\'' && mark != '"' && mark != '`' || at > 0 && wordByte(text[at-1]) {
			continue
		}
		for end := at + 1; end < len(text); end++ {
			if c := text[end]; (c == mark || mark == '`' && c == '\'') && (end+1 == len(text) || !wordByte(text[end+1])) {
				parts = append(parts, text[at+1:end])
				at = end
				break
			}
		}
	}
	return parts
}

// fileNames yields the names of files in a text that are no identifiers.
func fileNames(text string, yield func(name string)) {
	for _, m := range fileName().FindAllString(text, 16) {
		yield(m)
	}
}

var fileName = lazyregexp.New(`\w[\w+]*(?:[.-][\w+]+)+`)

var identifier = lazyregexp.New(`[A-Za-z_$\x{80}-\x{10ffff}][\w$\x{80}-\x{10ffff}]+`)
