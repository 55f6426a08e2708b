package main

import (
	"strings"
	"testing"
)

// Editors get the line in their own way.
func TestEditorArgs(t *testing.T) {
	for editor, want := range map[string]string{
		"vim":                          "+7 f",
		"/usr/bin/vi":                  "+7 f",
		"nvim -u NONE":                 "+7 f",
		"emacsclient -t":               "+7 f",
		`"/opt/my editors/vim.exe" -f`: "+7 f",
		"'/opt/my editors/code' -w":    "--goto f:7:3",
		"code --wait":                  "--goto f:7:3",
		"notepad":                      "f",
		"env X=1 vim":                  "f",
		"":                             "f",
	} {
		if got := strings.Join(editorArgs(editor, "f", 7, 3), " "); got != want {
			t.Errorf("%q: %s, want %s", editor, got, want)
		}
	}
}
