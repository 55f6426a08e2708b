package reduce

import (
	"bytes"
	"strings"

	"github.com/gitdd/gitdd/internal/lexical"
)

// parseSQL cuts into statements, and these by brackets and commas.
func parseSQL(content []byte) (*Tree, error) {
	return parseBrackets(content, lexical.RulesOf(".sql")), nil
}

var sqlBegins = wordSet("select insert create drop delete update alter pragma begin with explain values vacuum attach replace merge grant")

// looksSQL: the first word is one that begins a statement, and a semicolon ends
// one.
func looksSQL(content []byte) bool {
	head := content[:min(len(content), 8<<10)]
	s := newScanner(head, lexical.RulesOf(".sql"))
	for {
		kind, from, to, ok := s.next()
		if !ok || kind != lexical.Comment && (kind != lexical.Word || !sqlBegins[strings.ToLower(string(head[from:to]))]) {
			return false
		}
		if kind == lexical.Word {
			break
		}
	}
	_, from, to, ok := s.next()
	if !ok || bytes.ContainsAny(head[from:to], "=:.{") {
		return false
	}
	return bytes.IndexByte(head, ';') > 0
}
