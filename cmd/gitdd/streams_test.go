package main

import (
	"os"
	"testing"
)

func TestCutLines(t *testing.T) {
	const text = "SESSION  COMMAND\na        wide 日本語 test\n\nb        sh\n"
	const want = "SESSION  COMMAND\na        wide …\n\nb        sh\n"
	if got := string(cutLines([]byte(text), 16)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := string(cutLines([]byte(text), 80)); got != text {
		t.Errorf("cut without need:\n%s", got)
	}
}

// Where a pager reads the report, the keys are the pager's.
func TestPiped(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if !piped(w) || piped(null) {
		t.Errorf("a pipe: %v, no pipe: %v", piped(w), piped(null))
	}
}
