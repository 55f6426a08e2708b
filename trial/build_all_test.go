package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// manyErrors repeats a line n times, with numbers.
func manyErrors(n int, line string) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, line+"\n", i, i)
	}
	return text.String()
}

// counted has a build leave a byte in a file for each of its runs.
func counted(t *testing.T, build string) (line string, runs func() int) {
	count := filepath.Join(t.TempDir(), "count")
	return "printf . >>" + count + "; " + build, func() int {
		info, err := os.Stat(count)
		if err != nil {
			t.Fatal(err)
		}
		return int(info.Size())
	}
}

// sameRecords compares the journals of two sessions, but for times.
func sameRecords(t *testing.T, one, other []Record) {
	t.Helper()
	if diff := cmp.Diff(one, other, cmpopts.IgnoreFields(Record{}, "Seconds", "BuildSeconds", "Elapsed", "Memory", "Trial"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("with and without a second run: %s", diff)
	}
}

// Real tools print in the second run what they keep back in the first, and only where
// they do is there a second run.
func TestBuildAllOfTools(t *testing.T) {
	module := []string{"go.mod", "module example.org/m\n\ngo 1.21\n"}
	lib := append(module,
		"lib/lib.go", "package lib\n"+manyErrors(40, "func F%d() { lost%d() }"),
		"lib/more/more.go", "package more\n",
		"top/top.go", "package top\n\nimport \"example.org/m/lib\"\n\nvar F = lib.F0\n")
	tests := append(module,
		"lib/lib.go", "package lib\n",
		"lib/lib_test.go", "package lib_test\n"+manyErrors(40, "func F%d() { lost%d() }"))
	parts := []string{"Makefile", "all: a.o b.o c.o\n%.o: %.c\n\tcc -c $< -o $@\n",
		"a.c", "int a(void) { return lost; }\n", "b.c", "int b(void) { return 0; }\n", "c.c", "int c(void) { return lost; }\n"}
	java := []string{"A.java", "class A {\n" + manyErrors(140, "void f%d() { lost%d(); }") + "}\n"}
	few := append(module, "few.go", "package few\n"+manyErrors(3, "func F%d() { lost%d() }"))
	const goSays, ccSays, javaSays = "undefined: lost", "'lost' undeclared", "error: cannot find symbol"
	for _, test := range []struct {
		name, build, dir string
		env              []string
		files            []string
		says             string
		first, all, runs int
	}{
		{name: "go build", build: "go build ./...", files: lib, says: goSays, first: 10, all: 40, runs: 2},
		{name: "go in a directory", build: "go build .", dir: "top", files: lib, says: goSays, first: 10, all: 40, runs: 2},
		{name: "go test -c", build: "go test -c -o /dev/null ./lib", files: tests, says: goSays, first: 10, all: 40, runs: 2},
		{name: "go vet", build: "go vet ./top", files: lib, says: goSays, first: 10, all: 40, runs: 2},
		{name: "go with flags", build: "go build -gcflags=-N ./...", files: lib, says: goSays, first: 10, all: 10, runs: 1},
		{name: "GOFLAGS", build: "go build ./...", env: []string{"GOFLAGS", "-gcflags=-N"}, files: lib, says: goSays, first: 10, all: 10, runs: 1},
		{name: "go by a script", build: "set -e; cd top; go build . 2>&1", files: lib, says: goSays, first: 10, all: 40, runs: 2},
		{name: "go with few errors", build: "go build ./...", files: few, says: goSays, first: 3, all: 3, runs: 1},
		{name: "make", build: "make", files: parts, says: ccSays, first: 1, all: 2, runs: 2},
		{name: "make below make", build: "make", env: []string{"MAKEFLAGS", "w --no-builtin-rules"}, files: parts, says: ccSays, first: 1, all: 2, runs: 2},
		{name: "make -k", build: "make -k", files: parts, says: ccSays, first: 2, all: 2, runs: 1},
		{name: "javac", build: "javac A.java", files: java, says: javaSays, first: 100, all: 140, runs: 2},
		{name: "javac with a limit", build: "javac -Xmaxerrs 7 A.java", files: java, says: javaSays, first: 7, all: 7, runs: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			seed.SkipLong(t, 6)
			for _, tool := range []string{"go", "make", "cc", "javac"} {
				needs := strings.HasPrefix(test.name, tool) || tool == "go" && test.name == "GOFLAGS" || tool == "cc" && test.says == ccSays
				if _, err := exec.LookPath(tool); err != nil && needs {
					t.Skipf("there is no %s here to build with", tool)
				}
			}
			t.Setenv("GOMAXPROCS", "1") // the go command compiles one package after the other, and prints their errors in this order
			t.Setenv("LC_ALL", "C")
			t.Setenv("MAKEFLAGS", "")
			t.Setenv("JDK_JAVAC_OPTIONS", "")
			if len(test.env) > 0 {
				t.Setenv(test.env[0], test.env[1])
			}
			h := newHistory(t)
			h.commit("good", append([]string{test.dir + "/kept", ""}, module...)...)
			h.commit("bad", test.files...)
			build, runs := counted(t, test.build)
			settings := func(o *Options) { o.Build, o.Dir = build, test.dir }
			b := h.bench(settings)
			defer b.close()
			b.cheap = time.Hour
			all := isolate.Full(b.set.Len())
			if v := b.verdict(all); v.Outcome != isolate.Unresolved || runs() != test.runs {
				t.Fatalf("%v (%s) after %d runs of the build, want %d", v.Outcome, v.Reason, runs(), test.runs)
			}
			rec := b.session.Records()[0]
			first := read(t, b.session.Output(rec.Trial, "build.out")) + read(t, b.session.Output(rec.Trial, "build.err"))
			out, ok := b.Output(b.set, all)
			if n, m := strings.Count(first, test.says), strings.Count(string(out), test.says); !ok || n != test.first || m != test.all {
				t.Errorf("%d messages and then %d, want %d and %d:\n%s", n, m, test.first, test.all, out)
			}
			_, err := os.Stat(b.session.Output(rec.Trial, "build.all"))
			if kept := err == nil; kept != (test.all > test.first) {
				t.Errorf("the output of the second run: %v", err)
			}

			without := h.bench(settings)
			defer without.close()
			without.brief.Store(true)
			without.verdict(all)
			sameRecords(t, b.session.Records(), without.session.Records())
			if out, _ := without.Output(without.set, all); strings.Count(string(out), test.says) != test.first || runs() != test.runs+1 {
				t.Errorf("without a second run: %d runs, %s", runs()-test.runs, out)
			}
		})
	}
}

