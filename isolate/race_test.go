//go:build race

package isolate

const Raced = true
