package main

import "testing"

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
