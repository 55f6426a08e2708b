package grouping

import (
	"bytes"
	"go/ast"
	gotoken "go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/changes"
)

// maxTogether bounds how many changes one changed type or signature ties
// together: more share a fashion, not a type.
const maxTogether = 16

// maxCallers bounds how many changed calls one changed signature is tied to.
// Each of them was seen to change with it, so they may be more.
const maxCallers = 64

// A typed is something in a Go file that has a type: a field, a parameter, a
// result, a variable, or a function or method as a whole.
type typed struct {
	id   string // what it is, the same in good and bad
	key  key    // its name to others, zero for what has none
	text string // its type, any for interface{}
	line int
	// Of a function alone:
	signature       bool
	params, results int  // params is -1 if variadic, objectLike of a macro that has no brackets
	fixed           int  // of a variadic function of C: how many parameters stand before the dots
	last            int  // of a macro: the last line of its body; else 0
	overloaded      bool // there may be others of its name, so that not every call means it
}

// objectLike is the number of parameters of a macro that takes no brackets.
const objectLike = -2

// sameArguments reports whether calls that fit one of two functions fit the other, as far as numbers tell.
func (t *typed) sameArguments(o *typed) bool { return t.params == o.params && t.fixed == o.fixed }

// A retyped is a typed thing of which one or two changes alter the type.
type retyped struct {
	from, to typed
	scope    string // directory
	old, new int    // the changes that hold its line in good and in bad
	body     []int  // of a macro: all changes that hold a line of it
}

// typeText writes a type, any for interface{}, which it means.
func typeText(t ast.Expr) string {
	if t == nil {
		return ""
	}
	return strings.ReplaceAll(types.ExprString(t), "interface{}", "any")
}

// typeOf notes the types in a declaration of a file.
func (r *goReader) typeOf(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		k := key{goPackage, r.scope, d.Name.Name}
		if d.Recv != nil {
			k = key{space: goMember, name: d.Name.Name}
		}
		r.signature(functionSymbol(d), k, d.Type, d.Name)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				for _, id := range s.Names {
					if s.Type != nil {
						k := key{goPackage, r.scope, id.Name}
						r.typed = append(r.typed, typed{id: "var " + id.Name, key: k, text: typeText(s.Type), line: r.line(id.Pos())})
					}
				}
			case *ast.TypeSpec:
				r.typeMembers(s)
			}
		}
	}
}

func (r *goReader) typeMembers(s *ast.TypeSpec) {
	switch t := s.Type.(type) {
	case *ast.StructType:
		for _, f := range t.Fields.List {
			for _, id := range f.Names {
				k := key{space: goMember, name: id.Name}
				r.typed = append(r.typed, typed{id: "field " + s.Name.Name + "." + id.Name, key: k, text: typeText(f.Type), line: r.line(id.Pos())})
			}
		}
	case *ast.InterfaceType:
		for _, f := range t.Methods.List {
			for _, id := range f.Names {
				if m, ok := f.Type.(*ast.FuncType); ok {
					r.signature(s.Name.Name+"."+id.Name, key{space: goMember, name: id.Name}, m, id)
				}
			}
		}
	}
}

// signature notes a function, and every parameter and result of it by number.
func (r *goReader) signature(symbol string, k key, t *ast.FuncType, id *ast.Ident) {
	f := typed{id: "func " + symbol, key: k, line: r.line(id.Pos()), signature: true}
	var text strings.Builder
	for part, list := range []*ast.FieldList{t.Params, t.Results} {
		n := 0
		if list != nil {
			for _, field := range list.List {
				typ := typeText(field.Type)
				for range max(1, len(field.Names)) {
					r.typed = append(r.typed, typed{
						id: "func " + symbol + " " + strconv.Itoa(part) + "." + strconv.Itoa(n), text: typ, line: r.line(field.Pos()),
					})
					text.WriteString(typ + ", ")
					n++
				}
				if _, variadic := field.Type.(*ast.Ellipsis); variadic {
					f.params = -1
				}
			}
		}
		text.WriteString("; ")
		if part == 1 {
			f.results = n
		} else if f.params == 0 {
			f.params = n
		}
	}
	f.text = text.String()
	r.typed = append(r.typed, f)
}

