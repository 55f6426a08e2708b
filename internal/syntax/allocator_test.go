//go:build cgo

package syntax

import (
	"testing"
	"unsafe"

	ts "github.com/tree-sitter/go-tree-sitter"
)

// A parse allocates nothing by a function of Go.
func TestAllocator(t *testing.T) {
	ts.SetAllocator(
		func(uint) unsafe.Pointer { panic("malloc of Go") },
		func(uint, uint) unsafe.Pointer { panic("calloc of Go") },
		func(unsafe.Pointer, uint) unsafe.Pointer { panic("realloc of Go") },
		nil, // the binding itself frees texts by it
	)
	setAllocator(nil, nil, nil, nil)
	if _, err := Parse(C, []byte("int main(void) { return 0; }\n")); err != nil {
		t.Fatal(err)
	}
}
