package report

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// A language says as much of a programming language as it takes to colour it. The
// lexers of the chroma library know ten times as many, and better; but their tables
// are read whenever a program starts that has them, which is 3 ms for each trial
// (its supervisor is gitdd, too) and 4 MB, for a page that is seldom written.
type language struct {
	line     []string    // what comments to the end of the line begin with
	block    [][2]string // what other comments lie between
	quotes   string      // characters that strings lie between, ended by the line's end
	long     []string    // what strings over several lines begin and end with
	keywords map[string]bool
	folded   bool   // keywords are of any case
	word     string // what names have beside letters, digits and _
	raw      bool   // a backslash in a string is a backslash
}

// A token is a run of one class: "k" keyword, "s" string, "c" comment, "n" number,
// "f" the name of what is called or declared, "" anything else.
type token struct {
	class string
	text  string
}

const (
	curly  = "break case continue default do else enum for goto if return static struct switch void while const extern sizeof true false "
	object = "abstract as async await boolean byte catch char class double extends final finally float from function implements import in instanceof int interface internal is let long namespace new null operator override package private protected public sealed short super synchronized this throw throws transient try type typeof using var virtual volatile with yield "
)

func words2set(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// languages are by their extensions and names of files, all lower case.
var languages = sync.OnceValue(func() map[string]*language {
	slashes, stars := []string{"//"}, [][2]string{{"/*", "*/"}}
	hash := []string{"#"}
	by := map[string]*language{}
	add := func(names string, l language, keywords string) {
		l.keywords = words2set(keywords)
		for _, n := range strings.Fields(names) {
			by[n] = &l
		}
	}
	add(".go go.mod go.work", language{line: slashes, block: stars, quotes: `"'`, long: []string{"`"}},
		"break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false iota module require replace exclude toolchain any bool byte error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr")
	add(".c .h .cc .cpp .cxx .hh .hpp .hxx .ino .m .mm .cu .glsl", language{line: slashes, block: stars, quotes: `"'`},
		curly+"auto bool char class concept constexpr consteval decltype delete double explicit export float friend inline int long mutable namespace new noexcept nullptr operator override private protected public register restrict short signed static_assert template this throw try catch typedef typename union unsigned using virtual volatile #include #define #undef #if #ifdef #ifndef #else #elif #endif #pragma #error NULL")
	add(".java .kt .kts .scala .groovy .gradle .dart", language{line: slashes, block: stars, quotes: `"'`, long: []string{`"""`}},
		curly+object+"assert by companion data def fun init inner lateinit lazy match native object of open record required sealed strictfp suspend trait val when where")
	add(".cs", language{line: slashes, block: stars, quotes: `"'`}, curly+object+"base bool checked decimal delegate event explicit fixed foreach get implicit lock nameof object out params partial readonly record ref sbyte set stackalloc string uint ulong unchecked unsafe ushort value where when")
	add(".js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte", language{line: slashes, block: stars, quotes: `"'`, long: []string{"`"}, word: "$"},
		curly+object+"any constructor debugger declare delete export get keyof never number of readonly require satisfies set string symbol undefined unknown")
	add(".rs", language{line: slashes, block: stars, quotes: `"`},
		"as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type union unsafe use where while bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize")
	add(".swift .zig .v .sv", language{line: slashes, block: stars, quotes: `"`, long: []string{`"""`}},
		curly+"associatedtype class defer deinit extension fallthrough fileprivate fn func guard import in init inout internal is lazy let mutating nil open operator private protocol public pub rethrows self some subscript super throw throws try typealias var weak where comptime errdefer orelse test undefined unreachable module input output wire reg logic always always_ff always_comb begin end assign posedge negedge")
	add(".php", language{line: []string{"//", "#"}, block: stars, quotes: `"'`, word: "$"}, curly+object+"array declare die echo elseif empty endif endforeach endfor endwhile exit fn foreach global include include_once isset list match mixed parent print readonly require require_once self string trait unset use")
	add(".css .scss .sass .less", language{block: stars, quotes: `"'`, word: "-@"}, "@media @import @font-face @keyframes @supports @include @mixin @use @charset !important")
	add(".proto .thrift", language{line: slashes, block: stars, quotes: `"'`}, "bool bytes double enum extend extensions false fixed32 fixed64 float group import int32 int64 map message oneof option optional package public repeated required reserved returns rpc service sint32 sint64 stream string syntax to true uint32 uint64 struct const list set void throws i32 i64")
	add(".py .pyi .pyx .bzl .star build build.bazel workspace sconstruct wscript", language{line: hash, quotes: `"'`, long: []string{`"""`, `'''`}, word: "@"},
		"False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield load")
	add(".rb .rake .gemspec gemfile rakefile vagrantfile podfile", language{line: hash, quotes: "\"'`", word: "@?!"},
		"BEGIN END alias and begin break case class def defined? do else elsif end ensure false for if in module next nil not or redo require require_relative rescue retry return self super then true undef unless until when while yield attr_reader attr_writer attr_accessor private public protected")
	add(".sh .bash .zsh .ksh .envrc configure .bashrc .zshrc .profile", language{line: hash, quotes: `"'`, word: "$-"},
		"if then else elif fi for while until do done case esac in function select return exit export local readonly declare set unset shift source eval exec trap echo printf test cd")
	add(".ps1 .psm1", language{line: hash, block: [][2]string{{"<#", "#>"}}, quotes: `"'`, word: "$-", folded: true, raw: true}, "begin break catch class continue data do dynamicparam else elseif end exit filter finally for foreach from function if in param process return switch throw trap try until using while")
	add(".pl .pm .t", language{line: hash, quotes: `"'`, word: "$@%"}, "and cmp continue do else elsif eq for foreach ge gt if last le lt my ne next no not or our package redo require return sub undef unless until use while")
	add(".lua", language{line: []string{"--"}, block: [][2]string{{"--[[", "]]"}}, quotes: `"'`, long: []string{}}, "and break do else elseif end false for function goto if in local nil not or repeat return then true until while")
	add(".sql .ddl .psql", language{line: []string{"--"}, block: stars, quotes: `'"`, folded: true, raw: true},
		"add all alter and as asc begin between by cascade case check column commit constraint create cross database default delete desc distinct drop else end except exists explain false foreign from full function grant group having if in index inner insert intersect into is join key left like limit not null offset on or order outer over partition primary procedure references returning revoke right rollback select set table then transaction trigger true truncate union unique update using values view when where with int integer bigint smallint text varchar char boolean date timestamp numeric decimal float real double serial")
	add(".hs .elm .purs", language{line: []string{"--"}, block: [][2]string{{"{-", "-}"}}, quotes: `"`, word: "'"}, "case class data deriving do else exposing family forall foreign if import in infix infixl infixr instance let module newtype of qualified then type where")
	add(".ml .mli .fs .fsi", language{line: []string{}, block: [][2]string{{"(*", "*)"}}, quotes: `"`, word: "'"}, "and as begin class do done else end exception external false for fun function if in include let match method module mutable new object of open rec ref sig struct then to true try type val virtual when while with")
	add(".ex .exs .erl .hrl .nix .r .jl .tcl .cr", language{line: hash, quotes: `"`, long: []string{`"""`}, word: "@?!"}, "after alias and begin case catch cond def defimpl defmodule defmacro defp defstruct do else end false fn for function if import in let nil not or quote raise receive require rescue rec then throw true try unless unquote use using when while with inherit library TRUE FALSE NULL repeat break next return module struct mutable abstract proc puts set")
	add(".clj .cljs .edn .lisp .el .scm .rkt", language{line: []string{";"}, quotes: `"`, word: "-?!*:"}, "def defn defun defmacro defvar defstruct let fn lambda if cond when unless do loop recur ns require use import quote nil true false set! define begin progn setq")
	add(".asm .s", language{line: []string{";", "#", "//"}, block: stars, quotes: `"'`, word: "."}, "")
	add(".yml .yaml", language{line: hash, quotes: `"'`, word: "-."}, "true false null yes no on off")
	add(".toml .ini .cfg .conf .properties .editorconfig .gitconfig .gitmodules .service .desktop", language{line: []string{"#", ";"}, quotes: `"'`, long: []string{`"""`, `'''`}, word: "-."}, "true false")
	add(".json .json5 .jsonc .webmanifest .map .ipynb", language{line: slashes, block: stars, quotes: `"`}, "true false null")
	add(".xml .html .htm .xhtml .svg .xsl .xsd .plist .csproj .vcxproj .tmpl .jsp .erb", language{block: [][2]string{{"<!--", "-->"}}, quotes: `"`, word: "-:", raw: true}, "")
	add("makefile gnumakefile .mk .mak .am", language{line: hash, quotes: `"'`, word: "-."}, "ifeq ifneq ifdef ifndef else endif include -include define endef override export unexport .PHONY .SUFFIXES .DEFAULT_GOAL")
	add("dockerfile containerfile .dockerfile", language{line: hash, quotes: `"'`, folded: true}, "add arg cmd copy entrypoint env expose from healthcheck label maintainer onbuild run shell stopsignal user volume workdir as")
	add("cmakelists.txt .cmake meson.build", language{line: hash, quotes: `"'`, long: []string{"'''"}, folded: true}, "add_executable add_library add_subdirectory else elseif endforeach endfunction endif endmacro endwhile find_package foreach function if include install macro message option project return set target_include_directories target_link_libraries unset while executable library dependency subdir and not or true false on off")
	add(".tf .hcl", language{line: []string{"#", "//"}, block: stars, quotes: `"`, word: "-"}, "resource data variable output module provider terraform locals for in if true false null dynamic")
	add(".graphql .gql", language{line: hash, quotes: `"`, long: []string{`"""`}}, "directive enum extend fragment implements input interface mutation on query scalar schema subscription type union true false null")
	add(".tex .sty .cls .bib", language{line: []string{"%"}, word: "\\"}, "")
	return by
})

// languageOf is the language of a file by its name; nil where none is known.
func languageOf(file string) *language {
	name := strings.ToLower(path.Base(file))
	for _, n := range []string{name, path.Ext(name)} {
		if l := languages()[n]; l != nil {
			return l
		}
	}
	if first, _, ok := strings.Cut(name, "."); ok && slices.Contains([]string{"dockerfile", "makefile"}, first) {
		return languages()[first]
	}
	return nil
}

// tokens cuts each of these lines, which follow each other, into its tokens. Their
// texts make up the line. Where the lines begin within a comment or a string of
// several lines, it does not know: the class may be wrong, the text never is.
func (l *language) tokens(lines []string) [][]token {
	cut := make([][]token, len(lines))
	until := "" // what ends the comment or string that goes on from the line before
	class := ""
	for i, line := range lines {
		cut[i], until, class = l.scan(line, until, class)
	}
	return cut
}

// scan is tokens of one line.
// Its cost is linear in the line, whatever that holds: files come from anybody.
func (l *language) scan(line, until, open string) (out []token, still, class string) {
	i := 0
	begin, plain := 0, 0 // where the last of out begins, and what was not added
	// Invariant: out makes up line[:plain], so a longer token is a longer slice.
	add := func(class string, end int) {
		switch n := len(out); {
		case end == plain:
		case n > 0 && out[n-1].class == class:
			out[n-1].text = line[begin:end]
		default:
			begin = plain
			out = append(out, token{class, line[begin:end]})
		}
		plain = end
	}
	flush := func() { add("", i) }
	within := func(begin int, end, class string) bool { // reports whether the line ends within
		at := strings.Index(line[begin:], end)
		if at < 0 {
			add(class, len(line))
			until, open = end, class
			return true
		}
		add(class, begin+at+len(end))
		i = begin + at + len(end)
		return false
	}
	alone := false // an apostrophe before i is closed by none, so those behind it are not
	if until != "" && within(0, until, open) {
		return out, until, open
	}
	for i < len(line) {
		c := line[i]
		if begin, end := l.opens(line[i:]); begin > 0 {
			flush()
			class := "c"
			if slices.Contains(l.long, end) {
				class = "s"
			}
			if within(i+begin, end, class) {
				return out, until, open
			}
			continue
		}
		switch {
		case slices.ContainsFunc(l.line, func(mark string) bool { return strings.HasPrefix(line[i:], mark) }) && l.comments(line, i):
			flush()
			add("c", len(line))
			return out, "", ""
		case c == '\'' && alone:
			i++
		case strings.IndexByte(l.quotes, c) >= 0:
			flush()
			end := l.closing(line, i)
			if alone = end == 0; alone {
				end = i + 1
			}
			add("s", end)
			i = end
		case '0' <= c && c <= '9':
			flush()
			end := i + 1
			for end < len(line) && (wordByte(line[end]) || line[end] == '.') {
				end++
			}
			add("n", end)
			i = end
		case wordByte(c) || strings.IndexByte(l.word, c) >= 0 || c == '#' && l.keywords["#include"]:
			end := i + 1
			for end < len(line) && (wordByte(line[end]) || strings.IndexByte(l.word, line[end]) >= 0) {
				end++
			}
			name := line[i:end]
			class := ""
			switch key := name; {
			case l.keywords[key], l.folded && l.keywords[strings.ToLower(key)]:
				class = "k"
			case end < len(line) && line[end] == '(' && l.keywords != nil:
				class = "f"
			}
			if class != "" {
				flush()
				add(class, end)
			}
			i = end
		default:
			i++
		}
	}
	flush()
	return out, "", ""
}

// opens reports how long the mark is that text begins with, if it opens a comment
// or a string that may go over several lines, and what ends it.
func (l *language) opens(text string) (n int, end string) {
	for _, b := range l.block {
		if strings.HasPrefix(text, b[0]) {
			return len(b[0]), b[1]
		}
	}
	for _, mark := range l.long {
		if strings.HasPrefix(text, mark) {
			return len(mark), mark
		}
	}
	return 0, ""
}

// comments reports whether the mark at i begins a comment: a # within a word of a
// shell does not, nor does $#.
func (l *language) comments(line string, i int) bool {
	if line[i] != '#' && line[i] != ';' || i == 0 {
		return true
	}
	return line[i-1] == ' ' || line[i-1] == '\t' || line[i] == ';'
}

// closing is where the string ends that begins at i: behind its quote, or with the
// line. 0 = it begins with an apostrophe that nothing closes, so it is no string.
func (l *language) closing(line string, i int) int {
	for j := i + 1; j < len(line); j++ {
		switch {
		case line[j] == '\\' && !l.raw:
			j++
		case line[j] == line[i]:
			return j + 1
		}
	}
	if line[i] == '\'' {
		return 0
	}
	return len(line)
}

func wordByte(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80
}
