package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTailLines(t *testing.T) {
	for _, row := range []struct {
		text string
		cut  bool
		want []string
	}{
		{"", false, nil},
		{"\n \n\t\n", false, nil},
		{"one", false, []string{"one"}},
		{"one\n\ntwo\n", false, []string{"one", "", "two"}},
		{"one\r\ntwo\r\n\r\n", false, []string{"one", "two"}},
		{"10 %\r50 %\r99 %", false, []string{"99 %"}},
		{"10 %\r50 %\r", false, []string{"50 %"}},
		{"\x1b[1;32mok\x1b[m\tfine\x1b[K\n", false, []string{"ok    fine"}},
		{"up \x1b[5A and \x1b]0;title\a\n", false, []string{"up \x1b[5A and \x1b]0;title\a"}}, // shown, but not done: see page
		{"é of which half was cut", true, []string{"…é of which half was cut"}},
		{"\xa9 of which half was cut\nwhole", true, []string{"… of which half was cut", "whole"}},
		{"1\n2\n3\n4\n5\n6", false, []string{"3", "4", "5", "6"}},
	} {
		got := (&tail{text: []byte(row.text), cut: row.cut}).lines(4)
		if !slices.Equal(got, row.want) {
			t.Errorf("%q: got %q, want %q", row.text, got, row.want)
		}
	}
}

// Of a huge file only the end is read, and of several the one that was written to last.
func TestTailOf(t *testing.T) {
	dir := t.TempDir()
	name := func(kind string) string { return filepath.Join(dir, kind) }
	write := func(kind, text string, age time.Duration) {
		t.Helper()
		if err := os.WriteFile(name(kind), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(name(kind), at, at); err != nil {
			t.Fatal(err)
		}
	}
	files := []string{name("build.out"), name("out"), name("err")}
	if got := tailOf(files, 100); got.file != "" || got.last() != "" {
		t.Errorf("nothing was written: got %+v", got)
	}
	write("build.out", "built\n", time.Minute)
	write("err", "", 0)
	if got := tailOf(files, 100); got.file != files[0] || got.last() != "built" || got.cut {
		t.Errorf("got %+v, want the end of the build", got)
	}
	write("out", strings.Repeat("x", 1<<20)+"\nthe end\n", time.Second)
	f, err := os.OpenFile(name("out"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(1 << 40); err != nil { // a terabyte, of which nearly all is a hole
		t.Skip(err)
	}
	if _, err := f.WriteAt([]byte("\nalmost\nthe end\n"), 1<<40-16); err != nil {
		t.Fatal(err)
	}
	f.Close()
	got := tailOf(files, lineBytes)
	if got.size != 1<<40 || len(got.text) != lineBytes || !got.cut || got.last() != "the end" {
		t.Errorf("got %d bytes of %d, %q", len(got.text), got.size, got.last())
	}
	write("err", "newer", -time.Second)
	if got := tailOf(files, 100); got.last() != "newer" {
		t.Errorf("got %q, want that of the last written file", got.last())
	}
}

// The panel is of the trial that runs for the longest, until the user chooses.
func TestPanel(t *testing.T) {
	c := newClock()
	var workers []*worker
	for i := range 64 {
		w := &worker{busy: i > 1, since: c.now().Add(-time.Duration(i%7) * time.Second)}
		if w.busy {
			w.doing = fmt.Sprintf("trial %d", i)
			w.prints(i, func(kind string) string { return kind })
		}
		workers = append(workers, w)
	}
	var p panel
	state := func() string { return fmt.Sprint(p.shown, " ", p.worker) }
	for _, row := range []struct{ keys, want string }{
		{"x", "false 0"}, {"v", "true 6"}, {"v", "false 6"}, {"vn", "true 7"}, {"3", "true 3"}, {"vv", "true 3"},
		{"0", "true 0"}, {"v", "false 0"}, {"n", "false 0"}, {"9", "true 9"}, {strings.Repeat("n", 55), "true 0"}, {"V", "false 0"},
	} {
		for _, key := range []byte(row.keys) {
			p.press(key, workers)
		}
		if got := state(); got != row.want {
			t.Errorf("after %q: %s, want %s", row.keys, got, row.want)
		}
	}
	if p = (panel{}); p.press('1', workers[:1]) || p.shown {
		t.Error("there is no worker 1")
	}
	p.press('v', workers[:1])
	p.take(tail{}, "trial 8")
	p.take(tail{file: "8.build.err", size: 2048, text: []byte("one\n\x1b[2Jtwo\n")}, "trial 8")
	p.take(tail{}, "trial 9") // has printed nothing yet: that of the one before stays
	var got strings.Builder
	for _, l := range p.render(60, 5) {
		fmt.Fprintln(&got, l.Render(false))
	}
	want := "── worker 0, trial 8, build's stderr, 2.0 KiB ─────────────\none\n\\x1b[2Jtwo\n"
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
	if n := len(p.render(60, 0)) + len(p.render(60, -3)); n != 0 {
		t.Errorf("%d lines where there is no room", n)
	}
}
