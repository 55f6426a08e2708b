package grouping

import (
	"bytes"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"path"
	"strconv"
	"strings"
)

// A goFile is what the Go parser knows of a file: exact declarations and
// scopes, so that a local variable is never taken for a function of its name.
type goFile struct {
	declarations []declaration
	defines      []occurrence
	uses         []occurrence
	typed        []typed
	packageName  string
}

// An occurrence is a key on a line.
type occurrence struct {
	key  key
	line int
}

var packageWord = []byte("package")

// parseGo reads a Go file. ok is false when so little of it parses that the
// lexical way is better. With outline f has no more than the declarations. Time: about 25 MB/s.
func parseGo(name string, content []byte, outline bool) (f *goFile, ok bool) {
	r, ok := readGo(name, content, outline)
	if !ok {
		return nil, false
	}
	return &r.goFile, true
}

// readGo is parseGo, for callers that need the syntax tree as well.
func readGo(name string, content []byte, outline bool) (r *goReader, ok bool) {
	if !bytes.Contains(content, packageWord) { // as of most hunks: the parser would read nothing of it
		return nil, false
	}
	set, mode := gotoken.NewFileSet(), parser.ParseComments
	if outline {
		mode |= parser.SkipObjectResolution
	}
	tree, err := parser.ParseFile(set, name, content, mode)
	if tree == nil || err != nil && len(tree.Decls) == 0 {
		return nil, false
	}
	r = &goReader{
		goFile:  goFile{packageName: tree.Name.Name},
		lines:   set.File(tree.FileStart),
		tree:    tree,
		file:    name,
		scope:   path.Dir(name),
		imports: make(map[string]string),
		named:   make(map[*ast.Ident]bool),
	}
	if strings.HasSuffix(tree.Name.Name, "_test") {
		r.scope += " " + tree.Name.Name // the external test package of a directory
	}
	for _, d := range tree.Decls {
		r.declare(d)
		if !outline {
			r.typeOf(d)
		}
	}
	if outline {
		return r, true
	}
	for _, d := range tree.Decls {
		r.inside = ""
		if f, ok := d.(*ast.FuncDecl); ok {
			r.inside = name + " " + functionSymbol(f)
		}
		ast.Inspect(d, r.visit)
	}
	return r, true
}

type goReader struct {
	goFile
	lines   *gotoken.File
	tree    *ast.File
	file    string
	scope   string
	imports map[string]string   // local name -> import path
	dotted  []string            // paths of imports whose names need no package before them
	inside  string              // the file and the function that is visited, "" = none
	named   map[*ast.Ident]bool // identifiers that are no plain use: declared, selected or keyed
}

func (r *goReader) line(p gotoken.Pos) int {
	if !p.IsValid() {
		return 1
	}
	return r.lines.PositionFor(p, false).Line // not what a //line comment claims
}

func (r *goReader) define(s space, id *ast.Ident) {
	r.named[id] = true
	if id.Name == "_" || s == goPackage && (id.Name == "init" || id.Name == "main") {
		return
	}
	k := key{space: s, name: id.Name}
	if s == goPackage {
		k.scope = r.scope
	}
	r.defines = append(r.defines, occurrence{k, r.line(id.Pos())})
}

func (r *goReader) use(k key, p gotoken.Pos) {
	r.uses = append(r.uses, occurrence{k, r.line(p)})
}

func (r *goReader) add(doc *ast.CommentGroup, node ast.Node, id *ast.Ident, symbol string, member, unit bool) {
	d := declaration{
		symbol: symbol, member: member, unit: unit, scope: r.scope,
		start: r.line(node.Pos()), end: r.line(node.End()),
	}
	if id != nil {
		d.name, d.at = id.Name, r.line(id.Pos())
	} else {
		d.at = d.start
	}
	d.doc = d.start
	if doc != nil {
		d.doc = r.line(doc.Pos())
	}
	r.declarations = append(r.declarations, d)
}

func (r *goReader) declare(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			r.add(d.Doc, d, d.Name, d.Name.Name, false, true)
			r.define(goPackage, d.Name)
			return
		}
		r.add(d.Doc, d, d.Name, functionSymbol(d), true, true)
		r.define(goMember, d.Name)
	case *ast.GenDecl:
		if d.Tok == gotoken.IMPORT {
			r.add(d.Doc, d, nil, "", false, true)
		} else if d.Lparen.IsValid() {
			r.add(d.Doc, d, nil, "", false, true) // the group; its members below
		}
		for _, s := range d.Specs {
			r.declareSpec(d, s)
		}
	}
}

// functionSymbol names a function or method.
func functionSymbol(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	return receiver(d.Recv.List[0].Type) + "." + d.Name.Name
}

