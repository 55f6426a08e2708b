package grouping

import (
	"go/ast"
	gotoken "go/token"
)

// The versions of the Go language that first knew something (go.dev/doc/go1.18
// and so on), as go/version writes them. They bind by the go line of go.mod.
const (
	goGenerics = "go1.18" // type parameters, and the names any and comparable
	goBuiltins = "go1.21" // min, max and clear
	goRangeInt = "go1.22" // range over an integer
)

// feature notes a construct that only a version of Go from this one on knows.
func (r *goReader) feature(version string, p gotoken.Pos) {
	r.use(key{space: goLanguage, name: version}, p)
}

// features notes what n needs; n is visited by r.visit as well.
func (r *goReader) features(n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncType:
		if n.TypeParams != nil {
			r.feature(goGenerics, n.TypeParams.Pos())
		}
	case *ast.TypeSpec:
		if n.TypeParams != nil {
			r.feature(goGenerics, n.TypeParams.Pos())
		}
	case *ast.IndexListExpr:
		r.feature(goGenerics, n.Pos())
	case *ast.RangeStmt:
		if x, ok := n.X.(*ast.BasicLit); ok && x.Kind == gotoken.INT {
			r.feature(goRangeInt, n.X.Pos())
		}
	case *ast.CallExpr:
		if id, ok := n.Fun.(*ast.Ident); ok && id.Obj == nil && (id.Name == "min" || id.Name == "max" || id.Name == "clear") {
			r.feature(goBuiltins, id.Pos())
		}
	}
}