// signatures are the functions among the declarations of a file as they are
// written, with their number of parameters, and the macros of C by the parameters
// themselves: these have no types, so that a name is all that tells what is wanted.
// A prototype is another thing than the definition. In other languages than C several functions may
// have a name, and are told apart by their order. Languages in which a wrong number of arguments is no error, or
// one only when the call is run, have no signatures: ties by them were wrong so often that three searches in a project of Python
// took 346 trials with them, and 138 without.
func signatures(l language, content []byte, list []declaration, defines []occurrence) (all []typed) {
	if !countsArguments(l) {
		return nil
	}
	starts := lineStarts(content)
	keys := make(map[string]key, len(defines))
	for _, o := range defines {
		keys[o.key.name] = o.key
	}
	for i := range list {
		d := &list[i]
		name, called := callable(l, d)
		k, ok := keys[called]
		if !ok || d.at < 1 || d.at >= len(starts) {
			continue
		}
		text := content[starts[d.at-1]:starts[min(d.end, len(starts)-1)]]
		macro := syntaxOf(l).family == "c" && bytes.HasPrefix(bytes.TrimLeft(text, " \t"), []byte("#"))
		var found []call
		switch {
		case macro && !takesBrackets(text, name):
			all = append(all, typed{id: d.symbol, key: k, line: d.at, signature: true, params: objectLike, last: d.end})
		case l == cLanguage || len(callsOf(content[starts[d.at-1]:starts[d.at]], l, name, 1)) > 0: // else a class, whose name its constructor has
			found = callsOf(text, l, name, 1)
		}
		if len(found) == 0 || found[0].arguments < 0 {
			continue
		}
		t := typed{id: d.symbol, key: k, text: found[0].text, line: d.at, signature: true, params: found[0].arguments}
		switch first, _, _ := strings.Cut(t.text, ","); {
		case t.text == "void":
			t.params = 0
		case strings.HasSuffix(t.text, "..."):
			t.params, t.fixed = -1, t.params-1
		case receivers[strings.TrimPrefix(first, "&")]:
			t.params--
		}
		switch {
		case macro:
			t.last = d.end
		case l == cLanguage:
			before, _, _ := bytes.Cut(content[starts[max(0, d.start-1)]:starts[d.at-1]+len(text)], []byte(name))
			t.text += " " + string(bytes.Join(bytes.Fields(before), []byte(" "))) // with its result
		case !hasPrivate(l) || k.space != localSpace:
			t.key = key{nameSpace, syntaxOf(l).family, called} // also of a method, which may be declared elsewhere
			fallthrough
		default:
			t.overloaded = true
		}
		if !macro && bytes.HasSuffix(bytes.TrimSpace(text), []byte(";")) {
			t.id += ";"
		}
		all = append(all, t)
	}
	times := map[string]int{}
	for i := range all {
		if t := &all[i]; t.overloaded {
			times[t.id]++
			t.id = strconv.Itoa(times[t.id]) + " " + t.id
		}
	}
	return all
}

// countsArguments reports whether a compiler refuses calls with a wrong number of arguments.
func countsArguments(l language) bool {
	switch l {
	case cLanguage, cpp, java, csharp, rust, typescript:
		return true
	}
	return false
}

// callable returns the name of a function where it is declared, and the name that calls of it have: of a constructor, that of its class.
func callable(l language, d *declaration) (name, called string) {
	parts := strings.Split(d.symbol, syntaxOf(l).separate)
	if n := len(parts); n > 1 && (parts[n-1] == parts[n-2] || constructor().MatchString(d.symbol)) {
		return parts[n-1], parts[n-2]
	}
	return d.name, d.name
}

// receivers are the first parameters of methods of Rust that no caller writes.
var receivers = map[string]bool{"self": true, "mutself": true}

