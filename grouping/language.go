package grouping

import (
	"sync"

	"github.com/gitdd/gitdd/internal/lexical"
	parse "github.com/gitdd/gitdd/internal/syntax"
)

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

// A syntax is how a language is written, and what its names mean.
type syntax struct {
	*lexical.Rules
	family   string // names are shared within a family; "" = the language declares no names
	separate string // between a container's symbol and its member's
}

var syntaxes = sync.OnceValue(func() *[languages]syntax {
	unknown := lexical.NewRules(lexical.Rules{})
	return &[languages]syntax{
		plainText:  {unknown, "", ""},
		golang:     {lexical.RulesOf(".go"), "go", "."},
		goModule:   {lexical.RulesOf("go.mod"), "", ""},
		goSums:     {unknown, "", ""},
		cLanguage:  {lexical.RulesOf(".c"), "c", "."},
		cpp:        {lexical.RulesOf(".cpp"), "c", "::"},
		python:     {lexical.RulesOf(".py"), "python", "."},
		javascript: {lexical.RulesOf(".js"), "javascript", "."},
		typescript: {lexical.RulesOf(".ts"), "javascript", "."},
		tsx:        {lexical.RulesOf(".tsx"), "javascript", "."},
		java:       {lexical.RulesOf(".java"), "java", "."},
		rust:       {lexical.RulesOf(".rs"), "rust", "::"},
		ruby:       {lexical.RulesOf(".rb"), "ruby", "."},
		php:        {lexical.RulesOf(".php"), "php", "::"},
		csharp:     {lexical.RulesOf(".cs"), "csharp", "."},
		bash:       {lexical.RulesOf(".bash"), "bash", "."},
		makefile:   {lexical.RulesOf("makefile"), "", ""},
		css:        {lexical.RulesOf(".css"), "", " "},
		html:       {lexical.RulesOf(".html"), "", " "},
		jsonText:   {lexical.RulesOf(".json"), "", "."},
		yaml:       {lexical.RulesOf(".yaml"), "", "."},
		toml:       {lexical.RulesOf(".toml"), "", "."},
		xml:        {lexical.RulesOf(".xml"), "", " "},
	}
})

// declaresByType reports whether variables are declared with a type before the name.
func (s *syntax) declaresByType() bool {
	return s.family == "c" || s.family == "java" || s.family == "csharp"
}

func syntaxOf(l language) *syntax { return &syntaxes()[l] }
