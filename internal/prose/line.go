package prose

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Style is a role that a piece of text plays; colours follow git diff's.
type Style uint8

// The styles.
const (
	Plain    Style           = iota
	Headline                 // what to read first; also file names
	Note                     // secondary text
	Removed                  // the old side
	Added                    // the new side
	Place                    // hunk headers
	Hash                     // commits
	Strong   = Style(1 << 6) // or'ed to another: the part of a line that differs
	escaped  = Style(1 << 7) // or'ed to another: stands for bytes that must not be printed
)

var sgr = [...]string{Plain: "", Headline: "1", Note: "2", Removed: "31", Added: "32", Place: "36", Hash: "33"}

// A Line is one line of styled terminal text that can be measured and cut.
// Whatever is added to it is made printable first, so no content can move the
// cursor, change colours or reorder what is shown.
// The zero Line is empty and ready for use.
type Line struct {
	spans []span
}

type span struct {
	style Style
	text  string // printable, valid UTF-8
}

// Add appends text in a style. What is not printable is shown as a Go string
// literal writes it: \x1b for a control character, \xe9 for a byte that is
// not UTF-8, \u202e for an invisible character.
func (l *Line) Add(style Style, text string) *Line {
	var run strings.Builder // printable text of one style, not yet added
	runStyle := style
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		now, show := style, text[i:i+size]
		if !IsPrintable(r, size) {
			now, show = style|escaped, Literal(r, size, text[i])
		}
		if now != runStyle {
			l.append(runStyle, run.String())
			run.Reset()
			runStyle = now
		}
		run.WriteString(show)
		i += size
	}
	l.append(runStyle, run.String())
	return l
}

func (l *Line) append(style Style, text string) {
	if text == "" {
		return
	}
	if n := len(l.spans); n > 0 && l.spans[n-1].style == style {
		l.spans[n-1].text += text
		return
	}
	l.spans = append(l.spans, span{style, text})
}

// Join appends other, which stays as it is.
func (l *Line) Join(other *Line) *Line {
	for _, s := range other.spans {
		l.append(s.style, s.text)
	}
	return l
}

// Columns is how many terminal columns l takes.
func (l *Line) Columns() int {
	n := 0
	for _, s := range l.spans {
		n += Columns(s.text)
	}
	return n
}

// Cut returns l in at most width columns; width must be at least 1. If something is left out, the result
// ends in "…". A character is never cut apart from the marks on it.
func (l *Line) Cut(width int) *Line {
	if l.Columns() <= width {
		return l
	}
	left := width - 1
	cut := &Line{}
	for _, s := range l.spans {
		for i, r := range s.text {
			if left -= runeColumns(r); left < 0 {
				cut.append(s.style, s.text[:i])
				cut.append(s.style&^escaped, "…")
				return cut
			}
		}
		cut.append(s.style, s.text)
	}
	return cut
}

// Fold breaks l into parts of at most width columns each; width must be at least 2.
func (l *Line) Fold(width int) []*Line {
	parts, left := []*Line{{}}, width
	for _, s := range l.spans {
		for _, r := range s.text {
			if left -= runeColumns(r); left < 0 {
				parts, left = append(parts, &Line{}), width-runeColumns(r)
			}
			parts[len(parts)-1].append(s.style, string(r))
		}
	}
	return parts
}

// Brief is the beginning of a line of output, for quoting it within a sentence.
func Brief(line string) string {
	const most = 60
	return new(Line).Add(Plain, strings.TrimSpace(line)).Cut(most).Render(false)
}

// BriefApart returns what Brief returns of two lines. Where both would look alike, most of what they begin with is left out, so
// that it can be seen where they differ.
func BriefApart(a, b string) (briefA, briefB string) {
	const kept = 20 // characters before the difference
	briefA, briefB = Brief(a), Brief(b)
	if briefA != briefB || a == b {
		return briefA, briefB
	}
	x, y := []rune(strings.TrimSpace(a)), []rune(strings.TrimSpace(b))
	from := 0
	for from < min(len(x), len(y)) && x[from] == y[from] {
		from++
	}
	from = max(0, from-kept)
	return "…" + Brief(string(x[from:])), "…" + Brief(string(y[from:]))
}

