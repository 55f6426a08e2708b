package reduce

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gitdd/gitdd/internal/lexical"
)

// A format cuts texts of one kind into a tree. Every byte of the text is within
// the root; bytes that are not UTF-8, CR, NUL and a missing last newline are
// bytes like any other. A parser that meets what is not of its kind returns an
// error that says where (notParsed), and the next format in line is tried.
type format struct {
	name  string
	about string // a few words for the help
	// fits guesses. It is asked for the file name alone (content nil), and if no
	// format knows the name for the content alone (name ""). nil = only when named.
	fits  func(name string, content []byte) bool
	parse func(content []byte) (*Tree, error)
	speak func(content []byte, l *lexical.Rules) *Tree // instead of parse, where the language matters
	graph func(content []byte) (*digraph, error)       // before parse, which is for what wants a tree; nil = it is none of graphs
}

// BTOR is the name of the one format of graphs, see [graph.Graph].
const BTOR = "btor"

// A Format is a kind of text whose structure is known. It is a format of gitdd, see
// Formats, or one of the caller's, in Options.Formats.
type Format struct {
	Name  string // a format of the caller's must not have the name of one of gitdd's
	About string // a few words

	// Fits reports whether the file with this name (the last element of its path) and
	// content has this format. nil = only if Options.Format names the format.
	Fits func(name string, content []byte) bool

	// Parse cuts a content, which it must not change, into a tree. The root is the whole
	// content, and the children of a node lie within the node, in order. If the content does
	// not have this format, the error says in words where ("line 3: ..."); the file then gets
	// a format that accepts any text. Parse is called often, for what is left of a file.
	// Several goroutines may call it at once, and it must return the same tree for the same
	// content.
	Parse func(content []byte) (*Tree, error)
}

// Formats returns the formats whose names Options.Format may be. Those that know most
// about the structure of a text come first. A format of the caller's may use their Parse.
func Formats() []Format {
	var list []Format
	for _, f := range formats() {
		public := Format{Name: f.name, About: f.about, Parse: func(content []byte) (*Tree, error) { return f.cut("", content) }}
		if f.fits != nil {
			public.Fits = func(name string, content []byte) bool {
				return f.fits(path.Base(name), nil) || len(content) > 0 && f.fits("", content)
			}
		}
		list = append(list, public)
	}
	return list
}

// formats lists the formats in the order in which they guess. A language with a
// grammar replaces the fallback of its name.
func formats() []format {
	all := slices.Clone(languages())
	for _, f := range ownFormats() {
		if !slices.ContainsFunc(all, func(g format) bool { return g.name == f.name }) {
			all = append(all, f)
		}
	}
	return all
}

// ownFormats lists the formats that need no grammar, in the order in which they
// guess from a content: those with a structure, then those for any text, which
// never fail, each blinder than the one before.
func ownFormats() []format {
	return []format{
		{name: "patch", about: "commits, files, hunks and lines of unified diffs and mailboxes", fits: looksPatch, parse: parsePatch},
		{name: "html", about: "elements, attributes and words", fits: byName(looksHTML, "html", "htm"), parse: parseHTML},
		{name: "xml", about: "elements, attributes and words", fits: byName(looksXML, "xml", "xsd", "xsl", "xslt", "svg", "xhtml", "rss", "atom", "plist", "wsdl", "csproj", "xaml", "kml", "gpx", "dtd"), parse: parseXML},
		{name: "json", about: "objects, arrays and values; several values, too", fits: byName(looksJSON, "json", "geojson", "ipynb", "jsonl", "ndjson", "webmanifest", "har", "map"), parse: parseJSON},
		{name: "yaml", about: "blocks by indentation", fits: byName(looksYAML, "yaml", "yml"), parse: parseYAML},
		{name: "toml", about: "tables and keys", fits: looksTOML, parse: parseTOML},
		{name: BTOR, about: "nodes of BTOR, bit-vector logic with arrays", fits: byName(looksBTOR, "btor"), parse: parseLines, graph: readBTOR},
		{name: "smtlib", about: "commands and terms of SMT-LIB", fits: byName(looksSMT, "smt", "smt2", "sy"), parse: parseSMT},
		{name: "lisp", about: "s-expressions", fits: byName(looksLisp, "lisp", "lsp", "el", "scm", "ss", "rkt", "clj", "cljs", "edn", "sexp", "fnl", "wat", "wast", "kicad_pcb"), parse: parseLisp},
		{name: "sql", about: "statements", fits: byName(looksSQL, "sql", "ddl", "dml"), parse: parseSQL},
		{name: "ini", about: "sections and keys of INI, properties and .env files", fits: byName(looksINI, "ini", "properties", "env", "cfg", "conf", "desktop", "service", "editorconfig", "gitconfig"), parse: parseINI},
		{name: "csv", about: "rows, columns and cells", fits: byName(looksCSV, "csv"), parse: parseCSV},
		{name: "tsv", about: "the same, separated by tabs", fits: byName(nil, "tsv", "tab"), parse: parseTSV},
		{name: "brackets", about: "text with brackets", speak: parseBrackets},
		{name: "indent", about: "blocks by indentation, lines and words", speak: parseIndent},
		{name: "lines", about: "lines", parse: parseLines},
		{name: "tokens", about: "words, numbers, strings and operators", speak: parseTokens},
		{name: "bytes", about: "bytes", parse: parseBytes},
	}
}

