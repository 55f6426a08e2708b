package lexical

import (
	"path"
	"strings"
	"sync"
)

// Rules say how the comments, strings and words of a language are written.
type Rules struct {
	Line     []string    // what starts a comment that ends with its line
	Block    [][2]string // what starts and ends a longer comment; "\n" = at the beginning of a line only
	Quotes   string      // string delimiters that end at the line's end at the latest
	Long     string      // string delimiters that may span lines
	Raw      string      // of these the ones between which a backslash is a character like any
	Expands  string      // of these the ones between which names stand for their values ("$name")
	Triple   bool        // a delimiter may be tripled, and then span lines
	Template bool        // `...${code}...`
	Regex    bool        // /.../ where an operand may start
	Char     bool        // 'a' is a character, 'a is a name
	Apart    bool        // what starts such a comment stands behind a blank, or begins a line
	Lisp     bool        // a word is all that is no bracket, quote or comment
	Letters  string      // what names have beside letters, digits and _
	Folded   bool        // keywords are of any case
	Keywords string      // separated by blanks

	classes [256]class
	words   func() map[string]bool // the keywords
}

// NewRules returns rules that are not in the table.
func NewRules(r Rules) *Rules {
	r.classes = classes
	for c, class := range classes {
		if r.Lisp && class == letter || strings.IndexByte(r.Letters+"$.\\", byte(c)) >= 0 || r.Regex && c == '/' {
			r.classes[c] = special
		}
	}
	for _, mark := range r.Line {
		r.classes[mark[0]] = special
	}
	for _, marks := range r.Block {
		r.classes[strings.TrimPrefix(marks[0], "\n")[0]] = special
	}
	r.words = sync.OnceValue(func() map[string]bool {
		words := map[string]bool{}
		for _, word := range strings.Fields(r.Keywords) {
			words[word] = true
		}
		return words
	})
	return &r
}

// IsKeyword reports whether a word is a keyword of the language. A directive begins with its #.
func (r *Rules) IsKeyword(word string) bool {
	if r.Folded {
		word = strings.ToLower(word)
	}
	return r.words()[word]
}

const (
	curly  = "break case continue default do else enum for goto if return static struct switch void while const extern sizeof true false "
	object = "abstract as async await boolean byte catch char class double extends final finally float from function implements import in instanceof int interface internal is let long namespace new null operator override package private protected public sealed short super synchronized this throw throws transient try type typeof using var virtual volatile with yield "
)

