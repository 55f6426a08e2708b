package reduce

import (
	"bytes"
	"strings"
)

// parseSQL cuts into statements, and these by brackets and commas.
func parseSQL(content []byte) (*Tree, error) { return parseBrackets(content, sqlDialect), nil }

var sqlBegins = wordSet("select insert create drop delete update alter pragma begin with explain values vacuum attach replace merge grant")

// looksSQL: the first word is one that begins a statement, and a semicolon ends
// one.
func looksSQL(name string, content []byte) bool {
	if content == nil {
		return extension(name, "sql", "ddl", "dml")
	}
	head := content[:min(len(content), 8<<10)]
	s := newScanner(head, sqlDialect)
	for {
		kind, from, to, ok := s.next()
		if !ok || kind != aComment && (kind != aWord || !sqlBegins[strings.ToLower(string(head[from:to]))]) {
			return false
		}
		if kind == aWord {
			break
		}
	}
	_, from, to, ok := s.next()
	if !ok || bytes.ContainsAny(head[from:to], "=:.{") {
		return false
	}
	return bytes.IndexByte(head, ';') > 0
}