func (r *goReader) declareSpec(d *ast.GenDecl, s ast.Spec) {
	var node ast.Node = d // a lone declaration includes its keyword
	alone := !d.Lparen.IsValid()
	if !alone {
		node = s
	}
	doc := func(own *ast.CommentGroup) *ast.CommentGroup {
		if own == nil && alone {
			return d.Doc
		}
		return own
	}
	switch s := s.(type) {
	case *ast.ImportSpec:
		r.declareImport(s)
	case *ast.TypeSpec:
		r.add(doc(s.Doc), node, s.Name, s.Name.Name, false, alone)
		r.define(goPackage, s.Name)
	case *ast.ValueSpec:
		for i, id := range s.Names {
			if i == 0 {
				r.add(doc(s.Doc), node, id, id.Name, false, alone)
			}
			r.define(goPackage, id)
		}
	}
}

func (r *goReader) declareImport(s *ast.ImportSpec) {
	importPath, err := strconv.Unquote(s.Path.Value)
	if err != nil {
		return
	}
	name := importName(importPath)
	if s.Name != nil {
		name = s.Name.Name
		r.named[s.Name] = true
	}
	r.use(key{space: goRequire, name: importPath}, s.Pos())
	if name == "." {
		r.dotted = append(r.dotted, importPath)
	} else if name != "_" {
		r.imports[name] = importPath
		r.defines = append(r.defines, occurrence{key{goImport, r.file, name}, r.line(s.Pos())})
	}
}

// receiver names a method's receiver as a reader does: "(*T)" or "T", type
// parameters left out.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return "(*" + receiver(t.X) + ")"
	case *ast.ParenExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return "?"
}

// local reports whether the parser found what id means inside a function. Its
// own objects are deprecated in favour of go/types, but that needs every
// imported package; the scopes within one file are all that is asked here.
func (r *goReader) local(id *ast.Ident) bool {
	return id.Obj != nil && r.tree.Scope.Lookup(id.Name) != id.Obj
}

func (r *goReader) visit(n ast.Node) bool {
	r.features(n)
	switch n := n.(type) {
	case *ast.Field:
		for _, id := range n.Names {
			r.named[id] = true // a parameter, or a field (defined by its type)
		}
	case *ast.StructType:
		r.defineFields(n.Fields)
	case *ast.InterfaceType:
		r.defineFields(n.Methods)
		for _, f := range n.Methods.List {
			for _, id := range f.Names {
				r.define(goContract, id)
			}
		}
	case *ast.LabeledStmt:
		r.named[n.Label] = true
	case *ast.BranchStmt:
		if n.Label != nil {
			r.named[n.Label] = true
		}
	case *ast.SelectorExpr:
		r.selected(n)
	case *ast.KeyValueExpr:
		if id, ok := n.Key.(*ast.Ident); ok && !r.local(id) {
			r.use(key{space: goMember, name: id.Name}, id.Pos()) // of a struct, if not of a map
		}
	case *ast.Ident:
		r.bound(n)
		if n.Name == "any" && n.Obj == nil && !r.named[n] {
			r.feature(goGenerics, n.Pos())
		}
		if !r.named[n] && !r.local(n) && n != r.tree.Name && n.Name != "_" {
			r.use(key{goPackage, r.scope, n.Name}, n.Pos())
			if n.Obj == nil && n.IsExported() {
				for _, importPath := range r.dotted {
					r.use(key{goImported, importPath, n.Name}, n.Pos())
				}
			}
		}
	}
	return true
}

// bound notes where a name inside a function is declared and used.
func (r *goReader) bound(id *ast.Ident) {
	if r.inside == "" || id.Name == "_" || !r.local(id) {
		return
	}
	k := key{goLocal, r.inside, id.Name}
	if _, isField := id.Obj.Decl.(*ast.Field); isField || id.Obj.Kind != ast.Var {
		k.space = goBound
	}
	if id.Obj.Kind == ast.Lbl {
		return
	}
	if id.Obj.Pos() == id.Pos() {
		r.defines = append(r.defines, occurrence{k, r.line(id.Pos())})
	} else {
		r.use(k, id.Pos())
	}
}

func (r *goReader) defineFields(list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, f := range list.List {
		for _, id := range f.Names {
			r.define(goMember, id)
		}
	}
}

func (r *goReader) selected(n *ast.SelectorExpr) {
	r.named[n.Sel] = true
	switch x := n.X.(type) {
	case *ast.SelectorExpr:
		r.use(key{goChain, path.Dir(r.file), x.Sel.Name + "." + n.Sel.Name}, n.Sel.Pos())
	case *ast.Ident:
		if !r.local(x) && r.imports[x.Name] == "" {
			r.use(key{goChain, path.Dir(r.file), x.Name + "." + n.Sel.Name}, n.Sel.Pos())
		}
	}
	x, ok := n.X.(*ast.Ident)
	if ok && !r.local(x) {
		if importPath, ok := r.imports[x.Name]; ok {
			r.named[x] = true
			r.use(key{goImport, r.file, x.Name}, x.Pos())
			r.use(key{goImported, importPath, n.Sel.Name}, n.Sel.Pos())
			return
		}
	}
	r.use(key{space: goMember, name: n.Sel.Name}, n.Sel.Pos())
}
