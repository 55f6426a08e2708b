package hints

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// What trials lack is named, with a warning where it may hold passwords. What --overlay or --keep brings along already is not.
func TestKeepHint(t *testing.T) {
	top := t.TempDir()
	run := func(name string, args ...string) {
		cmd := exec.Command(name, args...)
		cmd.Dir = top
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v: %s", name, args, err, out)
		}
	}
	run("git", "init", "-q")
	for _, file := range []string{".env", "check.sh", "tests/deep/data.json", "node_modules/pad/index.js", "build/index.mjs"} {
		at := filepath.Join(top, filepath.FromSlash(file))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte("x\n"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(top, ".git", "info", "exclude"), []byte("build/\nnode_modules/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	repo, err := git.Open(t.Context(), top)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		printed       string
		overlay, keep []string
		want          string // "" = no hint
	}{
		{"Cannot find module 'pad'", nil, nil, "node_modules lies in your checkout and in no commit, and the output misses it (\"Cannot find module 'pad'\"): --keep node_modules brings it along (so does --keep auto)"},
		{"Cannot find module 'pad'", []string{"check.sh"}, nil, "node_modules lies in your checkout"},
		{"Cannot find module 'pad'", nil, []string{"node_modules"}, ""},
		{"check.sh: 2: .: cannot open ./.env: No such file", []string{"check.sh"}, nil, ".env lies in your checkout and in no commit, and the output misses it (\"check.sh: 2: .: cannot open ./.env: No such file\"): --keep .env brings it along; .env may hold passwords"},
		{"check.sh: 2: .: cannot open ./.env: No such file", []string{"HEAD:check.sh"}, nil, ".env and check.sh lie in your checkout and in no commit, and the output misses them (\"check.sh: 2: .: cannot open ./.env: No such file\"): --keep .env --keep check.sh brings them along; .env may hold passwords"},
		{"check.sh: 2: .: cannot open ./.env: No such file", []string{"check.sh"}, []string{"auto", ".env"}, ""},
		{"Cannot find module '/tmp/gitdd-1/w-1/build/index.mjs'", nil, nil, "build lies in your checkout and in no commit, and the output misses it (\"Cannot find module '/tmp/gitdd-1/w-1/build/index.mjs'\"): if a build makes it from the sources, --build COMMAND makes it anew in each trial; else --keep build brings yours along"},
		{"tests/deep/data.json: no such file", []string{"tests"}, nil, ""},
		{"tests/deep/data.json: no such file", []string{"tests/other"}, nil, "tests lies in your checkout"},
	} {
		printed := filepath.Join(t.TempDir(), "err")
		if err := os.WriteFile(printed, []byte(test.printed+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		s := settings.Search{Overlay: test.overlay, Keep: test.keep}
		failed := trial.Verdict{Trial: 1, Outcome: isolate.Fail, Stderr: printed}
		got := KeepHint(t.Context(), &s, repo, &trial.EndsError{Good: failed, Bad: failed})
		if (got == "") != (test.want == "") || !strings.HasPrefix(got, test.want) {
			t.Errorf("%q, overlay %q, keep %q:\ngot  %s\nwant %s", test.printed, test.overlay, test.keep, got, test.want)
		}
	}
}
