package prose

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Count is a number with its noun, as in "1 change" and "5,000 changes".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Number(n) + " " + noun
}

// Applied says how many of its changes a configuration has.
func Applied(n, changes int) string { return Number(n) + " of " + Count(changes, "change") }

// Commit returns the name of a commit: its id with the beginning of its subject. The start of a line of commits is no suspect.
func Commit(id, subject string, start bool) string {
	text := "commit " + id
	if subject == "" {
		return text
	}
	text += " (" + (&Line{}).Add(Plain, subject).Cut(shownSubject).Render(false) + ")"
	if start {
		text += ", the start of the line"
	}
	return text
}

// shownSubject is how much of a commit's subject is shown, in columns.
const shownSubject = 40

// Number groups the digits of n by thousands.
func Number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Duration is d in the two largest units that matter to a reader: "0.4 s",
// "12.5 s", "2 min 5 s", "1 h 3 min".
func Duration(d time.Duration) string {
	tenths := d.Round(100 * time.Millisecond)
	whole := d.Round(time.Second)
	switch {
	case tenths < time.Minute:
		return strconv.FormatFloat(tenths.Seconds(), 'f', 1, 64) + " s"
	case whole < time.Hour:
		return two(int(whole/time.Minute), "min", int(whole%time.Minute/time.Second), "s")
	}
	minutes := int(d.Round(time.Minute) / time.Minute)
	return two(minutes/60, "h", minutes%60, "min")
}

func two(a int, unitA string, b int, unitB string) string {
	if b == 0 {
		return fmt.Sprintf("%s %s", Number(a), unitA)
	}
	return fmt.Sprintf("%s %s %d %s", Number(a), unitA, b, unitB)
}

// SizeUnits are the letters of the units in which flags take a number of bytes: each is 1024 times the one
// before, and the first 1024 bytes.
const SizeUnits = "KMGT"

// SizeFlag returns the shortest text by which a flag takes a number of bytes exactly, such as 512M.
func SizeFlag(bytes int64) string {
	unit := ""
	for i := 0; i < len(SizeUnits) && bytes != 0 && bytes%1024 == 0; i++ {
		bytes, unit = bytes/1024, SizeUnits[i:i+1]
	}
	return strconv.FormatInt(bytes, 10) + unit
}

// Size is a number of bytes to a reader: "980 B", "12.3 MiB", "140 GiB".
func Size(bytes int64) string {
	if bytes < 1000 {
		return Number(int(bytes)) + " B"
	}
	n := float64(bytes)
	for _, unit := range []string{"KiB", "MiB", "GiB", "TiB"} {
		n /= 1024
		switch {
		case n < 99.95:
			return strconv.FormatFloat(n, 'f', 1, 64) + " " + unit
		case n < 1000 || unit == "TiB":
			return strconv.FormatFloat(n, 'f', 0, 64) + " " + unit
		}
	}
	panic("unreachable: the last unit returns")
}

// Percent is a share between 0 and 1 as a percentage. It never rounds up to certainty.
func Percent[P ~float64](p P) string {
	if p >= 1 {
		return "100 %"
	}
	return strconv.FormatFloat(math.Floor(float64(p)*1000)/10, 'f', -1, 64) + " %"
}

// List is "a", "a and b", "a, b and c", or with more than are named
// "a, b and 7 more".
func List(names []string, total int) string {
	switch more := total - len(names); {
	case len(names) == 0:
		return ""
	case more > 0:
		return fmt.Sprintf("%s and %s more", strings.Join(names, ", "), Number(more))
	case len(names) == 1:
		return names[0]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Wrap breaks text into lines of at most width columns: at spaces but for the one
// before a per cent sign, and inside a word only where it does not fit on a line of
// its own. Several spaces between two words of a line stay, because a text may quote
// what is aligned by them. It returns at least one line.
func Wrap(text string, width int) []string {
	var lines []string
	line, columns, gap := "", 0, ""
	for rest := strings.TrimLeftFunc(text, unicode.IsSpace); rest != ""; {
		word := rest[:wordEnd(rest)]
		next := strings.TrimLeftFunc(rest[len(word):], unicode.IsSpace)
		behind := rest[len(word) : len(rest)-len(next)]
		if strings.Trim(behind, " ") != "" {
			behind = " " // the end of a line, say
		}
		rest = next
		w := Columns(word)
		if columns > 0 && columns+len(gap)+w <= width {
			line += gap + word
			columns += len(gap) + w
			gap = behind
			continue
		}
		if columns > 0 {
			lines = append(lines, line)
		}
		for w > width {
			n := fitting(word, width)
			lines = append(lines, word[:n])
			word = word[n:]
			w = Columns(word)
		}
		line, columns, gap = word, w, behind
	}
	return append(lines, line)
}

// wordEnd is how many bytes of text its first word has; a number and the per cent sign behind it are one.
func wordEnd(text string) int {
	end := strings.IndexFunc(text, unicode.IsSpace)
	if end < 0 {
		return len(text)
	}
	if strings.HasPrefix(text[end:], " %") {
		return end + 1 + wordEnd(text[end+1:])
	}
	return end
}

// fitting is how many bytes of text fill at most width columns: whole
// characters with their marks, and at least one.
func fitting(text string, width int) int {
	for i, r := range text {
		if width -= runeColumns(r); width < 0 && i > 0 {
			return i
		}
	}
	return len(text)
}

// Tail is the last part of text in at most width columns, behind a "…" if
// something is left out: the end of a path says more than its beginning.
func Tail(text string, width int) string {
	if Columns(text) <= width {
		return text
	}
	left := width - 1
	i := len(text)
	for i > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:i])
		if left -= runeColumns(r); left < 0 {
			break
		}
		i -= size
	}
	for i < len(text) { // no mark without its character
		r, size := utf8.DecodeRuneInString(text[i:])
		if runeColumns(r) > 0 {
			break
		}
		i += size
	}
	return "…" + text[i:]
}

// Printable is text as [Line] would show it, for measuring and wrapping before it
// is added.
func Printable(text string) string {
	var l Line
	return l.Add(Plain, text).Render(false)
}

// Words is argv as a shell would need it.
func Words(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		if word == "" || word != "{}" && strings.ContainsAny(word, " \t\n\"'\\$`|&;<>()*?[]{}~#!") {
			word = quote(word)
		}
		words[i] = word
	}
	return strings.Join(words, " ")
}

func quote(word string) string {
	if strings.Contains(word, "'") && !strings.ContainsAny(word, "\"\\$`") {
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// ShellWord returns what a shell reads as the word: the word itself, in quotes if it needs any.
func ShellWord(word string) string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:=@%") == "" && word != "" && word[0] != '-' {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Quote returns a line of output in quotes, so that it can be copied from between
// them: only what cannot be printed is escaped. The quotes are single ones if the line
// has double ones alone.
func Quote(text string) string {
	mark := `"`
	if strings.Contains(text, mark) && !strings.Contains(text, "'") {
		mark = "'"
	}
	return mark + Printable(text) + mark
}
