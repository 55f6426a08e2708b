package grouping

import (
	"bytes"
	goscanner "go/scanner"
	gotoken "go/token"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/internal/lexical"
)

// goExtents finds the comments and the strings of Go. ok is false when content
// is not Go as the scanner knows it.
func goExtents(content []byte) (list []extent, ok bool) {
	var s goscanner.Scanner
	f := gotoken.NewFileSet().AddFile("", -1, len(content))
	ok = true
	s.Init(f, content, func(gotoken.Position, string) { ok = false }, goscanner.ScanComments)
	for {
		at, what, text := s.Scan()
		if what == gotoken.EOF {
			return list, ok
		}
		switch what {
		case gotoken.COMMENT, gotoken.STRING, gotoken.CHAR:
			from := f.Offset(at)
			to := from + len(text)
			if bytes.IndexByte(content[from:min(len(content), to+1)], '\r') >= 0 {
				to = goEnd(content, from, what) // the scanner leaves carriage returns out of its text
			}
			list = append(list, extent{from, to, what == gotoken.COMMENT})
		}
	}
}

// goEnd returns the end of the comment or string at from.
func goEnd(content []byte, from int, what gotoken.Token) int {
	end := "\n"
	if what == gotoken.STRING {
		end = string(content[from : from+1]) // a backquote: others hold no carriage return
	} else if bytes.HasPrefix(content[from:], []byte("/*")) {
		end = "*/"
	}
	at := bytes.Index(content[from+1:], []byte(end))
	switch {
	case at < 0:
		return len(content)
	case end == "\n":
		return from + 1 + at
	}
	return from + 1 + at + len(end)
}

// lexicalExtents finds comments and strings without a grammar. ok is false
// where that cannot be trusted.
func lexicalExtents(name string, l language, content []byte) (list []extent, ok bool) {
	has := func(marks ...string) bool {
		for _, m := range marks {
			if bytes.Contains(content, []byte(m)) {
				return true
			}
		}
		return false
	}
	switch l {
	case cLanguage, java, csharp, css, javascript, typescript, python, toml, xml:
	case cpp:
		if has(`R"`) {
			return nil, false
		}
	case rust:
		if has(`r#"`, `r"`, "/*") { // comments nest
			return nil, false
		}
	case yaml:
		if blockScalar().Match(content) {
			return nil, false
		}
	case bash, ruby:
		if has("<<", "=begin", "__END__") {
			return nil, false
		}
		return wholeLines(content, true), true
	case makefile:
		if strings.HasSuffix(name, ".build") || has("#[[", "#[=", "\ndefine ") {
			return nil, false
		}
		quoted := strings.HasSuffix(name, ".cmake") || strings.HasSuffix(name, "CMakeLists.txt")
		return wholeLines(content, quoted), true
	default:
		return nil, false
	}
	s := lexical.NewScanner(content, syntaxOf(l).Rules, lexical.Names)
	for {
		switch kind, from, to := s.Next(); kind {
		case lexical.None:
			return list, true
		case lexical.Comment, lexical.String:
			list = append(list, extent{from, to, kind == lexical.Comment})
		}
	}
}

var blockScalar = lazyregexp.New(`(?m)[|>][0-9+-]*[ \t]*(#.*)?$`)

// wholeLines finds the comments that are lines of their own: from "#" at the
// left margin (and from any blanks before it, where strings are quoted), outside
// of a string that spans lines, not behind a line that goes on. All else counts
// to the byte, with its line.
func wholeLines(content []byte, quoted bool) (list []extent) {
	var open byte
	continues := false
	at := 0
	for line := range bytes.Lines(content) {
		from := at
		at += len(line)
		end := from + len(bytes.TrimRight(line, "\r\n"))
		body := bytes.TrimLeft(line, " \t")
		if !quoted {
			body = line
		}
		if open == 0 && !continues && len(body) > 0 && body[0] == '#' && !bytes.HasSuffix(content[from:end], []byte{'\\'}) {
			list = append(list, extent{from + len(line) - len(body), end, true})
			continue
		}
		if open != 0 || continues { // an empty line counts, too
			list = append(list, extent{from: from, to: at})
		} else if len(bytes.TrimSpace(line)) > 0 {
			list = append(list, extent{from: from, to: end})
		}
		continues = bytes.HasSuffix(content[from:end], []byte{'\\'})
		if quoted {
			open = quoteAfter(line, open)
		}
	}
	return list
}

// quoteAfter returns the quote that is open behind a line, if open was before.
func quoteAfter(line []byte, open byte) byte {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && open != '\'':
			i++
		case open == 0 && (c == '"' || c == '\''):
			open = c
		case open != 0 && c == open:
			open = 0
		case open == 0 && c == '#' && (i == 0 || isBlank(line[i-1])):
			return 0 // the rest is a comment
		}
	}
	return open
}
