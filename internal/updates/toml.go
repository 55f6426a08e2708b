package updates

import (
	"bytes"
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// A table is a table of a TOML text: its header and the pairs in it.
type table struct {
	name     string // its keys, joined by dots; "" = the pairs before all headers
	array    bool   // the header has two brackets
	from, to int    // lines; without blank lines and comments at the end
	pairs    value
}

// parseTOML reads a TOML text as far as entries need it: of values, strings, arrays and inline tables.
func parseTOML(text []byte) ([]table, error) {
	starts, lines := lineStarts(text), rows(text)
	list := []table{{}}
	var ends []*int // where the end of the expression before belongs
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.Comment {
			continue
		}
		keys, offset := keysOf(e)
		from := lineAt(starts, offset)
		for _, end := range ends {
			*end = trimmed(lines, from)
		}
		if e.Kind != unstable.KeyValue {
			list = append(list, table{name: strings.Join(keys, "."), array: e.Kind == unstable.ArrayTable, from: from})
			ends = []*int{&list[len(list)-1].to}
			continue
		}
		t := &list[len(list)-1]
		v := tomlValue(e.Value(), starts)
		v.key, v.from = strings.Join(keys, "."), from
		t.pairs.object = true
		t.pairs.children = append(t.pairs.children, v)
		ends = []*int{&t.to, &t.pairs.children[len(t.pairs.children)-1].to}
	}
	for _, end := range ends {
		*end = trimmed(lines, len(lines))
	}
	if parse := (*unstable.ParserError)(nil); errors.As(p.Error(), &parse) {
		return nil, atLine(p.Shape(p.Range(parse.Highlight)).Start.Line-1, "%s", parse.Message)
	}
	return list, p.Error()
}

// keysOf are the keys of a header or a pair, and where the first one starts.
func keysOf(e *unstable.Node) (keys []string, offset int) {
	for it := e.Key(); it.Next(); {
		if len(keys) == 0 {
			offset = int(it.Node().Raw.Offset)
		}
		keys = append(keys, string(it.Node().Data))
	}
	return keys, offset
}

func tomlValue(n *unstable.Node, starts []int) (v value) {
	switch n.Kind {
	case unstable.String:
		v.text = string(n.Data)
		v.from = lineAt(starts, int(n.Raw.Offset))
		v.to = v.from + 1
	case unstable.Integer:
		v.text = string(n.Data)
	case unstable.Array:
		for it := n.Children(); it.Next(); {
			if it.Node().Kind != unstable.Comment {
				v.children = append(v.children, tomlValue(it.Node(), starts))
			}
		}
	case unstable.InlineTable:
		v.object = true
		for it := n.Children(); it.Next(); {
			keys, _ := keysOf(it.Node())
			child := tomlValue(it.Node().Value(), starts)
			child.key = strings.Join(keys, ".")
			v.children = append(v.children, child)
		}
	}
	return v
}

// trimmed is the line behind the last one before a line that is neither blank nor a comment.
func trimmed(lines [][]byte, to int) int {
	for to > 0 {
		l := bytes.TrimSpace(lines[to-1])
		if len(l) > 0 && l[0] != '#' {
			break
		}
		to--
	}
	return to
}

// spaced takes the blank line before an entry into it, so that an entry has its blank line wherever it
// stands.
func spaced(lines [][]byte, from int) int {
	if from > 0 && len(bytes.TrimSpace(lines[from-1])) == 0 {
		return from - 1
	}
	return from
}

// A block is a [[package]] of a lock file with the tables below it.
type block struct {
	value
	from, to int
	below    map[string]value // by name: dependencies for [package.dependencies]
}

// packages are the blocks of a lock file, and its other tables.
func packages(text []byte) (list []block, others []table, err error) {
	tables, err := parseTOML(text)
	if err != nil {
		return nil, nil, err
	}
	lines := rows(text)
	for _, t := range tables {
		switch name, inner := strings.CutPrefix(t.name, "package."); {
		case t.name == "package" && t.array:
			list = append(list, block{value: t.pairs, from: spaced(lines, t.from), to: max(t.to, t.from+1), below: make(map[string]value)})
		case inner && len(list) > 0:
			b := &list[len(list)-1]
			b.below[name] = t.pairs
			b.to = max(b.to, t.to)
		default:
			others = append(others, t)
		}
	}
	return list, others, nil
}