// table has the rules by the extensions and the names of files, all lower case. Of a
// language that is a format of reductions, its name is among the extensions.
var table = sync.OnceValue(func() map[string]*Rules {
	slashes, hash, stars := []string{"//"}, []string{"#"}, [][2]string{{"/*", "*/"}}
	by := map[string]*Rules{}
	add := func(names string, r Rules, keywords string) {
		r.Keywords = keywords
		rules := NewRules(r)
		for _, name := range strings.Fields(names) {
			by[name] = rules
		}
	}
	add(".go", Rules{Line: slashes, Block: stars, Quotes: `"'`, Long: "`", Raw: "`"},
		"break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false iota any bool byte error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr")
	add("go.mod go.work", Rules{Line: slashes}, "go module require replace exclude retract toolchain use")
	add(".c .h .cc .cpp .cxx .c++ .hh .hpp .hxx .inc .inl .ino .m .mm .cu .cl .d .glsl .hlsl .y .l .td", Rules{Line: slashes, Block: stars, Quotes: `"'`},
		curly+"auto bool char class concept constexpr consteval decltype delete double explicit export float friend inline int long mutable namespace new noexcept nullptr operator override private protected public register restrict short signed static_assert template this throw try catch typedef typename union unsigned using virtual volatile #include #define #undef #if #ifdef #ifndef #else #elif #endif #pragma #error NULL")
	add(".java .kt .kts .scala .groovy .gradle .dart", Rules{Line: slashes, Block: stars, Quotes: `"'`, Triple: true},
		curly+object+"assert by companion data def fun init inner lateinit lazy match native object of open record required sealed strictfp suspend trait val when where")
	add(".cs .csharp", Rules{Line: slashes, Block: stars, Quotes: `"'`, Triple: true}, curly+object+"base bool checked decimal delegate event explicit fixed foreach get implicit lock nameof object out params partial readonly record ref sbyte set stackalloc string uint ulong unchecked unsafe ushort value where when")
	add(".js .jsx .mjs .cjs .ts .tsx .mts .cts .json5 .vue .svelte .javascript .typescript", Rules{Line: slashes, Block: stars, Quotes: `"'`, Template: true, Regex: true, Letters: "$"},
		curly+object+"any constructor debugger declare delete export get keyof never number of readonly require satisfies set string symbol undefined unknown")
	add(".rs .rust", Rules{Line: slashes, Block: stars, Long: `"`, Char: true},
		"as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type union unsafe use where while bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize")
	add(".swift .zig .v .sv", Rules{Line: slashes, Block: stars, Quotes: `"`, Triple: true, Char: true},
		curly+"associatedtype class defer deinit extension fallthrough fileprivate fn func guard import in init inout internal is lazy let mutating nil open operator private protocol public pub rethrows self some subscript super throw throws try typealias var weak where comptime errdefer orelse test undefined unreachable module input output wire reg logic always always_ff always_comb begin end assign posedge negedge")
	add(".php .phtml", Rules{Line: []string{"//", "#"}, Block: stars, Long: `"'`, Letters: "$"}, curly+object+"array declare die echo elseif empty endif endforeach endfor endwhile exit fn foreach global include include_once isset list match mixed parent print readonly require require_once self string trait unset use")
	add(".css .scss .sass .less", Rules{Block: stars, Quotes: `"'`, Letters: "-@"}, "@media @import @font-face @keyframes @supports @include @mixin @use @charset !important")
	add(".proto .thrift", Rules{Line: slashes, Block: stars, Quotes: `"'`}, "bool bytes double enum extend extensions false fixed32 fixed64 float group import int32 int64 map message oneof option optional package public repeated required reserved returns rpc service sint32 sint64 stream string syntax to true uint32 uint64 struct const list set void throws i32 i64")
	add(".py .pyi .pyw .pyx .bzl .star .python build build.bazel workspace sconstruct sconscript wscript", Rules{Line: hash, Quotes: `"'`, Triple: true, Letters: "@"},
		"False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield load")
	add(".rb .rake .gemspec .ruby gemfile rakefile vagrantfile podfile", Rules{Line: hash, Block: [][2]string{{"\n=begin", "\n=end"}}, Long: `"'`, Letters: "@?!"},
		"BEGIN END alias and begin break case class def defined? do else elsif end ensure false for if in module next nil not or redo require require_relative rescue retry return self super then true undef unless until when while yield attr_reader attr_writer attr_accessor private public protected")
	add(".sh .bash .zsh .ksh .dash .fish .bats .ebuild .envrc configure .bashrc .zshrc .profile", Rules{Line: hash, Long: `"'`, Raw: "'", Expands: `"`, Apart: true, Letters: "$-"},
		"if then else elif fi for while until do done case esac in function select return exit export local readonly declare set unset shift source eval exec trap echo printf test cd")
	add(".ps1 .psm1", Rules{Line: hash, Block: [][2]string{{"<#", "#>"}}, Quotes: `"'`, Raw: `"'`, Letters: "$-", Folded: true}, "begin break catch class continue data do dynamicparam else elseif end exit filter finally for foreach from function if in param process return switch throw trap try until using while")
	add(".pl .pm .t", Rules{Line: hash, Quotes: `"'`, Apart: true, Letters: "$@%"}, "and cmp continue do else elsif eq for foreach ge gt if last le lt my ne next no not or our package redo require return sub undef unless until use while")
	add(".lua", Rules{Line: []string{"--"}, Block: [][2]string{{"--[[", "]]"}}, Quotes: `"'`}, "and break do else elseif end false for function goto if in local nil not or repeat return then true until while")
	add(".sql .ddl .dml .psql", Rules{Line: []string{"--"}, Block: stars, Long: `'"`, Raw: `'"`, Folded: true},
		"add all alter and as asc begin between by cascade case check column commit constraint create cross database default delete desc distinct drop else end except exists explain false foreign from full function grant group having if in index inner insert intersect into is join key left like limit not null offset on or order outer over partition pragma primary procedure references returning revoke right rollback select set table then transaction trigger true truncate union unique update using values view when where with int integer bigint smallint text varchar char boolean date timestamp numeric decimal float real double serial")
	add(".hs .elm .purs", Rules{Line: []string{"--"}, Block: [][2]string{{"{-", "-}"}}, Quotes: `"`, Letters: "'"}, "case class data deriving do else exposing family forall foreign if import in infix infixl infixr instance let module newtype of qualified then type where")
	add(".adb .ads .vhd .vhdl", Rules{Line: []string{"--"}, Quotes: `"`}, "")
	add(".ml .mli .fs .fsi", Rules{Block: [][2]string{{"(*", "*)"}}, Quotes: `"`, Letters: "'"}, "and as begin class do done else end exception external false for fun function if in include let match method module mutable new object of open rec ref sig struct then to true try type val virtual when while with")
	add(".ex .exs .nix .r .jl .tcl .cr .nim .coffee", Rules{Line: hash, Quotes: `"'`, Triple: true, Letters: "@?!"}, "after alias and begin case catch cond def defimpl defmodule defmacro defp defstruct do else end false fn for function if import in let nil not or quote raise receive require rescue rec then throw true try unless unquote use using when while with inherit library TRUE FALSE NULL repeat break next return module struct mutable abstract proc puts set")
	add(".clj .cljs .edn .lisp .lsp .el .scm .ss .rkt .sexp .fnl .wat .wast", Rules{Line: []string{";"}, Block: [][2]string{{"#|", "|#"}}, Long: `"|`, Lisp: true}, "def defn defun defmacro defvar defstruct let fn lambda if cond when unless do loop recur ns require use import quote nil true false set! define begin progn setq")
	add(".smt .smt2 .sy .smtlib", Rules{Line: []string{";"}, Long: `"|`, Raw: `"|`, Lisp: true}, "and assert assume check-sat declare-const declare-datatypes declare-fun declare-sort define-fun define-sort distinct exists exit false forall get-model get-value ite let not or pop push set-info set-logic set-option true xor Bool Int Real String")
	add(".asm .nasm .s .ll .mir .btor .btor2", Rules{Line: []string{";"}, Quotes: `"`, Letters: "."}, "")
	add(".yml .yaml", Rules{Line: hash, Quotes: `"'`, Apart: true, Letters: "-."}, "true false null yes no on off")
	add(".toml cargo.lock pipfile", Rules{Line: hash, Quotes: `"'`, Triple: true, Letters: "-."}, "true false")
	add(".ini .cfg .conf .properties .editorconfig .gitconfig .gitmodules .service .desktop", Rules{Line: []string{"#", ";"}, Quotes: `"'`, Apart: true, Letters: "-."}, "true false")
	add(".json .jsonc .webmanifest .map .ipynb", Rules{Line: slashes, Block: stars, Quotes: `"`}, "true false null")
	add(".xml .html .htm .xhtml .svg .xsl .xslt .xsd .plist .csproj .vcxproj .tmpl .jsp .erb", Rules{Block: [][2]string{{"<!--", "-->"}}, Quotes: `"`, Raw: `"`, Expands: `"`, Letters: "-:"}, "")
	add("makefile gnumakefile kbuild .mk .mak .am", Rules{Line: hash, Quotes: `"'`, Expands: `"'`, Letters: "-."}, "ifeq ifneq ifdef ifndef else endif include -include define endef override export unexport .PHONY .SUFFIXES .DEFAULT_GOAL")
	add("dockerfile containerfile .dockerfile", Rules{Line: hash, Quotes: `"'`, Apart: true, Folded: true}, "add arg cmd copy entrypoint env expose from healthcheck label maintainer onbuild run shell stopsignal user volume workdir as")
	add("cmakelists.txt .cmake meson.build", Rules{Line: hash, Quotes: `"'`, Expands: `"'`, Folded: true}, "add_executable add_library add_subdirectory else elseif endforeach endfunction endif endmacro endwhile find_package foreach function if include install macro message option project return set target_include_directories target_link_libraries unset while executable library dependency subdir and not or true false on off")
	add(".tf .hcl", Rules{Line: []string{"#", "//"}, Block: stars, Quotes: `"`, Letters: "-"}, "resource data variable output module provider terraform locals for in if true false null dynamic")
	add(".graphql .gql", Rules{Line: hash, Quotes: `"`, Triple: true}, "directive enum extend fragment implements input interface mutation on query scalar schema subscription type union true false null")
	add(".erl .hrl .pro", Rules{Line: []string{"%"}, Quotes: `"'`}, "after and begin case catch end fun if not of or receive throw try when")
	add(".tex .sty .cls .bib .m4", Rules{Line: []string{"%"}, Letters: "\\"}, "")
	return by
})

// RulesOf returns the rules of a file by its name; nil where none are known.
func RulesOf(file string) *Rules {
	name := strings.ToLower(path.Base(file))
	by := table()
	if l := by[name]; l != nil {
		return l
	}
	if l := by[path.Ext(name)]; l != nil {
		return l
	}
	if first, _, _ := strings.Cut(name, "."); first == "dockerfile" || first == "makefile" {
		return by[first]
	}
	return nil
}
