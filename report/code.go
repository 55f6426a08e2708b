package report

import (
	"strings"

	"github.com/gitdd/gitdd/internal/lexical"
)

// A token is a run of one class: "k" keyword, "s" string, "c" comment, "n" number,
// "f" the name of what is called or declared, "" anything else.
type token struct {
	class string
	text  string
}

// tokens cuts each of these lines, which follow each other, into its tokens by the rules
// of their language. Their texts make up the line. Where the lines begin within a comment or a string of
// several lines, it does not know: the class may be wrong, the text never is.
// Its cost is linear in the lines, whatever they hold: files come from anybody.
//
// The lexers of the chroma library know ten times as many languages, and know them better;
// but their tables are read whenever a program starts that has them. That takes 3 ms of
// each start of gitdd and of each supervisor, and 4 MB, for a page that is seldom written.
func tokens(l *lexical.Rules, lines []string) [][]token {
	text := strings.Join(lines, "\n")
	cut := make([][]token, len(lines))
	line, begin := 0, 0 // the line of the last token, and where that begins
	s := lexical.NewScanner([]byte(text), l, lexical.Fragment)
	for kind, from, to := s.Next(); kind != lexical.None; kind, from, to = s.Next() {
		class := ""
		switch word := text[from:to]; kind {
		case lexical.Comment:
			class = "c"
		case lexical.String:
			class = "s"
		case lexical.Number:
			class = "n"
		case lexical.Word:
			switch {
			case l.IsKeyword(word):
				class = "k"
			case to < len(text) && text[to] == '(':
				class = "f"
			}
		}
		for at := from; ; line, at = line+1, at+1 {
			end := to
			if i := strings.IndexByte(text[at:to], '\n'); i >= 0 {
				end = at + i
			}
			switch n := len(cut[line]); {
			case at == end:
			case n > 0 && cut[line][n-1].class == class:
				cut[line][n-1].text = text[begin:end]
			default:
				begin = at
				cut[line] = append(cut[line], token{class, text[at:end]})
			}
			if at = end; at == to {
				break
			}
		}
	}
	return cut
}
