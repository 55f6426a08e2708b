package trial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// file is an input of one file.
func file(name, content string) testcase.Input {
	return testcase.Input{Files: []testcase.File{{Path: name, Mode: 0o644, Content: []byte(content)}}}
}

// tree is an input of a directory, given as path, content pairs; "->x" is a symlink.
func tree(pairs ...string) testcase.Input {
	in := testcase.Input{Dir: true}
	for i := 0; i < len(pairs); i += 2 {
		f := testcase.File{Path: pairs[i], Mode: 0o644, Content: []byte(pairs[i+1])}
		if target, ok := strings.CutPrefix(pairs[i+1], "->"); ok {
			f.Mode, f.Content = 0o777|fs.ModeSymlink, []byte(target)
		}
		in.Files = append(in.Files, f)
	}
	slices.SortFunc(in.Files, func(a, b testcase.File) int { return strings.Compare(a.Path, b.Path) })
	return in
}

// A reducer is Inputs in a session of their own.
type reducer struct {
	*Inputs
	t testing.TB
}

func inputSession(t testing.TB, start string) *Session {
	t.Helper()
	s, err := CreateSession(t.TempDir(), Header{Version: "test", Started: time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC), Name: "reduce", Dir: start})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// reducing prepares to reduce original with a shell script.
func reducing(t testing.TB, original testcase.Input, script string, set func(*InputOptions)) *reducer {
	t.Helper()
	return reducingIn(t, inputSession(t, t.TempDir()), original, script, set)
}

func reducingIn(t testing.TB, s *Session, original testcase.Input, script string, set func(*InputOptions)) *reducer {
	t.Helper()
	opts := InputOptions{Original: original}
	opts.Session, opts.Command = s, []string{"sh", "-c", script}
	if set != nil {
		set(&opts)
	}
	in, err := NewInputs(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	r := &reducer{in, t}
	t.Cleanup(r.close)
	return r
}

func (r *reducer) close() {
	if r.session.lock == nil {
		return
	}
	if err := errors.Join(r.Close(), r.session.Close()); err != nil {
		r.t.Error(err)
	}
}

func (r *reducer) begin() Verdict {
	r.t.Helper()
	v, err := r.Original(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}

func (r *reducer) verdict(in testcase.Input) Verdict {
	r.t.Helper()
	v, err := r.Test(context.Background(), in)
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}

func TestInputOutcomes(t *testing.T) { testInputOutcomes(t, func(*InputOptions) {}) }

// testInputOutcomes tests outcomes of candidates where also says.
func testInputOutcomes(t *testing.T, also func(*InputOptions)) {
	const script = `case $(cat in) in
		one*) echo one; exit 1;; two*) echo two; exit 2;; other*) echo other; exit 1;; skip) exit 125;;
		segv*) kill -SEGV $$;; abrt) kill -ABRT $$;; hang) sleep 100;; esac`
	for _, test := range []struct {
		name, original string
		set            func(*InputOptions)
		want           string // outcomes of the candidates
	}{
		{"exit 1", "one", nil, "one1 fail, two - other, other fail, skip - , segv - other, good pass"},
		{"exit 2", "two", nil, "one - other, two1 fail, segv - other, good pass"},
		{"match", "one", func(o *InputOptions) { o.Match = regexp.MustCompile("one") }, "one1 fail, other - other, good pass"},
		{"same output", "one", func(o *InputOptions) { sameOutput("^[a-z]+$")(&o.Options) }, "one1 fail, other - other"},
		{"signal", "segv", nil, "segv1 fail, abrt - other, one - other, good pass"},
		{"hang", "hang", func(o *InputOptions) { o.Timeout = time.Second }, "one - other, good pass"},
		{"answers", "one", func(o *InputOptions) { o.Answers = []int{2, 3} }, "one1 fail, two pass, other fail, good pass, segv - other"},
		{"answers, one of them to be told", "two", func(o *InputOptions) { o.Answers, o.Match = []int{1, 2}, regexp.MustCompile("two") }, "one pass, two2 fail, good pass"},
		{"answers of the interesting", "good", func(o *InputOptions) { o.Interesting, o.Answers = true, []int{0, 2} }, "good1 fail, one pass, two pass"},
		{"interesting", "good", func(o *InputOptions) { o.Interesting = true }, "good1 fail, one pass, two pass, skip - , segv - "},
		{"interesting match", "else", func(o *InputOptions) { o.Interesting, o.Match = true, regexp.MustCompile("^$") }, "good1 fail, one pass"},
	} {
		t.Run(test.name, func(t *testing.T) {
			seed.SkipLong(t, 6)
			r := reducing(t, file("in", test.original), script, func(o *InputOptions) {
				if also(o); test.set != nil {
					test.set(o)
				}
			})
			if v := r.begin(); v.Outcome != isolate.Fail {
				t.Fatalf("the original: %+v", v)
			}
			var got []string
			for want := range strings.SplitSeq(test.want, ", ") {
				content, _, _ := strings.Cut(want, " ")
				v := r.verdict(file("in", content))
				outcome := v.Outcome.String()
				if v.Outcome == isolate.Unresolved {
					outcome = "- "
					if v.Other {
						outcome += "other"
					}
				}
				got = append(got, content+" "+outcome)
			}
			if got := strings.Join(got, ", "); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestInputPlace(t *testing.T) {
	start := t.TempDir()
	writeFiles(t, start, "check.sh", `#!/bin/sh
echo "$PWD|$1|$GITDD_INPUT|$GITDD_DIR|$(find . | sort | tr '\n' ' ')|$(cat "$GITDD_INPUT" 2>/dev/null)"
rm -f seen; : > left; : > "$TMPDIR/left"; exit 1
`)
	for _, test := range []struct {
		name  string
		in    testcase.Input
		want  string // of $1 and GITDD_INPUT, in the directory
		files string
	}{
		{"a file", file("a b.txt", "text"), "/a b.txt", ". ./a b.txt "},
		{"a directory", tree("d/x", "1", "d/y/z", "2", "d/l", "->y/z"), "/d", ". ./d ./d/l ./d/x ./d/y ./d/y/z "},
		{"two files", tree("a", "1", "b", "2"), "", ". ./a ./b "},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := inputSession(t, start)
			r := reducingIn(t, s, test.in, "", func(o *InputOptions) { o.Command = []string{"./check.sh", "{}"} })
			for range 2 { // the second confirms, in another place
				v := r.begin()
				if v.Cached {
					var err error
					if v, err = r.Confirm(context.Background(), test.in); err != nil {
						t.Fatal(err)
					}
				}
				dir, rest, _ := strings.Cut(read(t, v.Stdout), "|")
				want := fmt.Sprintf("%s|%s|%s|%s|", dir+test.want, dir+test.want, start, test.files)
				if !strings.HasPrefix(rest, want) {
					t.Errorf("got  %s\nwant %s", rest, want)
				}
				if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s is still there: %v", dir, err)
				}
				if !strings.HasPrefix(dir, s.Dir()) {
					t.Errorf("%s lies outside of the session", dir)
				}
			}
			if empty := r.verdict(test.in.Empty()); empty.Outcome != isolate.Fail {
				t.Errorf("empty: %+v", empty)
			}
			if s := r.Stats(); s.Run != 3 {
				t.Errorf("%d trials, want 3", s.Run)
			}
			if left, err := filepath.Glob(filepath.Join(start, "*")); len(left) != 1 {
				t.Errorf("%q is left where gitdd was started: %v", left, err)
			}
		})
	}
}
