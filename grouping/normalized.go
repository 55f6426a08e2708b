package grouping

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// An extent is a part of a content that is no code, or is code to the byte.
type extent struct {
	from, to int
	comment  bool // else verbatim: a string, or whatever else white space counts in
}

// normalized is what counts of a content: without comments, but for those that are
// directives, and with white space as far as it has a meaning. ext are in order
// and disjoint. Two contents with the same normalised form are the same program, but for
// what counts its lines.
func normalized(l language, content []byte, ext []extent) []byte {
	r := residual{language: l, content: content}
	ext = withoutDirectives(l, content, ext)
	at := 0
	for _, e := range append(ext, extent{from: len(content), to: len(content)}) {
		// Invariant: r.out holds what counts of content[:at].
		r.code(at, e.from)
		if e.comment {
			r.gap, r.feed = true, r.feed || bytes.IndexByte(content[e.from:e.to], '\n') >= 0
			if r.feed {
				r.indent = nil
			}
		} else if e.to > e.from {
			r.put(content[e.from:e.to])
		}
		at = e.to
	}
	return r.out
}

type residual struct {
	language language
	content  []byte
	out      []byte
	gap      bool   // white space or comments stand before what comes next
	feed     bool   // a line feed among them
	indent   []byte // what stands behind the last one
	verbatim bool   // in a line of the preprocessor, in which blanks count
}

// code adds content[from:to], outside of comments and strings.
func (r *residual) code(from, to int) {
	for at := from; at < to; at++ {
		switch c := r.content[at]; c {
		case '\n':
			r.gap, r.feed, r.indent = true, true, nil
		case ' ', '\t', '\r', '\f', '\v':
			r.gap = true
			if r.feed {
				r.indent = append(r.indent, c)
			}
		default:
			r.put(r.content[at : at+1])
		}
	}
}

// put adds text that counts, and before it what counts of the gap.
func (r *residual) put(text []byte) {
	first := text[0]
	switch {
	case len(r.out) == 0:
		if r.indented() {
			r.out = append(r.out, r.indent...)
		}
	case r.feed:
		if !r.continued() {
			r.verbatim = false
		}
		r.out = append(r.out, '\n')
		if r.indented() {
			r.out = append(r.out, r.indent...)
		}
	case r.gap && (r.verbatim || !freeBlanks(r.language) || apart(r.out[len(r.out)-1], first)):
		r.out = append(r.out, ' ')
	}
	if first == '#' && (len(r.out) == 0 || r.feed) && (r.language == cLanguage || r.language == cpp || r.language == csharp) {
		r.verbatim = true
	}
	r.gap, r.feed, r.indent = false, false, nil
	r.out = append(r.out, text...)
}

// continued reports whether the line that ends goes on behind a backslash.
func (r *residual) continued() bool {
	return r.verbatim && r.out[len(r.out)-1] == '\\'
}

// indented reports whether the white space at the begin of a line counts.
func (r *residual) indented() bool {
	switch r.language {
	case python, yaml, makefile, plainText:
		return true
	}
	return false
}

// freeBlanks reports whether a blank between a word and a sign never counts.
func freeBlanks(l language) bool {
	switch l {
	case golang, cLanguage, cpp, java, javascript, typescript, tsx, rust, csharp:
		return true
	}
	return false
}

// apart reports whether two bytes need a blank between them to stay two tokens.
func apart(a, b byte) bool {
	return wordy(a) == wordy(b) && bytes.IndexByte([]byte("()[]{},;"), a) < 0 && bytes.IndexByte([]byte("()[]{},;"), b) < 0
}

func wordy(c byte) bool {
	return wordByte(c) || strings.IndexByte("\"'`\\@$#", c) >= 0
}

// withoutDirectives turns the comments that tools read into code. A group of
// comments, with no empty line between them, of which one says how all are read
// is code as a whole.
func withoutDirectives(l language, content []byte, ext []extent) []extent {
	if l == golang && bytes.Contains(content, []byte(`import "C"`)) {
		return verbatim(ext) // a comment may be the C code
	}
	list := make([]extent, 0, len(ext))
	for i := 0; i < len(ext); {
		j := i + 1
		for j < len(ext) && ext[i].comment && ext[j].comment && adjacent(content[ext[j-1].to:ext[j].from]) {
			j++
		}
		group := ext[i:j]
		if group[0].comment && guides(l, content[group[0].from:group[len(group)-1].to]) {
			group = verbatim(group)
		}
		for _, e := range group {
			if e.comment && directive(l, content, e) {
				e.comment = false
			}
			list = append(list, e)
		}
		i = j
	}
	return list
}

func verbatim(ext []extent) []extent {
	list := make([]extent, len(ext))
	for i, e := range ext {
		list[i] = extent{from: e.from, to: e.to}
	}
	return list
}

