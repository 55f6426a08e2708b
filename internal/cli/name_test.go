package cli

import "testing"

// Each command that is to be run on a session names it, as its help says; nothing else changes.
func TestWithSession(t *testing.T) {
	const name = "20261130-230942-56c8d0"
	with := WithSession(name, "show", "log", "apply", "checkout", "resume", "serve", "next", "undo", "go")
	for text, want := range map[string]string{
		"gitdd log --trial 9":                            "gitdd log --trial 9 " + name,
		"gitdd apply --revert --cause 1":                 "gitdd apply --revert --cause 1 " + name,
		"gitdd checkout failing ../out":                  "gitdd checkout failing ../out " + name,
		"gitdd go -- COMMAND":                            "gitdd go " + name + " -- COMMAND",
		" (gitdd show --full)":                           " (gitdd show --full " + name + ")",
		"try `gitdd resume`, or `gitdd log`: it helps":   "try `gitdd resume " + name + "`, or `gitdd log " + name + "`: it helps",
		"`gitdd show 20261130-000000-000000` shows":      "`gitdd show 20261130-000000-000000` shows",
		"in a new session:\ngitdd run --good v1 -- make": "in a new session:\ngitdd run --good v1 -- make",
		"gitdd has found it":                             "gitdd has found it",
	} {
		if got := with(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