// retype notes which typed things of a file have another type in bad, and the
// changes that give it to them.
func (r *reader) retype(f *file, sides [2]side, spans [2][]span) {
	was := make(map[string]*typed)
	for i := range sides[good].typed {
		was[sides[good].typed[i].id] = &sides[good].typed[i]
	}
	for i := range sides[bad].typed {
		to := &sides[bad].typed[i]
		from := was[to.id]
		if from == nil || from.text == to.text {
			continue
		}
		t := retyped{from: *from, to: *to, scope: path.Dir(f.path), old: owner(spans[good], from.line), new: owner(spans[bad], to.line)}
		if from.last > 0 && to.last > 0 {
			t.body = append(owners(spans[good], from.line, from.last), owners(spans[bad], to.line, to.last)...)
			slices.Sort(t.body)
			t.body = slices.Compact(t.body)
		}
		if t.old >= 0 && t.new >= 0 {
			r.retyped = append(r.retyped, t)
		}
	}
}

// types adds what follows from changed types in Go:
//
//   - What changes from or to a named type in several places of a package, in
//     the same way, does so together.
//   - The methods of one name that come or go with that of an interface do so
//     together.
//   - A member that is selected from a field or variable of changed type in one
//     of good and bad alone is a member of one of its types alone.
//   - A changed signature needs the callers that change with it.
//   - Methods of one name whose signature changes in the same way, in types
//     and interfaces, change together.
func (v *survey) types(s *changes.Set, e *edges) {
	together := make(map[key][]int)
	byName := make(map[key][]int) // a changed field or variable -> its changes
	for _, t := range v.retyped {
		k := key{scope: t.scope, name: t.from.text + " -> " + t.to.text}
		switch {
		case t.from.signature:
			if t.from.key.space != goMember {
				break
			}
			k.scope = "." + t.from.key.name
			together[k] = append(together[k], t.old, t.new)
		case namesType(t.from.text) || namesType(t.to.text):
			together[k] = append(together[k], t.old, t.new)
		}
		if t.old != t.new {
			e.circle([]int{t.old, t.new})
		}
		e.circle(t.body) // it uses its parameters
		if !t.from.signature && t.from.key.name != "" {
			k := key{goChain, t.scope, t.from.key.name}
			byName[k] = append(byName[k], t.old, t.new)
		}
	}
	for k, list := range together {
		slices.Sort(list)
		if together[k] = slices.Compact(list); len(together[k]) <= maxTogether {
			e.circle(together[k])
		}
	}
	v.chains(byName, e)
	v.contracts(e)
	v.callers(s, e)
}

// contracts ties the methods of one name that come, or go, in interfaces and types of Go: a type has to have what
// an interface asks for.
func (v *survey) contracts(e *edges) {
	for which := range v.occurs {
		asked := make(map[key]bool)
		having := make(map[key][]int)
		for i := range v.facts {
			for _, k := range v.facts[i].defines[which] {
				member := key{space: goMember, name: k.name}
				switch {
				case v.occurs[1-which].has(member):
				case k.space == goContract:
					asked[member] = true
				case k == member:
					having[k] = append(having[k], i)
				}
			}
		}
		for k := range asked {
			slices.Sort(having[k])
			if having[k] = slices.Compact(having[k]); len(having[k]) <= maxTogether {
				e.circle(having[k])
			}
		}
	}
}

// namesType reports whether values of a type are tied to its name: int becomes
// int64 in many places that have nothing to do with each other, and a function
// type is the same under any name.
func namesType(text string) bool {
	if strings.Contains(text, "func(") {
		return false
	}
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return c != '.' && c < 0x80 && !wordByte(byte(c)) }) {
		if isLetter(word[0]) && types.Universe.Lookup(word) == nil && !gotoken.IsKeyword(word) {
			return true
		}
	}
	return false
}

// chains follows names of changed type to the members selected from them.
func (v *survey) chains(byName map[key][]int, e *edges) {
	for i := range v.facts {
		for which, list := range v.facts[i].uses {
			for _, k := range list {
				if k.space != goChain || v.occurs[1-which].has(k) {
					continue
				}
				name, _, _ := strings.Cut(k.name, ".")
				definers := byName[key{goChain, k.scope, name}]
				if len(definers) > 2*maxDefiners {
					continue
				}
				for _, d := range definers {
					if which == good {
						e.add(d, i)
					} else {
						e.add(i, d)
					}
				}
			}
		}
	}
}
