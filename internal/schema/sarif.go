package schema

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// SARIFName is the one schema of the set that SARIF returns.
const SARIFName = "sarif-2.1.0.json"

// SARIF is the schema of the Static Analysis Results Interchange Format 2.1.0 with
// errata 01 (OASIS), as module go-sarif has it: a constant of its source, which it keeps
// to itself.
func SARIF() (*Set, error) {
	const of = "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	// The go command knows where it is, also to a test that was built with -trimpath.
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", of).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", of, err)
	}
	name := filepath.Join(strings.TrimSpace(string(dir)), "schema.go")
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		return nil, err
	}
	object := file.Scope.Lookup("schema")
	if object == nil {
		return nil, fmt.Errorf("%s: there is no constant schema", name)
	}
	spec, ok := object.Decl.(*ast.ValueSpec)
	if !ok || len(spec.Values) != 1 {
		return nil, fmt.Errorf("%s: schema is no constant", name)
	}
	literal, ok := spec.Values[0].(*ast.BasicLit)
	if !ok {
		return nil, fmt.Errorf("%s: schema is no literal", name)
	}
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s := newSet()
	return s, s.add(SARIFName, []byte(text), false)
}
