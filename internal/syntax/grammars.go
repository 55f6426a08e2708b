//go:build cgo

package syntax

import (
	"sync"
	"unsafe"

	treeSitterTOML "github.com/tree-sitter-grammars/tree-sitter-toml/bindings/go"
	treeSitterXML "github.com/tree-sitter-grammars/tree-sitter-xml/bindings/go"
	treeSitterYAML "github.com/tree-sitter-grammars/tree-sitter-yaml/bindings/go"
	ts "github.com/tree-sitter/go-tree-sitter"
	treeSitterBash "github.com/tree-sitter/tree-sitter-bash/bindings/go"
	treeSitterCSharp "github.com/tree-sitter/tree-sitter-c-sharp/bindings/go"
	treeSitterC "github.com/tree-sitter/tree-sitter-c/bindings/go"
	treeSitterCPP "github.com/tree-sitter/tree-sitter-cpp/bindings/go"
	treeSitterCSS "github.com/tree-sitter/tree-sitter-css/bindings/go"
	treeSitterGo "github.com/tree-sitter/tree-sitter-go/bindings/go"
	treeSitterHTML "github.com/tree-sitter/tree-sitter-html/bindings/go"
	treeSitterJava "github.com/tree-sitter/tree-sitter-java/bindings/go"
	treeSitterJavaScript "github.com/tree-sitter/tree-sitter-javascript/bindings/go"
	treeSitterJSON "github.com/tree-sitter/tree-sitter-json/bindings/go"
	treeSitterPHP "github.com/tree-sitter/tree-sitter-php/bindings/go"
	treeSitterPython "github.com/tree-sitter/tree-sitter-python/bindings/go"
	treeSitterRuby "github.com/tree-sitter/tree-sitter-ruby/bindings/go"
	treeSitterRust "github.com/tree-sitter/tree-sitter-rust/bindings/go"
	treeSitterTypeScript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"
)

// A grammar is a language's parser, loaded when it is first asked for.
type grammar struct {
	load     func() unsafe.Pointer
	once     sync.Once
	language *ts.Language
}

// Grammar returns the grammar of l for tree-sitter, or nil if there is none.
func Grammar(l Language) *ts.Language {
	if l >= Languages || grammars[l] == nil {
		return nil
	}
	g := grammars[l]
	g.once.Do(func() { g.language = ts.NewLanguage(g.load()) })
	return g.language
}

// Parses reports whether this build can parse l.
func Parses(l Language) bool { return l < Languages && grammars[l] != nil }

var grammars = [Languages]*grammar{
	Go:         {load: treeSitterGo.Language},
	C:          {load: treeSitterC.Language},
	CPP:        {load: treeSitterCPP.Language},
	Python:     {load: treeSitterPython.Language},
	JavaScript: {load: treeSitterJavaScript.Language},
	TypeScript: {load: treeSitterTypeScript.LanguageTypescript},
	TSX:        {load: treeSitterTypeScript.LanguageTSX},
	Java:       {load: treeSitterJava.Language},
	Rust:       {load: treeSitterRust.Language},
	Ruby:       {load: treeSitterRuby.Language},
	PHP:        {load: treeSitterPHP.LanguagePHP},
	CSharp:     {load: treeSitterCSharp.Language},
	Bash:       {load: treeSitterBash.Language},
	CSS:        {load: treeSitterCSS.Language},
	HTML:       {load: treeSitterHTML.Language},
	JSON:       {load: treeSitterJSON.Language},
	YAML:       {load: treeSitterYAML.Language},
	TOML:       {load: treeSitterTOML.Language},
	XML:        {load: treeSitterXML.LanguageXML},
}
