package reapi

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"

	"github.com/gitdd/gitdd/internal/reapitest"
	"github.com/gitdd/gitdd/trial"
)

// TestTake meets answers that no wrapper leaves: they say nothing about a configuration,
// and nothing is written but what was asked for.
func TestTake(t *testing.T) {
	t.Parallel()
	c := dial(t, reapitest.Start(t, reapitest.Options{}), nil)
	const outcome = `{"gitdd":1,"setup":{"ran":false},"build":{"ran":false},"test":{"ran":true,"exit":1,"timed_out":false,"ms":5,"cut":0}}`
	whole := func() map[string]string {
		return map[string]string{"out/outcome.json": outcome, "out/out": "printed\n", "out/err": ""}
	}
	for name, c2 := range map[string]struct {
		change func(map[string]string)
		want   string // of the error; "" = it is taken
	}{
		"whole":           {func(map[string]string) {}, ""},
		"more":            {func(m map[string]string) { m["out/../../odd"], m["/odd"], m["out/build.out"] = "a", "b", "c" }, ""},
		"without err":     {func(m map[string]string) { delete(m, "out/err") }, "the server has no err of the task"},
		"without out":     {func(m map[string]string) { delete(m, "out/out") }, "the server has no out of the task"},
		"without outcome": {func(m map[string]string) { delete(m, "out/outcome.json") }, "the task left no outcome.json"},
		"long outcome":    {func(m map[string]string) { m["out/outcome.json"] += strings.Repeat(" ", 1<<20) }, "outcome.json of 1048"},
		"long output":     {func(m map[string]string) { m["out/out"] = strings.Repeat("x", 5<<20) }, "out of 5242880 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := whole()
			c2.change(files)
			answer := &repb.ActionResult{}
			for path, text := range files {
				answer.OutputFiles = append(answer.OutputFiles, &repb.OutputFile{
					Path: path, Digest: digestOf([]byte(text)).proto(), Contents: []byte(text)})
			}
			check := task(t, tree{}.snapshot(), "exit 1")
			r, err := (&performance{Client: c, task: check}).take(t.Context(), answer, false)
			if c2.want != "" {
				var lost *trial.LostError
				if !errors.As(err, &lost) || !strings.Contains(err.Error(), c2.want) {
					t.Errorf("%+v, %v", r, err)
				}
				return
			}
			if err != nil || r.Test.Exit != 1 || printed(t, check, "out") != files["out/out"] {
				t.Errorf("%+v, %v", r, err)
			}
			written, err := os.ReadDir(filepath.Dir(check.Output("out")))
			if err != nil || len(written) != 2 {
				t.Errorf("written are %v, %v", written, err)
			}
		})
	}
}
