package grouping

import (
	goscanner "go/scanner"
	gotoken "go/token"
	"path"
	"strings"

	"github.com/gitdd/gitdd/internal/lexical"
)

// Nodes returns the byte offsets at which the smallest pieces of a file begin or end: names,
// numbers, operators, whole strings and comments, and the cells of a table. It
// goes by the scanner of Go, by the grammar of another language if this build has it and the
// content reads as one, else by the look of the text. Cost: one parse. Its type is changes.Nodes.
func Nodes(name string, content []byte) []int {
	switch strings.ToLower(path.Ext(name)) {
	case ".csv":
		return cells(content, ",;\t")
	case ".tsv":
		return cells(content, "\t")
	}
	l := languageOf(name, content)
	if l == golang {
		return goNodes(content)
	}
	if len(content) <= parseFileBytes {
		p := newParsers()
		defer p.close()
		if cuts, ok := p.nodes(l, content); ok {
			return cuts
		}
	}
	return lexicalNodes(l, content)
}

// cells cuts at separators and at the ends of lines, but not in a cell that begins with a quote mark
// and ends with another one (RFC 4180).
func cells(content []byte, separators string) (cuts []int) {
	begin, quoted := true, false
	for i, c := range content {
		switch {
		case c == '"' && (begin || quoted): // two in a quoted cell stand for one of its text
			quoted = !quoted
		case !quoted && (strings.IndexByte(separators, c) >= 0 || c == '\r' || c == '\n'):
			cuts = append(cuts, i, i+1)
			begin = true
			continue
		}
		begin = false
	}
	return cuts
}

func goNodes(content []byte) (cuts []int) {
	var s goscanner.Scanner
	f := gotoken.NewFileSet().AddFile("", -1, len(content))
	s.Init(f, content, nil, goscanner.ScanComments)
	for {
		at, what, text := s.Scan()
		if what == gotoken.EOF {
			return cuts
		}
		if what == gotoken.SEMICOLON && text == "\n" {
			continue // it stands for the end of a line
		}
		if text == "" {
			text = what.String()
		}
		cuts = append(cuts, f.Offset(at), f.Offset(at)+len(text))
	}
}

// lexicalNodes cuts at the borders of the tokens of a scanner: strings and comments, words, numbers,
// and each other byte. Blanks do not go over the end of a line.
func lexicalNodes(l language, content []byte) (cuts []int) {
	s := lexical.NewScanner(content, syntaxOf(l).Rules, lexical.Names)
	for {
		kind, from, to := s.Next()
		if kind == lexical.None {
			return cuts
		}
		cuts = append(cuts, from)
		for i := from; i < to && kind == lexical.Space; i++ {
			if content[i] == '\n' {
				cuts = append(cuts, i, i+1)
			}
		}
	}
}
