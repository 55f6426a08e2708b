package reduce

import (
	"bytes"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// parsePatch reads unified diffs, as of git, diff and svn, and mailboxes of them:
// commits, files, hunks, and in these the lines that change. A + line goes; a -
// line becomes context. What the counts and starts of hunks then have to be is
// computed by Node.Repair, so that a patch of which anything was taken out still
// applies.
func parsePatch(content []byte) (*Tree, error) {
	p := patchParser{text: content, at: bom(content)}
	var top []*Node
	list := &top
	for p.at < len(p.text) {
		switch line := p.line(); {
		case mailBegins().Match(line):
			n := p.mail()
			top = append(top, n)
			list = &n.Children
		case p.fileBegins(line):
			n, err := p.file()
			if err != nil {
				return nil, err
			}
			*list = append(*list, n)
		case bytes.HasPrefix(line, []byte("@@ -")):
			return nil, notParsed(content, p.at, "a hunk without the name of a file")
		default:
			*list = append(*list, p.leaf("text"))
		}
		if list != &top {
			top[len(top)-1].To = p.at
		}
	}
	if p.files == 0 {
		return nil, notParsed(content, len(content), "no file that is changed")
	}
	if p.context == 0 || p.context > 3 {
		p.context = 3 // what git and diff take to find a place
	}
	for _, h := range p.hunks {
		h.context = p.context
	}
	return wholeTree(content, top), nil
}

type patchParser struct {
	nodes
	text    []byte
	at      int
	files   int // that git names, and hunks
	hunks   []*hunk
	context int // lines that stand before or behind the changes of a hunk, at most
}

var (
	mailBegins = lazyregexp.New(`^From [0-9a-f]{40,64} `)
	mailKeeps  = lazyregexp.New(`^(?i:From|From:|Date:|Subject:|MIME-Version:|Content-[A-Za-z-]+:) ?`)
	hunkHeader = lazyregexp.New(`^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@`)
	fileHeader = lazyregexp.New(`^(?:old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to|similarity index|dissimilarity index|index) `)
)

// line returns the line that comes next, without its end.
func (p *patchParser) line() []byte {
	return bytes.TrimRight(p.text[p.at:lineEnd(p.text, p.at)], "\r\n")
}

// has reports whether the next line begins with a text.
func (p *patchParser) has(prefix string) bool {
	return bytes.HasPrefix(p.text[p.at:], []byte(prefix))
}

// leaf takes the next line.
func (p *patchParser) leaf(kind string) *Node {
	from := p.at
	p.at = lineEnd(p.text, from)
	return p.node(kind, from, p.at)
}

// header takes the next line, without which the rest means nothing.
func (p *patchParser) header() *Node {
	n := p.leaf("header")
	n.Fixed = true
	return n
}

// fileBegins: a line of git or diff that names files, or the two of a plain diff.
func (p *patchParser) fileBegins(line []byte) bool {
	switch {
	case bytes.HasPrefix(line, []byte("diff --git ")):
		return true
	case bytes.HasPrefix(line, []byte("diff -")), bytes.HasPrefix(line, []byte("Index: ")):
		// The names follow within two lines.
		rest := p.text[lineEnd(p.text, p.at):]
		if !bytes.HasPrefix(rest, []byte("--- ")) {
			rest = rest[lineEnd(rest, 0):]
		}
		return bytes.HasPrefix(rest, []byte("--- "))
	case !bytes.HasPrefix(line, []byte("--- ")):
		return false
	}
	rest := p.text[lineEnd(p.text, p.at):]
	return bytes.HasPrefix(rest, []byte("+++ ")) && bytes.HasPrefix(rest[lineEnd(rest, 0):], []byte("@@ -"))
}

// mail reads the header of a mail. Its other lines, and the files, are put to the
// node by who called.
func (p *patchParser) mail() *Node {
	n := p.node("commit", p.at, p.at)
	n.Repair = withFiles
	kept := true
	for p.at < len(p.text) && len(p.line()) > 0 {
		if !p.has(" ") && !p.has("\t") {
			kept = mailKeeps().Match(p.line())
		}
		line := p.leaf("header")
		line.Fixed = kept
		n.Children = append(n.Children, line)
	}
	if p.at < len(p.text) {
		n.Children = append(n.Children, p.header())
	}
	n.To = p.at
	return n
}

// withFiles drops a commit that changes no file any more.
func withFiles(text []byte) []byte {
	if bytes.Contains(text, []byte("\ndiff --git ")) || bytes.Contains(text, []byte("\n@@ -")) {
		return text
	}
	return nil
}

// file reads the header of a file and its hunks.
func (p *patchParser) file() (*Node, error) {
	n := p.node("file", p.at, p.at)
	deleted := false
	if !p.has("--- ") {
		git := p.has("diff --git ")
		if git {
			p.files++
		}
		n.Children = append(n.Children, p.header())
		for git && fileHeader().Match(p.line()) {
			deleted = deleted || p.has("deleted file")
			switch {
			case p.has("index "), p.has("similarity "), p.has("dissimilarity "):
				n.Children = append(n.Children, p.leaf("header"))
			case p.has("old mode "):
				mode := p.leaf("mode")
				if p.has("new mode ") {
					mode.To = p.leaf("mode").To
				}
				n.Children = append(n.Children, mode)
			default:
				n.Children = append(n.Children, p.header())
			}
		}
		if p.has("====") {
			n.Children = append(n.Children, p.header())
		}
	}
	if p.has("GIT binary patch") || p.has("Binary files ") {
		// Not to be cut. It ends where the next begins.
		p.leaf("binary")
		for p.at < len(p.text) && !p.fileBegins(p.line()) && !mailBegins().Match(p.line()) && string(p.line()) != "-- " {
			p.leaf("binary")
		}
		n.Children, n.To = nil, p.at
		return n, nil
	}
	if p.has("--- ") && !p.fileBegins(p.line()) {
		n.To = p.at // the line that ends a mail's text
		return n, nil
	}
	if p.has("--- ") {
		n.Children = append(n.Children, p.header())
		deleted = deleted || p.has("+++ /dev/null")
		n.Children = append(n.Children, p.header())
		n.Repair = repairFile
	}
	for p.has("@@ -") {
		h, err := p.hunk(deleted)
		if err != nil {
			return nil, err
		}
		n.Children = append(n.Children, h)
	}
	n.To = p.at
	return n, nil
}

// hunk reads a hunk: as many lines as it says.
func (p *patchParser) hunk(deleted bool) (*Node, error) {
	header := hunkHeader().Find(p.line())
	if header == nil {
		return nil, notParsed(p.text, p.at, "the header of a hunk that names no lines")
	}
	h := &hunk{}
	_, old, new := h.begins(header)
	n := p.node("hunk", p.at, p.at)
	head := p.header()
	if section := bytes.TrimRight(p.text[head.From+len(header):head.To], "\r\n"); len(section) > 0 {
		from := head.From + len(header)
		head.Children = []*Node{p.node("section", from, from+len(section))}
	}
	n.Children = []*Node{head}
	var run []*Node // lines that are added or removed
	leading, trailing, changed := 0, 0, false
	end := func() {
		if len(run) > 0 {
			n.Children = append(n.Children, p.change(run, deleted))
			run = nil
		}
	}
	for old > 0 || new > 0 {
		if p.at == len(p.text) {
			return nil, notParsed(p.text, p.at, "the text ends within a hunk, %d and %d lines early", old, new)
		}
		kind := p.text[p.at]
		switch kind {
		case '-':
			old--
		case '+':
			new--
		case ' ', '\n', '\r', '\t': // of an empty line some editors take the space away
			old, new = old-1, new-1
		default:
			return nil, notParsed(p.text, p.at, "a hunk ends %d and %d lines early", old, new)
		}
		if old < 0 || new < 0 {
			return nil, notParsed(p.text, p.at, "a hunk has more lines than its header says")
		}
		line := p.leaf("line")
		if p.has(`\ `) {
			line.To = p.leaf("line").To
		}
		if kind == '+' || kind == '-' {
			run, trailing, changed = append(run, line), 0, true
			continue
		}
		end()
		trailing++
		if !changed {
			leading++
		}
		line.Fixed = true
		if last := n.Children[len(n.Children)-1]; last.Kind == "context" {
			last.To = line.To
		} else {
			line.Kind = "context"
			n.Children = append(n.Children, line)
		}
	}
	end()
	if !changed {
		return nil, notParsed(p.text, n.From, "a hunk that changes nothing")
	}
	p.files++
	p.context = max(p.context, leading, trailing)
	n.To = p.at
	h.source = p.text[n.From:n.To]
	n.Repair = h.repair
	p.hunks = append(p.hunks, h)
	return n, nil
}

// change makes a node of lines that are added or removed. Without it there are the
// old lines. One in which the old text has no newline at its end, or the new one
// before the end, is all or nothing: elsewhere a missing newline cannot stand. So
// is that of a file that is deleted.
func (p *patchParser) change(run []*Node, deleted bool) *Node {
	whole := deleted
	var least []byte
	for i, line := range run {
		text := p.text[line.From:line.To]
		unended := bytes.Contains(text, []byte("\n\\ "))
		if text[0] == '-' {
			line.Least = append([]byte{' '}, text[1:]...)
			least = append(least, line.Least...)
			whole = whole || unended
		} else {
			whole = whole || unended && i < len(run)-1
		}
	}
	if deleted {
		least = nil
	}
	if len(run) == 1 {
		run[0].Fixed = deleted
		return run[0]
	}
	n := p.node("change", run[0].From, run[len(run)-1].To)
	n.Least = least
	n.Fixed = deleted
	if !whole {
		n.Children = run
	}
	return n
}

// looksPatch: one of the first lines begins a file of a patch, and a hunk follows.
func looksPatch(name string, content []byte) bool {
	if content == nil {
		return extension(name, "patch", "diff") || strings.HasSuffix(name, ".mbox")
	}
	head := content[:min(len(content), 32<<10)]
	p := patchParser{text: head, at: bom(head)}
	for p.at < len(head) {
		line := p.line()
		if bytes.HasPrefix(line, []byte("diff --git ")) || p.fileBegins(line) {
			return true
		}
		p.leaf("")
	}
	return false
}
