package trial

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

func init() {
	roles["reducer"] = func(args []string) {
		if err := reducerToKill(args[0], args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// reducerToKill is a gitdd that reduces eight lines in a session, two trials at a
// time, confirms the answer and puts it into the file done. To done.log it adds a dot
// for each command, and an x for each that was cancelled, since another trial's
// outcome had made it pointless.
func reducerToKill(sessionDir, done string) error {
	ctx := context.Background()
	s, err := OpenSession(sessionDir)
	if err != nil {
		return err
	}
	opts := InputOptions{Original: lines(isolate.Full(8)), SaveOther: done + ".others"}
	opts.Session, opts.Jobs = s, 2
	opts.Command = []string{"sh", "-c", "echo . >> " + done + ".log; sleep 0.03; cat in; grep -q c in && grep -q f in && exit 1; grep -q d in && exit 2; exit 0"}
	r, err := NewInputs(ctx, opts)
	if err != nil {
		return err
	}
	if _, err := r.Original(ctx); err != nil {
		return err
	}
	min, err := isolate.Minimize(ctx, isolate.List{N: 8}, func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		v, err := r.Test(ctx, lines(c))
		if ctx.Err() != nil {
			err = errors.Join(err, appendText(done+".log", "x"))
		}
		return v.Outcome, err
	}, isolate.MinimizeOptions{Jobs: 2})
	if err != nil {
		return err
	}
	answer := lines(min.Kept)
	if v, err := r.Confirm(ctx, answer); err != nil || v.Outcome != isolate.Fail {
		return fmt.Errorf("confirm: %+v, %w", v, err)
	}
	return errors.Join(r.Close(), s.Close(), os.WriteFile(done, answer.Files[0].Content, 0o666))
}

func appendText(name, text string) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// TestInputKilled kills a reduction at random instants and resumes it until it is
// done: the answer is right, no finished trial was repeated, and nothing is left.
func TestInputKilled(t *testing.T) {
	random := rand.New(rand.NewPCG(seed.New(t), 0))
	s := inputSession(t, t.TempDir())
	dir := s.Dir()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	done := filepath.Join(t.TempDir(), "done")
	kills := killUntilDone(t, random, 15, 3, func(int) {}, "reducer", dir, done)
	if got := read(t, done); got != "c\nf\n" {
		t.Errorf("%q is left", got)
	}
	r, err := ReadSession(dir)
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	others := 0
	for _, rec := range r.Records() {
		times[string(rec.Purpose[:1])+string(rec.Tree)]++
		text := read(t, r.Output(rec.Trial, "out"))
		in := file("in", text)
		if in.Digest() != string(rec.Tree) || rec.Size != in.Size() || rec.Files != 1 {
			t.Errorf("trial %d saw %q: %+v", rec.Trial, text, rec)
		}
		want := isolate.Pass
		switch {
		case strings.Contains(text, "c") && strings.Contains(text, "f"):
			want = isolate.Fail
		case strings.Contains(text, "d"):
			want = isolate.Unresolved
			others++
		}
		if isolate.Outcome(rec.Outcome) != want {
			t.Errorf("%+v, want %v", rec, want)
		}
	}
	for what, n := range times {
		if n != 1 {
			t.Errorf("%s: %d trials", what, n)
		}
	}
	log := read(t, done+".log")
	cancelled := strings.Count(log, "x")
	if runs := strings.Count(log, "."); runs > len(times)+cancelled+2*kills {
		t.Errorf("%d commands ran for %d trials, %d cancelled and %d kills of two each", runs, len(times), cancelled, kills)
	}
	t.Logf("%d kills, %d trials, %d cancelled, %d others", kills, len(times), cancelled, others)
	for _, pattern := range []string{filepath.Join(dir, workDir, "*"), filepath.Join(dir, placesFile), filepath.Join(done+".others", ".*")} {
		if left, _ := filepath.Glob(pattern); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	}
	if kept := filesIn(t, done+".others"); len(kept) != 2 || !strings.Contains(kept[filepath.Join(done+".others", "exit-2")], "d") {
		t.Errorf("other failures: %q", kept)
	}
}
