//go:build unix

package trial

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// elsewhere lets candidates be tried on a cluster.
func elsewhere(c *cluster) func(*InputOptions) {
	c.wrapped = true
	return func(o *InputOptions) { o.Remote = c.run }
}

// TestInputOutcomesAway: outcomes are the same on other machines.
func TestInputOutcomesAway(t *testing.T) { testInputOutcomes(t, elsewhere(&cluster{t: t})) }

// TestInputPlaceAway: on another machine the command finds the candidate as it does here, and in GITDD_DIR itself
// and what was named, as that was when the session began.
func TestInputPlaceAway(t *testing.T) {
	start := t.TempDir()
	writeFiles(t, start, "sub/check.sh", `#!/bin/sh
top=${PWD%/in}
case $1 in "$PWD"*) ;; *) exit 9 ;; esac
[ "$GITDD_WORKSPACE" = "$PWD" ] || exit 8
echo "${1#$PWD}|${GITDD_INPUT#$PWD}|${GITDD_DIR#$top}|$(find . | sort | tr '\n' ' ')|$(cd "$GITDD_DIR" && find . -type f -exec cat {} + | grep -c word)|$(cat)"
echo >more; exit 1
`, "lib/a", "word\n", "lib/b", "word\n", "other", "word\n")
	for _, test := range []struct {
		name string
		in   testcase.Input
		want string
		also []string
	}{
		{"a file", file("a b.txt", "text"), "/a b.txt|/a b.txt|/dir|. ./a b.txt |3|", nil},
		{"its standard input", file("it's", "text"), "/it's|/it's|/dir|. ./it's |3|text", []string{OnStdin}},
		{"a directory", tree("d/x", "1", "d/y/z", "2", "d/l", "->y/z"), "/d|/d|/dir|. ./d ./d/l ./d/x ./d/y ./d/y/z |3|", nil},
		{"two files", tree("a", "1", "b", "2"), "||/dir|. ./a ./b |3|", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &cluster{t: t}
			s := inputSession(t, start)
			set := func(o *InputOptions) {
				elsewhere(c)(o)
				o.Command = append([]string{"./sub/check.sh", "{}"}, test.also...)
				o.Overlay = []string{"lib"}
			}
			r := reducingIn(t, s, test.in, "", set)
			v := r.begin()
			if got := strings.TrimSuffix(read(t, v.Stdout), "\n"); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if r.limits.test != 10*time.Second {
				t.Errorf("limit %v", r.limits.test)
			}
			if v, err := r.Confirm(context.Background(), test.in); err != nil || v.Outcome != isolate.Fail || c.tasks[1].Salt != "confirm" {
				t.Errorf("confirmed: %v, %v, salt %q", v.Outcome, err, c.tasks[1].Salt)
			}
			if empty := r.verdict(test.in.Empty()); empty.Outcome != isolate.Fail {
				t.Errorf("empty: %+v", empty)
			}
			for _, task := range c.tasks[1:] {
				if task.Files.Root.Entries[0].Folder != c.tasks[0].Files.Root.Entries[0].Folder {
					t.Error("the tasks do not share the auxiliary files")
				}
			}
			r.close()

			// Whatever becomes of the files here, the session goes on with those that it has.
			writeFiles(t, start, "lib/a", "changed")
			s, err := OpenSession(s.Dir())
			if err != nil {
				t.Fatal(err)
			}
			r = reducingIn(t, s, test.in, "", set)
			if v := r.begin(); !v.Cached {
				t.Errorf("not from the journal: %+v", v)
			}
			writeFiles(t, start, "lib/a", "word\n")
		})
	}
	for name, want := range map[string]string{"../x": "below " + start + " only", "absent": "no such file"} {
		o := InputOptions{Original: file("a", "x")}
		o.Session, o.Command, o.Remote, o.Overlay = inputSession(t, start), []string{"true"}, (&cluster{t: t}).run, []string{name}
		if _, err := NewInputs(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
		o.Session.Close()
	}
}

// TestInputLost: a candidate that machines lose is tried again, and is unresolved at last; the original never is.
func TestInputLost(t *testing.T) {
	c := &cluster{t: t, before: lostTask(2)}
	r := reducing(t, file("in", "x"), "exit 1", elsewhere(c))
	r.patience.first = time.Millisecond
	r.begin()
	if got := r.session.InOrder()[0].Remote; got == nil || got.Lost != 2 || got.Machine != "node1" {
		t.Errorf("%+v", got)
	}
	c.before = lostTask(MostLosses)
	if v := r.verdict(file("in", "y")); v.Outcome != isolate.Unresolved || !strings.Contains(v.Reason, "lost 5 times") {
		t.Errorf("%+v", v)
	}
	r = reducing(t, file("in", "x"), "exit 1", elsewhere(c))
	r.patience.first = time.Millisecond
	if _, err := r.Original(t.Context()); err == nil || !strings.Contains(err.Error(), "the answer would rest on it") {
		t.Error(err)
	}
}

// TestInputLinked: a command that is a symbolic link travels as the file that it leads to.
func TestInputLinked(t *testing.T) {
	start := t.TempDir()
	writeFiles(t, start, "real/check", "#!/bin/sh\nexit 1\n")
	if err := os.Symlink(filepath.Join("real", "check"), filepath.Join(start, "check")); err != nil {
		t.Fatal(err)
	}
	r := reducingIn(t, inputSession(t, start), file("in", "x"), "", func(o *InputOptions) {
		elsewhere(&cluster{t: t})(o)
		o.Command = []string{"./check"}
	})
	if v := r.begin(); v.Exit != 1 {
		t.Errorf("%+v", v)
	}
}
