package syntax

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// A Language selects how a file is read: which grammar, which comments and
// strings, and with which other languages it shares its names.
type Language uint8

const (
	Plain Language = iota
	Go
	GoModule
	GoSums
	C
	CPP
	Python
	JavaScript
	TypeScript
	TSX
	Java
	Rust
	Ruby
	PHP
	CSharp
	Bash
	Makefile
	CSS
	HTML
	JSON
	YAML
	TOML
	XML
	Languages // how many there are
)

var byExtension = map[string]Language{
	".go": Go,
	".c":  C, ".h": C,
	".cc": CPP, ".cpp": CPP, ".cxx": CPP, ".c++": CPP, ".hh": CPP, ".hpp": CPP, ".hxx": CPP, ".inl": CPP, ".cu": CPP,
	".py": Python, ".pyi": Python, ".pyw": Python, ".bzl": Python,
	".js": JavaScript, ".mjs": JavaScript, ".cjs": JavaScript, ".jsx": JavaScript,
	".ts": TypeScript, ".mts": TypeScript, ".cts": TypeScript, ".tsx": TSX,
	".java": Java, ".rs": Rust,
	".rb": Ruby, ".rake": Ruby, ".gemspec": Ruby,
	".php": PHP, ".phtml": PHP, ".cs": CSharp,
	".sh": Bash, ".bash": Bash, ".ksh": Bash, ".zsh": Bash, ".bats": Bash,
	".mk": Makefile, ".cmake": Makefile, ".am": Makefile,
	".css": CSS, ".scss": CSS, ".html": HTML, ".htm": HTML, ".xhtml": HTML,
	".json": JSON, ".jsonc": JSON, ".yaml": YAML, ".yml": YAML, ".toml": TOML,
	".xml": XML, ".xsd": XML, ".xsl": XML, ".xslt": XML, ".svg": XML, ".plist": XML, ".csproj": XML,
}

var byName = map[string]Language{
	"go.mod": GoModule, "go.sum": GoSums,
	"Makefile": Makefile, "makefile": Makefile, "GNUmakefile": Makefile, "Kbuild": Makefile,
	"CMakeLists.txt": Makefile, "meson.build": Makefile,
	"Rakefile": Ruby, "Gemfile": Ruby, "BUILD": Python, "BUILD.bazel": Python, "WORKSPACE": Python,
	"SConstruct": Python, "SConscript": Python,
	"Cargo.lock": TOML, "Pipfile": TOML, "pom.xml": XML,
}

var byInterpreter = map[string]Language{
	"sh": Bash, "bash": Bash, "dash": Bash, "ksh": Bash, "zsh": Bash,
	"python": Python, "python2": Python, "python3": Python,
	"ruby": Ruby, "node": JavaScript, "php": PHP,
}

// Of returns the language of a file. It goes by the file's name, then by its "#!" line. A header is C++
// when it says so, because the two share the extension.
func Of(name string, content []byte) Language {
	base := path.Base(name)
	if l, ok := byName[base]; ok {
		return l
	}
	if l, ok := byExtension[strings.ToLower(path.Ext(base))]; ok {
		if l == C && path.Ext(base) == ".h" && looksLikeCPP(content) {
			return CPP
		}
		return l
	}
	first, _, _ := bytes.Cut(content[:min(len(content), 256)], []byte("\n"))
	if command, ok := bytes.CutPrefix(first, []byte("#!")); ok {
		for _, word := range strings.Fields(string(command)) {
			if l, ok := byInterpreter[path.Base(word)]; ok {
				return l
			}
		}
	}
	return Plain
}

func looksLikeCPP(content []byte) bool {
	for _, mark := range []string{"\nclass ", "\nnamespace ", "\ntemplate <", "\ntemplate<", "\npublic:", " public:", "\nusing ", "\nprivate:"} {
		if bytes.Contains(content, []byte(mark)) {
			return true
		}
	}
	return false
}

// OfExtension returns the language of the files with an extension (".go"),
// Plain if it is of none.
func OfExtension(ext string) Language { return byExtension[ext] }

// Extensions lists the extensions of a language, sorted.
func Extensions(l Language) (list []string) {
	for ext, of := range byExtension {
		if of == l {
			list = append(list, ext)
		}
	}
	slices.Sort(list)
	return list
}
