//go:build unix

package trial

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/measure"
	"github.com/gitdd/gitdd/internal/process"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

func numberOf(t testing.TB, text string) measure.What {
	t.Helper()
	w, err := measure.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// One trial has a number, in the verdict and in the journal, and one without a number says why.
func TestMeasure(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "d/n", "4\n", "d/how", "exit 0\n")
	h.commit("bad", "d/n", "5.5\n", "d/how", "exit 0\n", "d/stale", "1", "d/unit", "ms", "d/fails", "1")
	const script = `cat n >&2; echo "took $(cat n)$(cat unit 2>/dev/null)"; test -e stale || echo "{\"n\":$(cat n)}" >n.json; test -e fails && exit 3; exit 0`
	run := func(what string, do func(b *bench)) {
		t.Run(what, func(t *testing.T) {
			h := history{t, h.dir}
			b := h.bench(func(o *Options) {
				o.Dir, o.Command, o.Measure = "d", []string{"sh", "-c", script}, numberOf(t, what)
				o.Build = "echo took 1000" // which is not measured
			})
			do(b)
		})
	}
	check := func(v Verdict, outcome isolate.Outcome, value, reason string) {
		t.Helper()
		got := "none"
		if v.Value != nil {
			got = fmt.Sprintf("%v %s", *v.Value, v.Unit)
		}
		if v.Outcome != outcome || got != value || !strings.Contains(v.Reason, reason) {
			t.Errorf("got %v, value %s, %q; want %v, %s, %q", v.Outcome, got, v.Reason, outcome, value, reason)
		}
	}
	run("regex:^took ([0-9.]+)", func(b *bench) {
		check(b.verdict(b.config()), isolate.Pass, "4 ", "exit 0")
		check(b.verdict(b.config("d/n")), isolate.Pass, "5.5 ", "exit 0")
		check(b.verdict(b.config("d/unit")), isolate.Unresolved, "none", "exit 0, but its number has the unit ms, and that of the first trial no unit")
		check(b.verdict(b.config("d/fails")), isolate.Fail, "none", "exit 3")
		records := b.sess.Records()
		if len(records) != 4 || records[0].Value == nil || *records[1].Value != 5.5 || records[2].Value != nil || records[3].Value != nil {
			t.Errorf("%+v", records)
		}
	})
	run(`regex:[0-9.]+`, func(b *bench) {
		check(b.verdict(b.config()), isolate.Unresolved, "none", `exit 0, but the output has more than one match of [0-9.]+: "4" and "4"`)
	})
	run("json:n.json:/n", func(b *bench) {
		check(b.verdict(b.config()), isolate.Pass, "4 ", "exit 0")
		check(b.verdict(b.config("d/n")), isolate.Pass, "5.5 ", "exit 0")
		check(b.verdict(b.config("d/stale")), isolate.Unresolved, "none", "n.json was there before, and the command did not write it")
	})
	run("size:n", func(b *bench) {
		check(b.verdict(b.config()), isolate.Pass, "2 bytes", "exit 0")
		check(b.verdict(b.config("d/n")), isolate.Pass, "4 bytes", "exit 0")
	})
}

// A resumed session knows the unit of its first number.
func TestMeasureResumed(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "n", "took 4ms\n")
	h.commit("bad", "n", "took 2.5s\n")
	dir := t.TempDir()
	set := func(o *Options) { o.Command, o.Measure = []string{"cat", "n"}, numberOf(t, "regex:took ([0-9.]+)") }
	b := h.benchIn(h.session(dir), set)
	if v := b.verdict(b.config()); v.Value == nil || *v.Value != 4 || v.Unit != "ms" {
		t.Errorf("%+v", v)
	}
	name := b.sess.dir
	b.close()
	s, err := OpenSession(name)
	if err != nil {
		t.Fatal(err)
	}
	b = h.benchIn(s, set)
	if v := b.verdict(b.config()); v.Value == nil || *v.Value != 4 || v.Unit != "ms" || v.Trial != 1 {
		t.Errorf("%+v", v)
	}
	if v := b.verdict(b.config("n")); v.Value != nil || v.Outcome != isolate.Unresolved {
		t.Errorf("%+v", v)
	}
}

