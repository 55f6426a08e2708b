package reduce

import (
	"bytes"

	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/internal/lexical"
)

// parseINI reads sections and keys, as in INI, properties and .env files.
func parseINI(content []byte) (*Tree, error) {
	return settings(content, lexical.RulesOf(".ini"), false)
}

// parseTOML is for builds without grammars: tables and keys, whose values may go
// over lines.
func parseTOML(content []byte) (*Tree, error) {
	return settings(content, lexical.RulesOf(".toml"), true)
}

func settings(content []byte, l *lexical.Rules, toml bool) (*Tree, error) {
	f := iniFile{b: brackets{text: content, Rules: l}, toml: toml}
	var top []*Node
	list := &top
	bare, first, entries := 0, 0, 0
	for at := bom(content); at < len(content); {
		end := lineEnd(content, at)
		text := bytes.TrimSpace(content[at:end])
		switch {
		case len(text) == 0 || bytes.IndexByte([]byte("#;!"), text[0]) >= 0:
			*list = append(*list, f.b.node("comment", at, end))
		case text[0] == '[':
			header := f.b.node("header", at, end)
			header.Fixed = true
			section := f.b.node("section", at, end)
			section.Children = []*Node{header}
			top = append(top, section)
			list = &section.Children
		default:
			n, separated := f.entry(at, end)
			end = n.To
			*list = append(*list, n)
			if entries++; !separated {
				if bare++; bare == 1 {
					first = at
				}
			}
		}
		at = end
		if list != &top {
			top[len(top)-1].To = at
		}
	}
	if bare > 0 && bare*2 >= entries {
		return nil, notParsed(content, first, "neither a section, a comment nor KEY=VALUE")
	}
	return wholeTree(content, top), nil
}

type iniFile struct {
	b    brackets
	toml bool
}

// entry makes a node of a key and its value, which begins behind the first = or :
// and may go on in the lines behind.
func (f *iniFile) entry(from, end int) (n *Node, separated bool) {
	text := f.b.text
	sign := bytes.IndexAny(text[from:end], "=:")
	if f.toml {
		sign = bytes.IndexByte(text[from:end], '=')
	}
	if sign < 0 {
		n = f.b.node("entry", from, f.end(from, end))
		return n, false
	}
	value := from + sign + 1
	end = f.end(value, end)
	n = f.b.node("entry", from, end)
	key := f.b.node("key", from, value)
	key.Fixed = true
	n.Children = []*Node{key}
	to := value + len(bytes.TrimRight(text[value:end], "\r\n"))
	if len(bytes.TrimSpace(text[value:to])) == 0 {
		return n, true
	}
	v := f.b.node("value", value, to)
	if f.toml {
		v.Least = []byte("0")
		v.Or = [][]byte{[]byte(`""`), []byte("[]"), []byte("{}")}
	} else if items := f.b.read(value, to); len(items) > 1 {
		v.Children = items
	}
	n.Children = append(n.Children, v)
	return n, true
}

// end returns where a value ends that begins in a line: a backslash at the end of a
// line, a line that is further in, an open quote or bracket continue it.
func (f *iniFile) end(at, end int) int {
	text := f.b.text
	if f.toml {
		s := newScanner(text, f.b.Rules)
		s.At = at
		for depth := 0; ; {
			kind, from, to, ok := s.next()
			switch {
			case !ok || from >= end && depth <= 0:
				return end
			case kind == lexical.Opener:
				depth++
			case kind == lexical.Closer:
				depth--
			}
			if to > end {
				end = lineEnd(text, to)
			}
		}
	}
	if v := bytes.TrimSpace(text[at:end]); len(v) > 0 && (v[0] == '"' || v[0] == '\'') && bytes.Count(v, v[:1]) == 1 {
		// Up to a quote that is not too far.
		start := bytes.IndexByte(text[at:], v[0]) + at + 1
		if i := bytes.IndexByte(text[start:min(len(text), start+4096)], v[0]); i >= 0 {
			return lineEnd(text, start+i)
		}
	}
	for end < len(text) {
		line := bytes.TrimRight(text[at:end], "\r\n")
		next := text[end:lineEnd(text, end)]
		slashes := len(line) - len(bytes.TrimRight(line, `\`))
		further := len(bytes.TrimSpace(next)) > 0 && (next[0] == ' ' || next[0] == '\t') && !bytes.ContainsAny(next, "=:")
		if slashes%2 == 0 && !further {
			break
		}
		at, end = end, end+len(next)
	}
	return end
}

var (
	iniHeader = lazyregexp.New(`^\[[^\]\[,"']+\]$`)
	iniEntry  = lazyregexp.New(`^(export +)?[A-Za-z_][\w.\- ]*[=]`)
)

// looksINI: a section with an entry, or nothing but entries.
func looksINI(content []byte) bool {
	headers, entries := 0, 0
	for at := bom(content); at < min(len(content), 4<<10); {
		end := lineEnd(content, at)
		text := bytes.TrimSpace(content[at:end])
		at = end
		switch {
		case len(text) == 0 || text[0] == '#' || text[0] == ';':
		case iniHeader().Match(text):
			headers++
		case iniEntry().Match(text):
			entries++
		case headers > 0 && entries > 0:
			return true
		default:
			return false
		}
	}
	return entries > 0 && headers+entries > 1
}