// byName knows a file by the extension of its name, without the dot, and a content by looks; nil = by nothing.
func byName(looks func(content []byte) bool, extensions ...string) func(name string, content []byte) bool {
	return func(name string, content []byte) bool {
		if content == nil {
			return extension(name, extensions...)
		}
		return looks != nil && looks(content)
	}
}

// cut makes the tree. The name of the file tells its language.
func (f format) cut(name string, content []byte) (*Tree, error) {
	if f.speak != nil {
		return f.speak(content, rulesOf(name, content)), nil
	}
	return f.parse(content)
}

// A kinds is the formats that a reduction knows: the caller's, which guess first,
// and behind them gitdd's.
type kinds []format

// newKinds takes up formats of the caller's. The error says what is wrong with them.
func newKinds(custom []Format) (kinds, error) {
	var k kinds
	for _, f := range custom {
		if f.Name == "" || f.Parse == nil {
			return nil, fmt.Errorf("format %q of Options.Formats: it needs a name and a function to parse with", f.Name)
		}
		if _, err := k.named(f.Name); err == nil {
			return nil, fmt.Errorf("format %q of Options.Formats: there is one of this name already", f.Name)
		}
		k = append(k, format{name: f.Name, about: cmp.Or(f.About, f.Name), fits: f.Fits, parse: func(content []byte) (*Tree, error) {
			t, err := f.Parse(content)
			if err == nil {
				err = t.check(content)
			}
			return t, err
		}})
	}
	return k, nil
}

// named returns the format of a name, and an error that lists the names there are
// for another name.
func (k kinds) named(name string) (format, error) {
	var names []string
	for _, f := range append(slices.Clone(k), formats()...) {
		if f.name == name {
			return f, nil
		}
		names = append(names, f.name)
	}
	return format{}, fmt.Errorf("there is no format %q; there are %s", name, strings.Join(names, ", "))
}

// must returns the format of a name that there is.
func (k kinds) must(name string) format {
	f, err := k.named(name)
	if err != nil {
		panic(err)
	}
	return f
}

// guess returns the format of a file: by its name, else by its content.
func (k kinds) guess(name string, content []byte) format {
	for _, f := range k {
		if f.fits != nil && f.fits(path.Base(name), content) {
			return f
		}
	}
	return guessFormat(name, content)
}

// namedFormat is kinds.named among gitdd's formats.
func namedFormat(name string) (format, error) { return kinds(nil).named(name) }

// A parsed text is a tree or a graph.
type parsed struct {
	tree   *Tree
	graph  *digraph
	format string   // what it was taken for
	notes  []string // sentences for the user: why that is not what it was to be taken for
}

// parse reads the content of a file as its format says. want is the format to
// take it for, "" = guessed. What does not parse is taken for one of the formats
// that take any text; the notes say so. An error is a format that does not exist.
func (k kinds) parse(name string, content []byte, want string) (parsed, error) {
	var f format
	if want == "" {
		f = k.guess(name, content)
	} else {
		var err error
		if f, err = k.named(want); err != nil {
			return parsed{}, err
		}
	}
	var p parsed
	var err error
	p.format = f.name
	if f.graph != nil {
		if p.graph, err = f.graph(content); err == nil {
			for _, note := range p.graph.notes {
				p.notes = append(p.notes, path.Base(name)+", "+note)
			}
			return p, nil
		}
	} else if p.tree, err = f.cut(name, content); err == nil {
		return p, nil
	}
	plain, _ := namedFormat("lines")
	if f.graph == nil {
		plain, _ = namedFormat(plainFormat(name, content))
	}
	p.notes = []string{fmt.Sprintf("%s does not parse as %s (%v): taken as %s", path.Base(name), f.name, err, plain.about)}
	p.format = plain.name
	p.tree, err = plain.cut(name, content)
	return p, err
}

// parseText cuts the content of a file into a tree, one of a graph into lines.
// Otherwise it is parse.
func (k kinds) parseText(name string, content []byte, want string) (t *Tree, took string, notes []string, err error) {
	p, err := k.parse(name, content, want)
	if err == nil && p.graph != nil {
		p.tree, err = parseLines(content)
	}
	return p.tree, p.format, p.notes, err
}

// GuessFormat returns the name of the format that a file with this name and content
// gets if Options.Format is empty, provided that it can be parsed as that format.
func GuessFormat(name string, content []byte) string { return guessFormat(name, content).name }

// notParsed is the error of a parser at an offset: "line 3, column 7: what was
// seen". Lines and columns count from 1, columns in characters.
func notParsed(content []byte, offset int, seen string, args ...any) error {
	offset = min(max(offset, 0), len(content))
	before := content[:offset]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Errorf("line %d, column %d: %s", line, column, fmt.Sprintf(seen, args...))
}

// extension reports whether a file name ends with a dot and one of the words.
func extension(name string, words ...string) bool {
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	return ext != "" && slices.Contains(words, ext)
}
