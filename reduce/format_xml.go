package reduce

import (
	"bytes"
	"strings"
)

// parseXML reads elements, attributes and texts; tags that do not match are an
// error. It is for builds without grammars, and so is parseHTML.
func parseXML(content []byte) (*Tree, error) {
	m := markup{text: content}
	return m.tree()
}

// parseHTML reads the same; a tag that nothing closes stands alone.
func parseHTML(content []byte) (*Tree, error) {
	m := markup{text: content, html: true}
	return m.tree()
}

type markup struct {
	nodes
	text  []byte
	html  bool
	stack []element
	open  map[string]int  // how many elements of a name are open
	lost  [4]bool         // ends that do not come any more, by the index of endings
	raw   map[string]bool // script and style, as long as their end may come
}

// An element that is open. The outermost is the text itself.
type element struct {
	name  string
	tag   *Node
	items []*Node
}

// Beginnings and ends of what is no element.
var endings = [...][2]string{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"<!", ">"}}

var voids = wordSet("area base br col embed hr img input link meta source track wbr !doctype")

func (m *markup) tree() (*Tree, error) {
	m.open, m.raw = map[string]int{}, map[string]bool{"script": true, "style": true}
	m.stack = []element{{}}
	for at := bom(m.text); at < len(m.text); {
		if m.text[at] != '<' {
			end := at + 1
			for end < len(m.text) && m.text[end] != '<' {
				end++
			}
			m.words(at, end)
			at = end
			continue
		}
		end, err := m.markup(at)
		if err != nil {
			return nil, err
		}
		at = end
	}
	if last := m.stack[len(m.stack)-1]; last.tag != nil && !m.html {
		return nil, notParsed(m.text, last.tag.From, "<%s> is not closed", last.name)
	}
	m.unwind(0)
	items := m.stack[0].items
	if !m.html {
		if err := m.one(items); err != nil {
			return nil, err
		}
	}
	return wholeTree(m.text, items), nil
}

// one holds the text to one element, in whose place another has to stand.
func (m *markup) one(items []*Node) error {
	var root *Node
	for _, n := range items {
		switch {
		case n.Kind == "word":
			return notParsed(m.text, n.From, "text outside of the element")
		case n.Kind != "element":
		case root != nil:
			return notParsed(m.text, n.From, "a second element")
		default:
			root = n
		}
	}
	if root == nil {
		return notParsed(m.text, len(m.text), "no element")
	}
	root.Least = []byte("<a/>")
	return nil
}

func (m *markup) put(n *Node) {
	top := &m.stack[len(m.stack)-1]
	top.items = append(top.items, n)
}

// words makes an element of each word of a text.
func (m *markup) words(at, to int) {
	for at < to {
		if isSpace(m.text[at]) {
			at++
			continue
		}
		end := at
		for end < to && !isSpace(m.text[end]) {
			end++
		}
		m.put(m.node("word", at, end))
		at = end
	}
}

// markup reads what begins with < and returns where it ends.
func (m *markup) markup(at int) (int, error) {
	rest := m.text[at:]
	for i, e := range endings {
		if !bytes.HasPrefix(rest, []byte(e[0])) {
			continue
		}
		end := -1
		switch {
		case m.lost[i]:
		case i == len(endings)-1:
			end = m.declaration(at)
		default:
			if end = bytes.Index(rest[len(e[0]):], []byte(e[1])); end >= 0 {
				end += at + len(e[0]) + len(e[1])
			}
		}
		if end < 0 {
			m.lost[i] = true
			return m.stray(at, "%s is not closed", e[0])
		}
		m.put(m.node("comment", at, end))
		return end, nil
	}
	closing := bytes.HasPrefix(rest, []byte("</"))
	begin := at + 1
	if closing {
		begin++
	}
	nameEnd := begin
	for nameEnd < len(m.text) && isNameByte(m.text[nameEnd]) {
		nameEnd++
	}
	if nameEnd == begin || isDigit(m.text[begin]) {
		return m.stray(at, "< without a name")
	}
	name := string(m.text[begin:nameEnd])
	if m.html {
		name = strings.ToLower(name)
	}
	if closing {
		return m.end(at, nameEnd, name)
	}
	return m.start(at, nameEnd, name)
}

// stray takes a < that begins nothing for text, if that is allowed.
func (m *markup) stray(at int, seen string, args ...any) (int, error) {
	if !m.html {
		return 0, notParsed(m.text, at, seen, args...)
	}
	m.put(m.node("word", at, at+1))
	return at + 1, nil
}

func isNameByte(b byte) bool {
	return isWord(b) && b != '$' || b == ':' || b == '-' || b == '.'
}

// looksXML: a declaration, or an element from the first byte to the last.
func looksXML(content []byte) bool {
	text := bytes.TrimSpace(content[bom(content):])
	if looksHTML(content) || !bytes.HasPrefix(text, []byte("<")) {
		return false
	}
	if bytes.HasPrefix(text, []byte("<?xml")) || bytes.HasPrefix(text, []byte("<!DOCTYPE")) {
		return true
	}
	return bytes.HasSuffix(text, []byte(">")) && len(text) > 1 && (text[1] == '!' || isNameByte(text[1]) && !isDigit(text[1]))
}

// looksHTML: it begins with its doctype or its outermost element.
func looksHTML(content []byte) bool {
	head := bytes.ToLower(bytes.TrimSpace(content[bom(content):min(len(content), 1<<10)]))
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}
