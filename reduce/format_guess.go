package reduce

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/lexical"
)

// guessFormat names the format of a file: by its name, else by its content.
func guessFormat(name string, content []byte) format {
	base := path.Base(name)
	all := append(languages(), ownFormats()...)
	for _, f := range all {
		if f.fits != nil && f.fits(base, nil) {
			return mustFormat(f.name)
		}
	}
	if looksBinary(content) {
		return mustFormat("bytes")
	}
	if f, err := namedFormat(shebang(content)); err == nil {
		return f
	}
	// The languages last: a text of another kind may be one of theirs by chance.
	for _, f := range append(ownFormats(), languages()...) {
		if f.fits != nil && len(content) > 0 && f.fits("", content) {
			return mustFormat(f.name)
		}
	}
	return mustFormat(plainFormat(name, content))
}

// mustFormat is kinds.must among gitdd's formats.
func mustFormat(name string) format { return kinds(nil).must(name) }

// interpreters are the programs of a first line, and their languages.
var interpreters = map[string]string{
	"sh": "bash", "bash": "bash", "dash": "bash", "ksh": "bash", "zsh": "bash", "bats": "bash",
	"python": "python", "node": "javascript", "nodejs": "javascript", "deno": "typescript", "bun": "typescript",
	"ruby": "ruby", "php": "php", "jq": "jq", "sbcl": "lisp", "guile": "lisp", "racket": "lisp", "emacs": "lisp",
}

// shebang names the language of a script by its first line, "" = none.
func shebang(content []byte) string {
	line := content[:lineEnd(content, 0)]
	if !bytes.HasPrefix(line, []byte("#!")) {
		return ""
	}
	fields := strings.Fields(string(line[2:]))
	for len(fields) > 0 {
		program := path.Base(fields[0])
		fields = fields[1:]
		if program == "env" || strings.HasPrefix(program, "-") || strings.Contains(program, "=") {
			continue
		}
		return interpreters[strings.TrimRight(program, "0123456789.")]
	}
	return ""
}

// plainFormat names the format for a text of which nothing else is known: brackets
// where they go over lines or the lines are few and long, else indentation, of
// which every text has some.
func plainFormat(name string, content []byte) string {
	if looksBinary(content) {
		return "bytes"
	}
	if l := lexical.RulesOf("x" + path.Ext(name)); l != nil {
		if l.Lisp || slices.Contains(l.Block, [2]string{"/*", "*/"}) {
			return "brackets"
		}
		return "indent"
	}
	head := content[:min(len(content), 64<<10)]
	lines, over, within := 0, 0, 0
	for at := 0; at < len(head); lines++ {
		end := lineEnd(head, at)
		line := bytes.TrimSpace(head[at:end])
		at = end
		if len(line) == 0 {
			continue
		}
		if strings.IndexByte("([{", line[len(line)-1]) >= 0 || strings.IndexByte(")]}", line[0]) >= 0 {
			over++
		}
		if bytes.ContainsAny(line, "([{") {
			within++
		}
	}
	if over > 1 && over*20 >= lines || within > 0 && len(head) > 200*lines {
		return "brackets"
	}
	return "indent"
}

// looksYAML: a document or a directive begins.
func looksYAML(content []byte) bool {
	first := bytes.TrimRight(content[:lineEnd(content, 0)], "\r\n")
	return bytes.HasPrefix(first, []byte("%YAML")) || bytes.Equal(first, []byte("---"))
}

func looksTOML(name string, content []byte) bool {
	return content == nil && (extension(name, "toml") || name == "Cargo.lock" || name == "Pipfile")
}

// looksLisp: brackets, and not of C, from the first byte to the last.
func looksLisp(content []byte) bool {
	s := newScanner(content[:min(len(content), 8<<10)], lexical.RulesOf(".lisp"))
	for {
		kind, from, _, ok := s.next()
		if !ok || kind != lexical.Comment && content[from] != '(' {
			return false
		}
		if kind != lexical.Comment {
			break
		}
	}
	kind, _, _, ok := s.next()
	return ok && (kind == lexical.Word || kind == lexical.Opener) && bytes.HasSuffix(bytes.TrimSpace(content), []byte(")"))
}