// Render is l as bytes for a terminal, without a newline.
func (l *Line) Render(color bool) string {
	var b strings.Builder
	for _, s := range l.spans {
		code := sgr[s.style&^(Strong|escaped)]
		if s.style&Strong != 0 {
			code = strings.TrimPrefix(code+";1", ";")
		}
		if s.style&escaped != 0 {
			code = strings.TrimPrefix(code+";7", ";")
		}
		if !color || code == "" {
			b.WriteString(s.text)
			continue
		}
		b.WriteString("\x1b[" + code + "m" + s.text + "\x1b[m")
	}
	return b.String()
}

// IsPrintable reports whether a terminal shows r as itself. Invisible
// characters and those that reorder text are not: two versions of a line that
// differ only in them must not look alike.
func IsPrintable(r rune, size int) bool {
	if r == utf8.RuneError && size <= 1 {
		return false
	}
	return unicode.IsPrint(r) || r == '\u3000' // the wide space of CJK text
}

// Literal is a character that is not printable as a Go string literal writes it. size and first are
// how many bytes it has in the text and the first of these.
func Literal(r rune, size int, first byte) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case size <= 1:
		return fmt.Sprintf(`\x%02x`, first)
	case r > 0xFFFF:
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// Columns is how many terminal columns printable text takes.
func Columns(text string) int {
	n := 0
	for _, r := range text {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// wide holds the characters of East Asian Width W and F (Unicode Annex 11),
// rounded up to whole blocks: a character taken for wider than it is costs a
// column, the other way round it would break the layout.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1}, // Hangul initials
		{0x231a, 0x231b, 1}, {0x2329, 0x232a, 1}, {0x23e9, 0x23f3, 1},
		{0x25fd, 0x25fe, 1}, {0x2614, 0x2615, 1}, {0x2648, 0x2653, 1},
		{0x267f, 0x267f, 1}, {0x2693, 0x2693, 1}, {0x26a1, 0x26a1, 1},
		{0x26aa, 0x26ab, 1}, {0x26bd, 0x26be, 1}, {0x26c4, 0x26c5, 1},
		{0x26ce, 0x26ce, 1}, {0x26d4, 0x26d4, 1}, {0x26ea, 0x26ea, 1},
		{0x26f2, 0x26f5, 1}, {0x26fa, 0x26fa, 1}, {0x26fd, 0x26fd, 1},
		{0x2705, 0x2705, 1}, {0x270a, 0x270b, 1}, {0x2728, 0x2728, 1},
		{0x274c, 0x274e, 1}, {0x2753, 0x2757, 1}, {0x2795, 0x2797, 1},
		{0x27b0, 0x27b0, 1}, {0x27bf, 0x27bf, 1}, {0x2b1b, 0x2b1c, 1},
		{0x2b50, 0x2b50, 1}, {0x2b55, 0x2b55, 1},
		{0x2e80, 0x303e, 1}, {0x3041, 0xa4cf, 1}, // CJK
		{0xa960, 0xa97c, 1}, {0xac00, 0xd7a3, 1}, // Hangul
		{0xf900, 0xfaff, 1}, {0xfe10, 0xfe19, 1}, {0xfe30, 0xfe6b, 1},
		{0xff01, 0xff60, 1}, {0xffe0, 0xffe6, 1}, // full-width forms
	},
	R32: []unicode.Range32{
		{0x16fe0, 0x18d08, 1}, {0x1aff0, 0x1b2fb, 1}, // Tangut, Kana supplements
		{0x1f004, 0x1f004, 1}, {0x1f0cf, 0x1f0cf, 1}, {0x1f18e, 0x1f19a, 1},
		{0x1f200, 0x1f265, 1}, {0x1f300, 0x1f64f, 1}, {0x1f680, 0x1f6fc, 1},
		{0x1f7e0, 0x1f7f0, 1}, {0x1f90c, 0x1f9ff, 1}, {0x1fa70, 0x1faff, 1},
		{0x20000, 0x3ffff, 1}, // CJK extensions
	},
}
