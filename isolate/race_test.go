//go:build race

package isolate_test

const raced = true
