package reduce

import (
	"bytes"
	"slices"
	"strings"
)

// declaration returns where <!DOCTYPE ends, with the subset in its brackets; -1 if
// it does not.
func (m *markup) declaration(at int) int {
	depth := 0
	for i := at; i < len(m.text); i++ {
		switch c := m.text[i]; c {
		case '[':
			depth++
		case ']':
			depth--
		case '"', '\'':
			end := bytes.IndexByte(m.text[i+1:], c)
			if end < 0 {
				return -1
			}
			i += 1 + end
		case '<':
			if bytes.HasPrefix(m.text[i:], []byte("<!--")) {
				end := bytes.Index(m.text[i:], []byte("-->"))
				if end < 0 {
					return -1
				}
				i += end + 2
			}
		case '>':
			if depth <= 0 {
				return i + 1
			}
		}
	}
	return -1
}

// end reads an end tag: what it closes becomes an element.
func (m *markup) end(at, nameEnd int, name string) (int, error) {
	to := nameEnd
	for to < len(m.text) && isSpace(m.text[to]) {
		to++
	}
	if to == len(m.text) || m.text[to] != '>' {
		return m.stray(at, "</%s is not closed", name)
	}
	to++
	tag := m.node("end", at, to)
	if top := m.stack[len(m.stack)-1]; !m.html && (top.tag == nil || top.name != name) {
		if top.tag == nil {
			return 0, notParsed(m.text, at, "</%s> closes nothing", name)
		}
		return 0, notParsed(m.text, at, "</%s> where <%s> is open", name, top.name)
	}
	if m.open[name] == 0 {
		m.put(tag)
		return to, nil
	}
	level := len(m.stack) - 1
	for m.stack[level].name != name {
		level--
	}
	m.unwind(level)
	e := m.stack[level]
	m.stack = m.stack[:level]
	m.open[name]--
	n := m.node("element", e.tag.From, to)
	n.Sort = "element"
	e.tag.Fixed, tag.Fixed = true, true
	n.Children = append(append(append(make([]*Node, 0, len(e.items)+2), e.tag), e.items...), tag)
	switch {
	case m.html:
	case len(n.Children) > 2:
		n.Or = [][]byte{[]byte("<" + name + "/>")}
	default:
		n.Or = selfClosing(m.text[n.From:n.To])
	}
	m.put(n)
	return to, nil
}

// unwind makes nodes of their own of the tags above a level that nothing closes.
func (m *markup) unwind(level int) {
	down := &m.stack[level]
	for _, e := range m.stack[level+1:] {
		m.open[e.name]--
		down.items = append(append(down.items, e.tag), e.items...)
	}
	m.stack = m.stack[:level+1]
}

// start reads a start tag with its attributes.
func (m *markup) start(at, nameEnd int, name string) (int, error) {
	tag := m.node("tag", at, at)
	head := m.node("name", at, nameEnd)
	head.Fixed = true
	tag.Children = []*Node{head}
	alone := false
	i := nameEnd
	for {
		for i < len(m.text) && isSpace(m.text[i]) {
			i++
		}
		if i == len(m.text) || m.text[i] == '<' {
			return m.stray(at, "<%s is not closed", name)
		}
		from := i
		if m.text[i] == '>' {
			i++
		} else if bytes.HasPrefix(m.text[i:], []byte("/>")) {
			alone = true
			i += 2
		} else {
			n := m.attribute(i)
			if n == nil {
				return m.stray(at, "what is no attribute in <%s", name)
			}
			tag.Children = append(tag.Children, n)
			i = n.To
			continue
		}
		last := m.node("close", from, i)
		last.Fixed = true
		tag.Children = append(tag.Children, last)
		break
	}
	tag.To = i
	switch {
	case alone || m.html && voids[name]:
		tag.Kind, tag.Sort = "element", "element"
		m.put(tag)
	case m.html && m.raw[name]:
		m.open[name]++
		m.stack = append(m.stack, element{name: name, tag: tag})
		if end := bytes.Index(m.text[i:], []byte("</"+name)); end >= 0 {
			m.words(i, i+end)
			i += end
		} else {
			m.raw[name] = false
		}
	default:
		m.open[name]++
		m.stack = append(m.stack, element{name: name, tag: tag})
	}
	return i, nil
}

// attribute reads NAME="VALUE", and in HTML NAME=VALUE and NAME; nil if none begins
// here.
func (m *markup) attribute(at int) *Node {
	i := at
	for i < len(m.text) && !isSpace(m.text[i]) && strings.IndexByte("=<>\"'/", m.text[i]) < 0 {
		i++
	}
	n := m.node("attribute", at, i)
	if i == at {
		if m.html && at < len(m.text) && m.text[at] != '<' && m.text[at] != '>' {
			n.To++
			return n
		}
		return nil
	}
	for i < len(m.text) && isSpace(m.text[i]) {
		i++
	}
	if i == len(m.text) || m.text[i] != '=' {
		if !m.html {
			return nil
		}
		return n
	}
	for i++; i < len(m.text) && isSpace(m.text[i]); {
		i++
	}
	if i == len(m.text) {
		return nil
	}
	from, to := i, i
	if c := m.text[i]; c == '"' || c == '\'' {
		// A < is not allowed in it: so nothing is looked through twice.
		for from, to = i+1, i+1; to < len(m.text) && m.text[to] != c && m.text[to] != '<'; {
			to++
		}
		if to == len(m.text) || m.text[to] == '<' {
			return nil
		}
		n.To = to + 1
	} else {
		for to < len(m.text) && !isSpace(m.text[to]) && m.text[to] != '>' && m.text[to] != '<' {
			to++
		}
		if !m.html || to == from {
			return nil
		}
		n.To = to
	}
	if to > from {
		value := m.node("value", from, to)
		if !bytes.HasSuffix(m.text[:n.To], m.text[from-1:from]) || m.text[from-1] == '=' || isSpace(m.text[from-1]) {
			value.Least = []byte("0") // NAME= alone would take what follows for its value
		}
		key, last := m.node("key", at, from), m.node("close", to, n.To)
		key.Fixed, last.Fixed = true, true
		n.Children = []*Node{key, value}
		if last.To > last.From {
			n.Children = append(n.Children, last)
		}
	}
	return n
}

// selfClosing returns what may stand for an element of XML with nothing between its tags: <a b="c"/> for
// <a b="c"></a>; nil for other elements.
func selfClosing(element []byte) [][]byte {
	start, _, ok := bytes.Cut(element, []byte("></"))
	if !ok || bytes.IndexByte(start, '>') >= 0 {
		return nil
	}
	return [][]byte{slices.Concat(start, []byte("/>"))}
}