// adjacent reports whether text between two comments holds no code and no empty
// line.
func adjacent(text []byte) bool {
	return len(bytes.TrimSpace(text)) == 0 && bytes.Count(text, []byte{'\n'}) <= 1
}

// guides reports whether a group of comments is read as a whole: what an
// example of Go prints, code in the documents of Rust that is tested, the
// metadata of a Python script.
func guides(l language, group []byte) bool {
	switch l {
	case golang:
		return goOutput().Match(group)
	case rust:
		return rustExample().Match(group)
	case python:
		return bytes.Contains(group, []byte("# /// "))
	case bash:
		return bytes.Contains(group, []byte("### BEGIN INIT INFO"))
	}
	return false
}

var (
	goOutput    = lazyregexp.New(`(?i)(?m)^\s*//\s*(unordered )?output:`)
	rustExample = lazyregexp.New("(?m)^\\s*(//[/!]|/\\*[*!]|\\*).*```|^\\s*//[/!]     |~~~")
)

// directive reports whether a comment means something to a compiler or another
// tool that decides whether a test fails.
func directive(l language, content []byte, e extent) bool {
	text := content[e.from:e.to]
	if e.from == 0 && bytes.HasPrefix(text, []byte("#!")) {
		return true
	}
	if (l == python || l == ruby) && encoding().Match(text) && bytes.Count(content[:e.from], []byte{'\n'}) < 3 {
		return true
	}
	if l == php && bytes.HasPrefix(text, []byte("/**")) {
		for _, tag := range phpTag().FindAllSubmatch(text, -1) {
			if !plainTags[string(tag[1])] {
				return true
			}
		}
	}
	expression := directives[l]
	return anyDirective().Match(text) || expression != nil && expression().Match(text)
}

var (
	encoding = lazyregexp.New(`(coding|encoding)[:=]`)
	phpTag   = lazyregexp.New(`@(\w+)`)

	// plainTags are those of PHP that nothing reads at run time.
	plainTags = map[string]bool{
		"param": true, "return": true, "returns": true, "var": true, "throws": true, "see": true, "author": true, "since": true, "package": true,
		"license": true, "link": true, "deprecated": true, "todo": true, "copyright": true, "internal": true, "inheritdoc": true, "inheritDoc": true,
		"example": true, "version": true, "api": true, "access": true, "category": true,
	}

	// anyDirective matches what linters, formatters and the test suites of
	// compilers look for in comments.
	anyDirective = lazyregexp.New(`(?i)no-?lint|\bfall-?s?[ -]?thr(ough|u)\b|\b(lint|eslint|tslint|jshint|stylelint|pylint|mypy|pyright|rubocop|istanbul|c8|v8|prettier|yamllint)[ :-]|\bignore-|clang-format|\bexpected-(error|warning|note|no)|\bRUN:|\bCHECK(-\w+)?:|\{ ?dg-|sourceMappingURL|\bpragma\b|\$NON-NLS`)

	directives = [languages]func() *regexp.Regexp{
		golang:     goDirective,
		cLanguage:  lazyregexp.New(`\bIWYU\b`),
		cpp:        lazyregexp.New(`\bIWYU\b`),
		java:       lazyregexp.New(`@deprecated\b`),
		javascript: scriptDirective,
		typescript: scriptDirective,
		tsx:        scriptDirective,
		rust:       lazyregexp.New(`^//(@|~)|^// (run|compile|check|build|ignore|edition|error)-`),
		python:     lazyregexp.New(`^#\s*(type:|noqa|nosec|fmt:|isort:|cython:|distutils:|doctest:|pyre-|sphinx_)`),
		ruby:       lazyregexp.New(`^#\s*(frozen[_-]string[_-]literal|encoding|coding|typed|warn[_-]indent|shareable_constant_value|warn_past_scope)\s*:`),
		bash:       lazyregexp.New(`^#(SBATCH|PBS|BSUB|\$ )`),
		css:        lazyregexp.New(`^/\*!`),
		html:       lazyregexp.New(`^<!--\s*(\[if|#|<!\[|ko |/ko)`),
		xml:        lazyregexp.New(`^<!--\s*(\[if|#)`),
		yaml:       lazyregexp.New(`^#(cloud-config|[@!%])|^#\s*(yaml-language-server|renovate)`),
	}
	goDirective     = lazyregexp.New(`^//([a-z0-9]+:[a-z0-9]|line |export |extern |\s*\+build )|^/\*line `)
	scriptDirective = lazyregexp.New(`@(ts-|jsx|flow|jest|vitest|vite-|noflow|satisfies|type\b|typedef\b|template\b)|webpack|[#@]__|^/// ?<`)
)