// On another machine the number is that of the machine there.
func TestMeasureAway(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "n", "4\n")
	h.commit("bad", "n", "5\n")
	for _, test := range []struct {
		what  string
		least float64
	}{{"time", 0.2}, {"cpu", 0.03}, {"memory", 30 << 20}, {"regex:took ([0-9]+)", 4}, {"json:-:", 0}} {
		t.Run(test.what, func(t *testing.T) {
			seed.SkipLong(t, 6)
			if _, err := os.Stat("/usr/bin/time"); err != nil && test.what == "memory" {
				t.Skip("there is no GNU time")
			}
			h := history{t, h.dir}
			script := `sleep 0.2; i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; dd if=/dev/zero of=/dev/null bs=40M count=1 2>/dev/null; echo took $(cat n)`
			if test.what == "json:-:" {
				script = "cat n"
			}
			c := cluster{wrapped: true}
			b := h.away(&c, false, func(o *Options) {
				o.Command, o.Measure = []string{"sh", "-c", script}, numberOf(t, test.what)
			})
			v := b.verdict(b.config())
			own := test.what == "time" || test.what == "cpu"
			if salt := c.tasks[0].Salt; own != (salt == "+measured-"+b.sess.Name()) {
				t.Errorf("the salt is %q", salt)
			}
			if v.Value == nil || *v.Value < test.least || *v.Value > 1000*max(test.least, 1) || v.Outcome != isolate.Pass {
				t.Errorf("%+v", v)
			}
		})
	}
	for _, what := range []string{"size:n", "json:n:", "hyperfine:n", "instructions"} {
		_, err := h.tryBench(h.session(t.TempDir()), func(o *Options) {
			o.Remote, o.Measure = (&cluster{t: t}).run, numberOf(t, what)
		})
		if err == nil || !strings.Contains(err.Error(), "other machines") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestWrapperMeasures: each shell measures the command alone, and not what goes before it.
func TestWrapperMeasures(t *testing.T) {
	eachShell(t, func(t *testing.T, s posixShell) {
		const work = "i=0; while [ $i -lt 80000 ]; do i=$((i+1)); done"
		run := func(what, script string) Part {
			t.Helper()
			task := Task{Build: "true", Command: []string{"/bin/sh", "-c", script}, Measure: what, Keep: 1000}
			if what == "cpu" {
				task.Setup, task.Build = work, work+"; "+work
			}
			w := s.wrap(t, task, plainLayout)
			r := w.run(t, s)
			if r.Build.CPU != 0 || r.Setup.CPU != 0 || r.Build.Memory != 0 {
				t.Errorf("the build is measured: %+v", r)
			}
			return r.Test
		}
		if p := run("time", "sleep 0.3"); p.Duration < 290*time.Millisecond || p.CPU != 0 || p.Memory != 0 {
			t.Errorf("time: %+v", p)
		}
		one, idle := run("cpu", "("+work+"); true"), run("cpu", "sleep 0.3; exit 3")
		if one.CPU < 20*time.Millisecond || one.CPU > one.Duration*11/10+20*time.Millisecond || idle.CPU > one.CPU/2 || idle.Exit != 3 {
			t.Errorf("cpu: %+v at work, %+v asleep", one, idle)
		}
		p := run("memory", "dd if=/dev/zero of=/dev/null bs=64000000 count=1 2>/dev/null; echo done")
		if known := p.Memory != 0; known && (p.Memory < 64e6 || p.Memory > 128e6) || p.Exit != 0 {
			t.Errorf("memory: %+v", p)
		}
		if _, err := os.Stat("/usr/bin/time"); err == nil && (s.name == "bash" || s.name == "dash") && p.Memory == 0 {
			t.Errorf("memory is not known in spite of GNU time")
		}
		if p := run("memory", "exit 7"); p.Exit != 7 {
			t.Errorf("%+v", p)
		}
		if p := run("memory", "kill -SEGV $$"); p.Exit != 139 {
			t.Errorf("%+v", p)
		}
	})
}

// Where instructions cannot be counted, no search begins.
func TestMeasureRefused(t *testing.T) {
	if process.CheckCounter() == nil {
		t.Skip("this machine counts instructions")
	}
	h := newHistory(t)
	h.commit("good", "n", "4\n")
	h.commit("bad", "n", "5\n")
	if _, err := h.tryBench(h.session(t.TempDir()), func(o *Options) { o.Measure = numberOf(t, "instructions") }); err == nil {
		t.Error("a runner begins that cannot measure")
	}
}
