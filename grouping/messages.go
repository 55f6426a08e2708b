package grouping

import (
	"regexp"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// A message is one form of words that a tool uses. Of its groups, n names what
// it is about, of the type around that, module the
// module that should have it, f a file or package that is not there.
type message struct {
	cue     string // what each of them has, to be fast
	pattern func() *regexp.Regexp
	problem problem
	flags   flags
}

type flags uint8

const (
	ofMember flags = 1 << iota // the name is a member
	byLinker                   // a linker says so
	asError                    // only behind "error": as a warning it breaks nothing
	ofMacro                    // the name is a macro
	besides                    // what is meant stands in the same line as the name
)

func says(cue, text string, l problem, f ...flags) message {
	m := message{cue: cue, pattern: lazyregexp.New(text), problem: l}
	for _, f := range f {
		m.flags |= f
	}
	return m
}

// messages are tried in order; the first that fits counts. All quotes are
// apostrophes by now, but for the double ones.
var messages = []message{
	// gcc, clang and their linkers.
	says("undeclared", `'(?P<n>\w+)' undeclared|use of undeclared identifier '(?P<n>\w+)'|call to undeclared (?:library )?function '(?P<n>\w+)'|'(?P<n>\w+)': undeclared identifier`, lacks),
	says("implicit declaration of function", `implicit declaration of function '(?P<n>\w+)'`, lacks, asError),
	says("not declared in this scope", `'(?P<n>[\w:]+)' was not declared in this scope`, lacks),
	says("unknown type name", `unknown type name '(?P<n>[\w:]+)'`, lacks),
	says("does not name a type", `'(?P<n>[\w:]+)' (?:in .* )?does not name a type`, lacks),
	says("has not been declared", `'(?P<n>[\w:]+)' has not been declared`, lacks),
	says("is not a member of", `'(?P<n>\w+)' is not a member of '(?:class |struct |union )?(?P<of>[^']+)'`, lacks),
	says("no member named", `no member named '(?P<n>\w+)' in '(?:class |struct |union )?(?P<of>[^']+)'`, lacks, ofMember),
	says("has no member named", `'(?:const )?(?:class |struct |union )?(?P<of>[^']+)'(?: \{aka '[^']*'\})? has no member named '(?P<n>\w+)'`, lacks, ofMember),
	says("has no member", `Value of type '(?P<of>[^']+)' has no member '(?P<n>\w+)'`, lacks, ofMember),
	says("incomplete type", `incomplete (?:definition of )?type '(?:class |struct |union |enum )?(?P<n>\w+)`, lacks),
	says("has incomplete type", `'(?P<n>\w+)' has incomplete type`, lacks, besides),
	says("undefined type", `use of undefined type '(?:class |struct |union |enum )?(?P<n>\w+)`, lacks),
	says("undefined reference to", `undefined reference to '(?P<n>[^']+)'`, lacks, byLinker),
	says("undefined symbol", `undefined symbol: (?P<n>.+)$`, lacks, byLinker),
	says("referenced from", `"_(?P<n>[^"]+)", referenced from`, lacks, byLinker),
	says("file not found", `'(?P<f>[^']+)' file not found`, lacksFile),
	says("No such file or directory", `fatal error: (?P<f>[^\s:]+): No such file or directory`, lacksFile),
	says("can't open file", `can't open file '(?P<f>[^']+)'`, lacksFile),
	says("arguments to function", `too (?:many|few) arguments to (?:member )?function '(?P<n>[^']+)'`, differs),
	says("arguments to function call", `too (?:many|few) arguments to (?:function|method) call`, differs),
	says("arguments, but", `macro "(?P<n>\w+)" (?:passed|requires) \d+ arguments, but`, differs, ofMacro),
	says("function-like macro invocation", `too (?:many|few) arguments provided to function-like macro invocation`, differs),
	says("incompatible types when", `incompatible types when (?:initializing|assigning|returning)`, differs, asError),
	says("invalid initializer", `invalid initializer`, differs, asError),
	says("invalid operands to binary", `invalid operands to binary`, differs, asError),
	says("conflicting types for", `conflicting types for '(?P<n>[^']+)'`, twice),
	says("redefinition of", `redefinition of '(?P<n>[^']+)'`, twice),
	says("redeclaration of", `redeclaration of '(?P<n>[^']+)'`, twice),
	says("redeclared as", `'(?P<n>\w+)' redeclared as different kind of (?:symbol|entity)`, twice),
	says("multiple definition of", `multiple definition of '(?P<n>[^']+)'`, twice, byLinker),
	says("argument", `argument \d+ (?:of|to) '(?P<n>[^']+)'`, differs),
	says("unused", `unused (?:variable|function|parameter) '(?P<n>\w+)'`, unused, asError),
	says("defined but not used", `'(?P<n>\w+)' defined but not used`, unused, asError),

	// go build and go vet.
	says(" undefined (type ", `\.(?P<n>\w+) undefined \(type \*?(?:\w+\.)?(?P<of>\w+)(?:\[.*\])? has no field or method`, lacks, ofMember),
	says("undefined: ", `undefined: (?:(?P<of>\w+)\.)?(?P<n>\w+)`, lacks),
	says("unknown field", `unknown field '?(?P<n>\w+)'? in struct literal(?: of type \*?(?:\w+\.)?(?P<of>\w+))?`, lacks, ofMember),
	says("missing method", `(?P<of>\w+) does not implement .*\(missing method (?P<n>\w+)\)`, implements, ofMember),
	says("wrong type for method", `(?P<of>\w+) does not implement .*\(wrong type for method (?P<n>\w+)\)`, implements, ofMember),
	says("arguments in call to", `(?:too many|not enough) arguments in call to (?P<n>[\w.]+)`, differs),
	says(" return values", `(?:too many|not enough) return values`, returns),
	says("assignment mismatch", `but (?P<n>[\w.]+)(?:\(.*\))? returns`, differs),
	says("in single-value context", `multiple-value (?P<n>[\w.]+)\(`, differs),
	says("(no value) used as value", `(?P<n>[\w.]+)\(.*\) \(no value\) used as value`, differs),
	says("in argument to ", `cannot use (?:(?P<also>\w+) \(variable|.*) .* in argument to (?P<n>[\w.]+)`, differs),
	says(" value in ", `cannot use (?P<n>\w+) \(variable .* value in `, differs),
	says("not used", `declared and not used: (?P<n>\w+)|(?P<n>\w+) declared (?:and|but) not used`, unused),
	says("imported", `"(?P<f>[^"]+)" imported (?:as (?P<n>\w+) )?and not used`, unused),
	says("redeclared", `^(?P<n>\w+) redeclared`, twice),
	says("duplicate field name", `duplicate field name (?P<n>\w+) in struct literal`, twice),
	says("or later (", `requires go1\.\d+ or later`, needsGo),
	says("already declared at", `(?:method|field and method with the same name) (?:\w+\.)?(?P<n>\w+) already declared at`, twice),
	says("is not in std", `package (?P<f>\S+) is not in std`, lacksFile),
	says("module providing package", `module providing package (?P<f>[^\s;:]+)`, lacksFile),
	says("module provides package", `no required module provides package (?P<f>[^\s;:]+)`, lacksFile),
	says("cannot find package", `cannot find package "(?P<f>[^"]+)"`, lacksFile),
	says("does not contain package", `does not contain package (?P<f>\S+)`, lacksFile),
	says("could not import", `could not import (?P<f>\S+)`, lacksFile),
	says("Go files in", `no (?:non-test )?Go files in (?P<f>\S+)`, lacksFile),

	// javac. What cannot be found stands two lines below.
	says("cannot find symbol", `cannot find symbol`, lacks),
	says("does not exist", `error: package (?P<f>[\w.]+) does not exist`, lacksFile),
	says("cannot be applied to given types", `(?P<n>\w+) in (?:class|interface|record|enum) (?P<of>\w+)\S* cannot be applied`, differs),
	says("no suitable", `no suitable (?:method|constructor) found for (?P<n>\w+)`, differs),
	says("does not override abstract method", `(?P<of>\w+)\S* is not abstract and does not override abstract method (?P<n>\w+)`, implements, ofMember),
	says("is already defined in", `(?:variable|method|class|interface|enum|record|constructor) (?P<n>\w+)\S* is already defined in`, twice),
	says("duplicate class", `duplicate class: (?P<n>[\w.]+)`, twice),

	// tsc.
	says("Cannot find name '", `Cannot find name '(?P<n>\w+)'`, lacks),
	says("has no exported member", `'"(?P<module>[^"]+)"' has no exported member (?:named )?'(?P<n>\w+)'`, lacks),
	says("does not exist on type", `Property '(?P<n>\w+)' does not exist on type '(?:typeof )?(?P<of>[^']+)'`, lacks, ofMember),
	says("does not exist in type", `'(?P<n>\w+)' does not exist in type '(?P<of>[^']+)'`, lacks, ofMember),
	says("Cannot find module '", `Cannot find module '(?P<f>[^']+)'`, lacksFile),
	says("Cannot redeclare", `Cannot redeclare block-scoped variable '(?P<n>\w+)'`, twice),
	says("Duplicate identifier", `Duplicate identifier '(?P<n>\w+)'`, twice),
	says("is declared but", `'(?P<n>\w+)' is declared but (?:its value is )?never`, unused),
	says("but required in type", `Property '(?P<n>\w+)' is missing in type '(?P<of>\w+)[^']*' but required in type`, implements, ofMember),
	says("arguments, but got", `Expected [\w-]+(?: \d+)? arguments?, but got`, differs),

	// python.
	says("cannot import name", `cannot import name '(?P<n>\w+)' from (?:partially initialized module )?'(?P<module>[\w.]+)'`, lacks),
	says("No module named", `No module named '?(?P<f>[\w.]+)'?`, lacksFile),
	says("is not defined", `\bname '(?P<n>\w+)' is not defined`, lacks),
	says("has no attribute", `module '(?P<module>[\w.]+)' has no attribute '(?P<n>\w+)'`, lacks),
	says("has no attribute", `'(?P<of>\w+)' (?:object )?has no attribute '(?P<n>\w+)'`, lacks, ofMember),
	says("unexpected keyword argument", `(?P<n>[\w.]+)\(\) got an unexpected keyword argument '(?P<f>\w+)'`, keyword),
	says("positional argument", `(?P<n>[\w.]+)\(\) (?:takes|missing) .*positional argument`, differs),

	// rustc.
	says("cannot find", `cannot find (?:\w+[ ,/]+)*'(?P<n>\w+)' in `, lacks),
	says("unresolved import", `unresolved import '(?P<n>[\w:]+)'`, lacks),
	says("use of undeclared type", `use of undeclared type '(?P<n>\w+)'`, lacks),
	says("could not find", `could not find '(?P<n>\w+)' in '(?P<of>\w+)'`, lacks),
	says("found for", `no [\w, ]+ named '(?P<n>\w+)' found for [\w ]*'&?(?:mut )?(?P<of>[^']+)'`, lacks, ofMember),
	says("no field", `no field '(?P<n>\w+)' on type '&?(?:mut )?(?P<of>[^']+)'`, lacks, ofMember),
	says("has no field named", `'(?P<of>\w+)' has no field named '(?P<n>\w+)'`, lacks, ofMember),
	says("is not a member of trait", `'(?P<n>\w+)' is not a member of trait '(?P<of>\w+)'`, lacks, ofMember),
	says("not all trait items implemented", `missing: '(?P<n>\w+)'`, implements, ofMember),
	says("supplied", `takes \d+ (?:\w+ )?arguments? but`, differs),
	says("defined multiple times", `the name '(?P<n>\w+)' is defined multiple times`, twice),
	says("file not found for module", `file not found for module '(?P<f>\w+)'`, lacksFile),
	says("in initializer of", `missing fields? '(?P<n>\w+)'.* in initializer of`, implements, ofMember),

	// What does not parse.
	says("syntax error", `syntax error`, syntactic),
	says("non-declaration statement", `non-declaration statement outside function body`, syntactic),
	says(", found ", `^expected .*, found `, syntactic), // go vet
	says("SyntaxError", `^(?:E +)?SyntaxError: (?:invalid syntax|[Uu]nexpected|unmatched|expected|closing|missing|'\S+' (?:was never|outside))`, syntactic),
	says("IndentationError", `^(?:E +)?IndentationError: `, syntactic),
	says("expected", `error(?: TS\d+)?: (?:expected .* (?:before|at|to)|.*'[^']+' expected|illegal start of|unexpected closing|mismatched closing|Declaration or statement expected|class, interface, .* expected)`, syntactic),
	says("expected", `error: (?:expected one of|expected (?:item|expression|identifier|declaration|statement))`, syntactic),
	says("without", `error: (?:#\w+ without|'\w+' without)`, syntactic),

	// make.
	says("No rule to make target", `No rule to make target '(?P<f>[^']+)'`, lacksFile),

	// node.
	says("is not defined", `ReferenceError: (?P<n>\w+) is not defined`, lacks),
	says("does not provide an export named", `module '(?P<module>[^']+)' does not provide an export named '(?P<n>\w+)'`, lacks),
	says("is not a function", `TypeError: (?:.*\.)?(?P<n>\w+) is not a function`, lacks),
}

// readMessage reads the words of a message.
func readMessage(text string) (d diagnostic, ok bool) {
	for i := range messages {
		m := &messages[i]
		if !strings.Contains(text, m.cue) || m.flags&asError != 0 && !hard().MatchString(text) {
			continue
		}
		found := m.pattern().FindStringSubmatch(text)
		if found == nil {
			continue
		}
		d = diagnostic{problem: m.problem, member: m.flags&ofMember != 0, link: m.flags&byLinker != 0, macro: m.flags&ofMacro != 0, beside: m.flags&besides != 0}
		for g, name := range m.pattern().SubexpNames() {
			if found[g] == "" {
				continue
			}
			switch name {
			case "n":
				d.name(found[g])
			case "also":
				d.names = append(d.names, found[g])
			case "of":
				d.of = lastName(bare(found[g]))
			case "module":
				d.of = found[g]
			case "f":
				d.target = found[g]
			}
		}
		if d.problem == unused && d.target != "" && d.names == nil {
			d.names = []string{importName(d.target)}
		}
		return d, true
	}
	return d, false
}

// name takes what a message is about: f for "A::f(int)" and "a.f", with A or a
// as what is around it.
func (d *diagnostic) name(text string) {
	text = bare(text)
	name := lastName(text)
	if name == "" {
		return
	}
	if d.of == "" {
		d.of = lastName(strings.TrimRight(strings.TrimSuffix(text, name), ":."))
	}
	d.names = append([]string{name}, d.names...)
}