// What counts of GOFLAGS is what go says, for `go env -w` sets it, too.
func TestBuildAllKeepsFlags(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go here to build with")
	}
	config := filepath.Join(t.TempDir(), "env")
	t.Setenv("GOENV", config)
	t.Setenv("GOFLAGS", "")
	for flags, want := range map[string]int{"-tags=more": 80, "-gcflags=-N": 10} {
		if err := os.WriteFile(config, []byte("GOFLAGS="+flags+"\nGOTOOLCHAIN=local\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		h := newHistory(t)
		h.commit("good", "go.mod", "module example.org/m\n\ngo 1.21\n")
		h.commit("bad", "a.go", "package m\n"+manyErrors(40, "func F%d() { lost%d() }"),
			"b.go", "//go:build more\n\npackage m\n"+manyErrors(40, "func G%d() { lost%d() }"))
		b := h.bench(func(o *Options) { o.Build = "go build ./..." })
		b.cheap = time.Hour
		b.verdict(isolate.Full(2))
		if out, _ := b.Output(b.set, isolate.Full(2)); strings.Count(string(out), "undefined: lost") != want {
			t.Errorf("%s: want %d messages: %s", flags, want, out)
		}
		b.close()
	}
}

// talker is a build that fails with a, which says more the second time, after doing
// what is given.
func talker(second string) string {
	return `echo ran >>log
		grep -q 1 a || exit 0
		case $MAKEFLAGS in *k*) ` + second + `
			echo "a.c: one; b.c: two"; esac
		echo "make: *** [all] Error 2" >&2; exit 2`
}

func talkingHistory(t *testing.T) history {
	t.Setenv("MAKEFLAGS", "")
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n", "other", "\n")
	h.commit("bad", "a", "1\n", "b", "1\n")
	return h
}

// Whatever the second run does changes nothing but what is known of the first.
func TestBuildAllChangesNothing(t *testing.T) {
	h := talkingHistory(t)
	const less, more = "make: *** [all] Error 2\n", "a.c: one; b.c: two\nmake: *** [all] Error 2\n"
	for name, test := range map[string]struct {
		second, want string
		slow         bool
	}{
		"fails":                 {"", more, false},
		"passes":                {"echo a long line of what it did; exit 0", less, false},
		"says nothing":          {"exit 1", less, false},
		"is killed":             {"echo a long line of what it did; kill -9 $$", less, false},
		"ends its supervisor":   {"kill -9 $PPID", less, false},
		"writes":                {"echo ran >>log; echo 7 >a; echo 7 >b; echo 7 >other; echo 7 >new; rm -rf .git;", more, false},
		"removes the workspace": {`rm -rf "$PWD"; cd /;`, more, false},
		"takes rights away":     {"mkdir -p d/e; chmod 0 d . a;", more, false},
		"fills its own TMPDIR":  {`echo 7 >"$TMPDIR/left";`, more, false},
		"hangs":                 {"sleep 1000 & echo a long line of what it did; sleep 1000", less, true},
	} {
		t.Run(name, func(t *testing.T) {
			seed.SkipLong(t, 6)
			var journals [2][]Record
			for i, brief := range []bool{true, false} {
				b := h.bench(func(o *Options) {
					o.Build = talker(test.second)
					o.Command = []string{"sh", "-c", `test "$(wc -l <log)" -eq 2 && test "$(cat other b new .git 2>/dev/null | grep -cx 7)" -eq 0 && test ! -e "$TMPDIR/left"`}
				})
				b.brief.Store(brief)
				if test.slow {
					b.cheap = 2 * time.Second
				}
				began := time.Now()
				broken := isolate.Of(2, 0)
				if v := b.verdict(broken); v.Outcome != isolate.Unresolved || v.Reason != "the build failed: exit 2" {
					t.Errorf("%v, %s", v.Outcome, v.Reason)
				}
				if took := time.Since(began); took > 10*time.Minute {
					t.Errorf("it took %v: it was not ended", took)
				}
				want := test.want
				if brief {
					want = less
				}
				if out, ok := b.Output(b.set, broken); !ok || string(out) != want {
					t.Errorf("the output is %q, want %q", out, want)
				}
				if left, _ := filepath.Glob(b.space() + ".[ac]*"); len(left) > 0 {
					t.Errorf("%v is left", left)
				}
				if v := b.verdict(isolate.Of(2, 1)); v.Outcome != isolate.Pass {
					t.Errorf("the next trial: %v, %s", v.Outcome, v.Reason)
				}
				if hung := b.brief.Load(); hung != (brief || test.slow) {
					t.Errorf("brief: %v", hung)
				}
				journals[i] = b.session.Records()
				b.close()
			}
			sameRecords(t, journals[0], journals[1])
		})
	}
}

// A second run that is cancelled leaves no record, and the workspace as it was.
func TestBuildAllCancelled(t *testing.T) {
	h := talkingHistory(t)
	began := filepath.Join(t.TempDir(), "began")
	b := h.bench(func(o *Options) {
		o.Build = talker("test -e " + began + " || { echo 7 >new; echo >" + began + "; sleep 1000; };")
		o.Command = []string{"test", "!", "-e", "new"}
	})
	defer b.close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for _, err := os.Stat(began); err != nil && ctx.Err() == nil; _, err = os.Stat(began) {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	broken := isolate.Of(2, 0)
	if _, err := b.Test(b.set)(ctx, broken); !errors.Is(err, context.Canceled) || len(b.session.Records()) != 0 {
		t.Errorf("%v, %d records", err, len(b.session.Records()))
	}
	if v := b.verdict(isolate.Of(2, 1)); v.Outcome != isolate.Pass {
		t.Errorf("the next trial: %v, %s", v.Outcome, v.Reason)
	}
	b.verdict(broken)
	if out, _ := b.Output(b.set, broken); !strings.Contains(string(out), "two") {
		t.Errorf("asked again: %s", out)
	}
}

// Nothing runs twice that was not cut, or need not be known; what a killed process left
// is not taken for the output of another trial; who resumes has what there was.
func TestBuildAllOnce(t *testing.T) {
	h := talkingHistory(t)
	for name, test := range map[string]struct {
		build string
		set   func(*Options)
		runs  int
	}{
		"it passed":       {"echo 'make: *** [all] Error 2'", nil, 1},
		"it was not cut":  {"echo 'error: no'; exit 1", nil, 1},
		"it was killed":   {"echo 'make: *** [all] Error 2'; kill -TERM $$", nil, 1},
		"it went on":      {"echo 'make: *** [all] Error 2'; echo 'make: Target all not remade because of errors.'; exit 2", nil, 1},
		"it was long":     {"echo 'make: *** [all] Error 2'; sleep 0.1; exit 2", nil, 1},
		"disk is bounded": {"echo 'make: *** [all] Error 2'; exit 2", func(o *Options) { o.MaxDisk = 1 << 30 }, 1},
		"it was cut":      {"echo 'make: *** [all] Error 2'; exit 2", nil, 2},
	} {
		t.Run(name, func(t *testing.T) {
			seed.SkipLong(t, 3)
			build, runs := counted(t, test.build)
			b := h.bench(func(o *Options) {
				o.Build = build
				if test.set != nil {
					test.set(o)
				}
			})
			defer b.close()
			if name == "it was long" {
				b.cheap = 100 * time.Millisecond
			}
			if err := os.WriteFile(b.session.Output(1, "build.all"), []byte("of a process that was killed"), 0o666); err != nil {
				t.Fatal(err)
			}
			b.verdict(isolate.Full(2))
			if n := runs(); n != test.runs {
				t.Errorf("the build ran %d times, want %d", n, test.runs)
			}
			if out, _ := b.Output(b.set, isolate.Full(2)); strings.Contains(string(out), "killed") {
				t.Errorf("the output is %q", out)
			}
		})
	}
}

func TestBuildAllResumed(t *testing.T) {
	h := talkingHistory(t)
	session := h.session(t.TempDir())
	build, runs := counted(t, talker(""))
	settings := func(o *Options) { o.Build = build }
	b := h.benchIn(session, settings)
	broken := isolate.Of(2, 0)
	b.verdict(broken)
	out, ok := b.Output(b.set, broken)
	b.close()
	session, err := OpenSession(session.Dir())
	if err != nil {
		t.Fatal(err)
	}
	again := h.benchIn(session, settings)
	defer again.close()
	again.verdict(broken)
	if now, found := again.Output(again.set, broken); !ok || !found || string(now) != string(out) || !strings.Contains(string(now), "two") || runs() != 2 {
		t.Errorf("the output was %q, and is %q after %d runs", out, now, runs())
	}
}

func TestPromptValues(t *testing.T) {
	for _, test := range []struct {
		add                 func(string, []byte) string
		value, output, want string
	}{
		{goOn, "", "", "-k"},
		{goOn, "w", "", "kw"},
		{goOn, " rR -j2 --jobserver-auth=3,4", "", "krR -j2 --jobserver-auth=3,4"},
		{goOn, "-j2", "", "-k -j2"},
		{goOn, "CC=gcc", "", "-k CC=gcc"},
		{mostErrors, "-Xlint", "", "-Xlint -Xmaxerrs 1000"},
		{wholePackages, "-mod=mod", "# a/b\nx.go:1:2: too many errors\n# c\nx.go:1:2: no\n", "-mod=mod -gcflags=a/b=-e"},
		{wholePackages, "", "# a [a.test]\nx.go:1:2: too many errors\n# a_test [a.test]\nx.go:1:2: too many errors\r\n", "-gcflags=a=-e"},
		{wholePackages, "", "# a\nx.go:1:2: too many errors\n# b_test\nx.go:1:2: too many errors\n", "-gcflags=a=-e -gcflags=b_test=-e"},
		{wholePackages, "", "x.go:1:2: too many errors\n", "-gcflags=./...=-e"},
		{wholePackages, "", "# -toolexec=x\nx.go:1:2: too many errors\n", "-gcflags=./...=-e"},
		{wholePackages, "", "# a=b'c\nx.go:1:2: too many errors\n", "-gcflags=a=-e"},
	} {
		if got := test.add(test.value, []byte(test.output)); got != test.want {
			t.Errorf("%q with %q: %q, want %q", test.value, test.output, got, test.want)
		}
	}
}
