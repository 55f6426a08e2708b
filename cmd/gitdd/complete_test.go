package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/cli"
)

// A value of a flag is completed by what it may be: by file names only where it is one.
func TestFlagsComplete(t *testing.T) {
	files := []string{"FILE", "PATH", "PATHSPEC"}
	root := (&app{stdout: io.Discard, stderr: io.Discard}).command("gitdd")
	for cmd := range cli.Commands(root) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			name, _ := pflag.UnquoteUsage(f)
			if f.Hidden || f.NoOptDefVal != "" || slices.Contains(files, name) {
				return
			}
			if _, told := cmd.GetFlagCompletionFunc(f.Name); !told {
				t.Errorf("%s --%s %s completes file names", cmd.CommandPath(), f.Name, name)
			}
		})
	}
}

// gitdd help is completed by commands, and by guides.
func TestHelpCompletes(t *testing.T) {
	root := (&app{stdout: io.Discard, stderr: io.Discard}).command("gitdd")
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		t.Fatal(err)
	}
	offered := func(words []string) []string {
		list, _ := help.ValidArgsFunction(help, words, "")
		names := make([]string, len(list))
		for i, c := range list {
			names[i], _, _ = strings.Cut(c, "\t")
		}
		return names
	}
	top := offered(nil)
	for _, topic := range topics() {
		if !slices.Contains(top, topic.Name()) {
			t.Errorf("gitdd help is not completed by %s", topic.Name())
		}
	}
	for _, name := range []string{"run", "btor"} {
		if !slices.Contains(top, name) {
			t.Errorf("gitdd help is not completed by %s", name)
		}
	}
	if got := offered([]string{"btor"}); !slices.Contains(got, "hunt") || slices.Contains(got, "outcomes") {
		t.Errorf("gitdd help btor is completed by %q", got)
	}
}
