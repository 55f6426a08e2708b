package grouping

import (
	"bytes"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// Two ways in which sources in C and C++ use macros that no grammar can know, for it does not see what these stand for. In
// "class JSON_API Value : Base {" it takes Value for a function, and its members for statements; a macro on a line of its own,
// such as Q_OBJECT, becomes a part of the declaration below.
var (
	typeMacros = lazyregexp.New(`\b(?:class|struct|union|enum)\s+(?:class\s+|struct\s+)?((?:[A-Z][A-Z0-9_]+(?:\s*\([^()\n]*\))?\s+)+)[A-Za-z_][\w:]*(?:\s*<[^;{}]*>)?(?:\s+final)?\s*(?::[^:;{}][^;{}]*)?\{`)
	lineMacro  = lazyregexp.New(`(?m)^[ \t]*([A-Z][A-Z0-9_]{2,})[ \t]*\r?$`)
)

// withoutMacros returns a source in C or C++ with blanks for the macros of both kinds, and all else where it was.
func withoutMacros(content []byte) []byte {
	blank := bytes.Clone(content)
	clear := func(from, to int) {
		for i := from; i < to; i++ {
			if blank[i] != '\n' && blank[i] != '\r' {
				blank[i] = ' '
			}
		}
	}
	for _, at := range typeMacros().FindAllSubmatchIndex(content, -1) {
		clear(at[2], at[3])
	}
	for _, at := range lineMacro().FindAllSubmatchIndex(content, -1) {
		before, after := bytes.TrimRight(blank[:at[2]], " \t\r\n"), bytes.TrimLeft(content[at[3]:], " \t\r\n")
		if standsAlone(before, after) {
			clear(at[2], at[3])
		}
	}
	return blank
}

// standsAlone reports whether what stands between two texts is neither the begin or the end of something, nor an
// enumerator: a statement, a block or a line of the preprocessor ends before it, or a block begins, and a word follows.
func standsAlone(before, after []byte) bool {
	if len(before) == 0 || len(after) == 0 {
		return false
	}
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	directive := bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#")) && !bytes.HasSuffix(line, []byte(`\`))
	switch before[len(before)-1] {
	case ';', '}':
		return wordByte(after[0]) || bytes.IndexByte([]byte("#~}/"), after[0]) >= 0
	case '{':
		return wordByte(after[0]) || after[0] == '#' || after[0] == '~'
	}
	return directive && wordByte(after[0])
}
