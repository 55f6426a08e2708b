package grouping

import (
	"bytes"
	"path"
	"strings"
)

// A language selects how a file is read: which grammar, which comments and
// strings, and with which other languages it shares its names.
type language uint8

const (
	plainText language = iota
	golang
	goModule
	goSums
	cLanguage
	cpp
	python
	javascript
	typescript
	tsx
	java
	rust
	ruby
	php
	csharp
	bash
	makefile
	css
	html
	jsonText
	yaml
	toml
	xml
	languages // how many there are
)

// A syntax is what a scanner needs to know of a language to tell the
// identifiers in its code from the words in its comments and strings.
type syntax struct {
	family   string      // names are shared within a family; "" = the language declares no names
	line     []string    // what starts a comment that ends with its line
	block    [][2]string // what starts and ends a longer comment
	quotes   string      // string delimiters that end at the line's end at the latest
	long     string      // string delimiters that may span lines
	triple   bool        // a quote may be tripled, and then span lines
	template bool        // `...${code}...`
	regex    bool        // /.../ where an operand may start
	lifetime bool        // 'a is a name, 'a' is a character
	expands  bool        // code inside "..." ($name)
	separate string      // between a container's symbol and its member's
}

var (
	slashes = []string{"//"}
	hashes  = []string{"#"}
	stars   = [][2]string{{"/*", "*/"}}
)

var syntaxes = [languages]syntax{
	plainText:  {quotes: ""},
	golang:     {family: "go", line: slashes, block: stars, quotes: `"'`, long: "`", separate: "."},
	goModule:   {line: slashes},
	goSums:     {},
	cLanguage:  {family: "c", line: slashes, block: stars, quotes: `"'`, separate: "."},
	cpp:        {family: "c", line: slashes, block: stars, quotes: `"'`, separate: "::"},
	python:     {family: "python", line: hashes, quotes: `"'`, triple: true, separate: "."},
	javascript: {family: "javascript", line: slashes, block: stars, quotes: `"'`, template: true, regex: true, separate: "."},
	typescript: {family: "javascript", line: slashes, block: stars, quotes: `"'`, template: true, regex: true, separate: "."},
	tsx:        {family: "javascript", line: slashes, block: stars, quotes: `"'`, template: true, regex: true, separate: "."},
	java:       {family: "java", line: slashes, block: stars, quotes: `"'`, triple: true, separate: "."},
	rust:       {family: "rust", line: slashes, block: stars, long: `"`, lifetime: true, separate: "::"},
	ruby:       {family: "ruby", line: hashes, block: [][2]string{{"\n=begin", "\n=end"}}, long: `"'`, separate: "."},
	php:        {family: "php", line: []string{"//", "#"}, block: stars, long: `"'`, separate: "::"},
	csharp:     {family: "csharp", line: slashes, block: stars, quotes: `"'`, triple: true, separate: "."},
	bash:       {family: "bash", line: hashes, long: `'`, expands: true, separate: "."},
	makefile:   {line: hashes},
	css:        {block: stars, quotes: `"'`, separate: " "},
	html:       {block: [][2]string{{"<!--", "-->"}}, separate: " "},
	jsonText:   {quotes: `"`, separate: "."},
	yaml:       {line: hashes, quotes: `"'`, separate: "."},
	toml:       {line: hashes, quotes: `"'`, triple: true, separate: "."},
	xml:        {block: [][2]string{{"<!--", "-->"}}, separate: " "},
}

func (l language) syntax() *syntax { return &syntaxes[l] }

var byExtension = map[string]language{
	".go": golang,
	".c":  cLanguage, ".h": cLanguage,
	".cc": cpp, ".cpp": cpp, ".cxx": cpp, ".c++": cpp, ".hh": cpp, ".hpp": cpp, ".hxx": cpp, ".inl": cpp, ".cu": cpp,
	".py": python, ".pyi": python, ".pyw": python, ".bzl": python,
	".js": javascript, ".mjs": javascript, ".cjs": javascript, ".jsx": javascript,
	".ts": typescript, ".mts": typescript, ".cts": typescript, ".tsx": tsx,
	".java": java, ".rs": rust,
	".rb": ruby, ".rake": ruby, ".gemspec": ruby,
	".php": php, ".phtml": php, ".cs": csharp,
	".sh": bash, ".bash": bash, ".ksh": bash, ".zsh": bash, ".bats": bash,
	".mk": makefile, ".cmake": makefile, ".am": makefile,
	".css": css, ".scss": css, ".html": html, ".htm": html, ".xhtml": html,
	".json": jsonText, ".jsonc": jsonText, ".yaml": yaml, ".yml": yaml, ".toml": toml,
	".xml": xml, ".xsd": xml, ".xsl": xml, ".xslt": xml, ".svg": xml, ".plist": xml, ".csproj": xml,
}

var byName = map[string]language{
	"go.mod": goModule, "go.sum": goSums,
	"Makefile": makefile, "makefile": makefile, "GNUmakefile": makefile, "Kbuild": makefile,
	"CMakeLists.txt": makefile, "meson.build": makefile,
	"Rakefile": ruby, "Gemfile": ruby, "BUILD": python, "BUILD.bazel": python, "WORKSPACE": python,
	"SConstruct": python, "SConscript": python,
	"Cargo.lock": toml, "Pipfile": toml, "pom.xml": xml,
}

var byInterpreter = map[string]language{
	"sh": bash, "bash": bash, "dash": bash, "ksh": bash, "zsh": bash,
	"python": python, "python2": python, "python3": python,
	"ruby": ruby, "node": javascript, "php": php,
}

// languageOf goes by the file's name, then by its "#!" line. A header is C++
// when it says so, because the two share the extension.
func languageOf(name string, content []byte) language {
	base := path.Base(name)
	if l, ok := byName[base]; ok {
		return l
	}
	if l, ok := byExtension[strings.ToLower(path.Ext(base))]; ok {
		if l == cLanguage && path.Ext(base) == ".h" && looksLikeCPP(content) {
			return cpp
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
	return plainText
}

func looksLikeCPP(content []byte) bool {
	for _, mark := range []string{"\nclass ", "\nnamespace ", "\ntemplate <", "\ntemplate<", "\npublic:", " public:", "\nusing ", "\nprivate:"} {
		if bytes.Contains(content, []byte(mark)) {
			return true
		}
	}
	return false
}
