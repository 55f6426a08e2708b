package grouping

import parse "github.com/gitdd/gitdd/internal/syntax"

// A language selects how a file is read.
type language = parse.Language

const (
	plainText  = parse.Plain
	golang     = parse.Go
	goModule   = parse.GoModule
	goSums     = parse.GoSums
	cLanguage  = parse.C
	cpp        = parse.CPP
	python     = parse.Python
	javascript = parse.JavaScript
	typescript = parse.TypeScript
	tsx        = parse.TSX
	java       = parse.Java
	rust       = parse.Rust
	ruby       = parse.Ruby
	php        = parse.PHP
	csharp     = parse.CSharp
	bash       = parse.Bash
	makefile   = parse.Makefile
	css        = parse.CSS
	html       = parse.HTML
	jsonText   = parse.JSON
	yaml       = parse.YAML
	toml       = parse.TOML
	xml        = parse.XML
	languages  = parse.Languages
)

// languageOf goes by the name of a file, and its first bytes.
func languageOf(name string, content []byte) language { return parse.Of(name, content) }

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

func syntaxOf(l language) *syntax { return &syntaxes[l] }
