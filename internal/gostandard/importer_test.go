package gostandard

import (
	"go/token"
	"go/types"
	"testing"
)

// The standard library is read from its sources; what lies elsewhere is not.
func TestImport(t *testing.T) {
	standard := New()
	for _, c := range []struct{ path, name string }{{"net/http", "Client"}, {"os/user", "Current"}, {"unsafe", "Pointer"}, {"slices", "Sort"}} {
		p, err := standard.Import(c.path)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		if o := p.Scope().Lookup(c.name); o == nil || !o.Exported() || o.Type() == types.Typ[types.Invalid] || o.Pos() == token.NoPos && c.path != "unsafe" {
			t.Errorf("%s.%s is %v", c.path, c.name, o)
		}
	}
	for _, name := range []string{"example.org/x", "no/such/package", "", "../strings", "/strings"} {
		if p, err := standard.Import(name); err == nil {
			t.Errorf("%q is %v", name, p)
		}
	}
}
