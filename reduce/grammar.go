package reduce

import (
	"bytes"

	"github.com/gitdd/gitdd/internal/syntax"
)

// languages lists the formats that are read with a grammar: all that this build
// can parse. A text that the grammar does not take is read as without one where
// there is a format for that, which may say better what is wrong with it.
func languages() []format {
	var list []format
	for _, l := range grammars {
		if !syntax.Parses(l.language) {
			continue
		}
		f := format{
			name: l.name, about: l.about,
			fits:  func(name string, content []byte) bool { return fitsLanguage(l.language, name, content) },
			parse: func(content []byte) (*Tree, error) { return parseLanguage(l.language, content) },
		}
		for _, own := range ownFormats() {
			if own.name != l.name || own.parse == nil {
				continue
			}
			f.fits = func(name string, content []byte) bool {
				return own.fits(name, content) || name != "" && syntax.Of(name, nil) == l.language
			}
			f.parse = func(content []byte) (*Tree, error) {
				t, err := parseLanguage(l.language, content)
				if err != nil {
					return own.parse(content)
				}
				return t, nil
			}
		}
		list = append(list, f)
	}
	return list
}

var grammars = []struct {
	language    syntax.Language
	name, about string
}{
	{syntax.JSON, "json", "JSON"},
	{syntax.XML, "xml", "XML"},
	{syntax.YAML, "yaml", "YAML"},
	{syntax.TOML, "toml", "TOML"},
	{syntax.C, "c", "C"},
	{syntax.CPP, "cpp", "C++"},
	{syntax.Go, "go", "Go"},
	{syntax.Python, "python", "Python"},
	{syntax.JavaScript, "javascript", "JavaScript"},
	{syntax.TypeScript, "typescript", "TypeScript"},
	{syntax.TSX, "tsx", "TypeScript with JSX"},
	{syntax.Java, "java", "Java"},
	{syntax.Rust, "rust", "Rust"},
	{syntax.Ruby, "ruby", "Ruby"},
	{syntax.PHP, "php", "PHP"},
	{syntax.CSharp, "csharp", "C#"},
	{syntax.Bash, "bash", "shell scripts"},
	{syntax.CSS, "css", "CSS"},
	{syntax.HTML, "html", "HTML"},
}

// fitsLanguage goes by the name if there is one, else by the first bytes.
func fitsLanguage(l syntax.Language, name string, content []byte) bool {
	if name != "" {
		return syntax.Of(name, nil) == l
	}
	if l == syntax.PHP && bytes.HasPrefix(content, []byte("<?php")) {
		return true
	}
	return syntax.Of("", content) == l
}

// A text that could not be read in more than one part of maxUnread is not of
// the language.
const maxUnread = 25

// parseLanguage cuts a text by the grammar of a language. The cost is linear.
func parseLanguage(l syntax.Language, content []byte) (*Tree, error) {
	tree, err := syntax.Parse(l, content)
	if err != nil {
		return nil, err
	}
	if unread, _ := tree.Faults(); l == syntax.C && unread > 0 { // a header may be of C++
		other, err := syntax.Parse(syntax.CPP, content)
		if err != nil {
			return nil, err
		}
		if fewer, _ := other.Faults(); fewer < unread {
			tree = other
		}
	}
	if unread, _ := tree.Faults(); tree.Nodes[0].Error || unread*maxUnread > len(content) {
		for _, n := range tree.Nodes {
			if n.Error && n.Parent >= 0 || n.Missing || n.Error && len(tree.Nodes) == 1 {
				return nil, notParsed(content, int(n.From), "this is not what may stand here")
			}
		}
		return nil, notParsed(content, int(tree.Nodes[0].From), "this is not what may stand here")
	}
	g := grower{tree: tree, source: content, matcher: syntax.NewMatcher(tree)}
	return &Tree{Source: content, Root: g.grow()}, nil
}
