//go:build cgo

package syntax

import (
	_ "unsafe" // for go:linkname

	_ "github.com/tree-sitter/go-tree-sitter"
)

// The Go binding of tree-sitter, when it is initialized, makes the library allocate by functions of Go, which call
// malloc and free: each allocation then enters Go and C once more, up to half of the time of a parse. Here the library
// gets malloc and free themselves, so that what one of the two has allocated the other may free.
func init() { setAllocator(nil, nil, nil, nil) }

// setAllocator is ts_set_allocator, which takes the function of C for nil. The binding has it, but does not export it.
//
//go:linkname setAllocator github.com/tree-sitter/go-tree-sitter._Cfunc_ts_set_allocator
func setAllocator(malloc, calloc, realloc, free *[0]byte) [0]byte
