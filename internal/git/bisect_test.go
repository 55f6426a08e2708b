package git

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/seed"
)

func TestParseBisectLog(t *testing.T) {
	id := strings.Repeat("ab", 20)
	tests := []struct {
		name, text string
		want       BisectLog
		err        string
	}{
		{name: "empty", want: BisectLog{Old: "good", New: "bad"}},
		{name: "marks", text: "git bisect start\n# bad: [" + id + "] c\ngit bisect bad " + id + "\ngit-bisect good v1\n\tgit bisect\tskip  v2\r\n",
			want: BisectLog{Old: "good", New: "bad", Marks: []BisectMark{{"bad", id}, {"good", "v1"}, {"skip", "v2"}}}},
		{name: "old and new", text: "git bisect start\ngit bisect new HEAD\ngit bisect old v1\n",
			want: BisectLog{Old: "old", New: "new", Marks: []BisectMark{{"new", "HEAD"}, {"old", "v1"}}}},
		{name: "terms", text: "git bisect start '--term-old' 'fast' '--term-new=slow' '--first-parent' '--no-checkout' 'HEAD' 'v1' '--' 'it'\\''s' 'a b'\\!''\ngit bisect terms\ngit bisect fast x\n",
			want: BisectLog{Old: "fast", New: "slow", FirstParent: true, NoCheckout: true, Start: []string{"HEAD", "v1"},
				Paths: []string{"it's", "a b!"}, Marks: []BisectMark{{"fast", "x"}}}},
		{name: "a later start", text: "git bisect start 'a' 'b'\ngit bisect good c\ngit bisect start\n", want: BisectLog{Old: "good", New: "bad"}},
		{name: "verdict", text: "# first slow commit: [" + id + "] c\n", want: BisectLog{Old: "good", New: "bad", First: ID(id)}},
		{name: "suspects", text: "# possible first bad commit: [" + id + "] c\n", want: BisectLog{Old: "good", New: "bad", Possible: []ID{ID(id)}}},
		{name: "no command of it", text: "git bisects good x\ngit status\nbisect good\n", want: BisectLog{Old: "good", New: "bad"}},
		{name: "another term", text: "git bisect start 'a'\ngit bisect new b\n", err: `line 2: "new" is neither start, skip nor one of the terms good and bad`},
		{name: "another command", text: "git bisect run make\n", err: `line 1: "run" is neither`},
		{name: "no quotes", text: "git bisect start HEAD\n", err: `line 1: "HEAD" is not in single quotes`},
		{name: "an open quote", text: "git bisect start 'HEAD\n", err: `line 1: the quote before "HEAD" does not end`},
		{name: "no space", text: "git bisect start 'a'b\n", err: `line 1: there is no space before "b"`},
		{name: "no revision", text: "git bisect good\n", err: "line 1: good names no revision"},
		{name: "an unknown option", text: "git bisect start '--best'\n", err: "line 1: start has the unknown option --best"},
		{name: "half a term", text: "git bisect start '--term-old'\n", err: "line 1: start has the option --term-old without a term"},
		{name: "equal terms", text: "git bisect start '--term-old=bad'\n", err: "line 1: both terms are bad"},
	}
	for _, tt := range tests {
		got, err := ParseBisectLog([]byte(tt.text))
		if tt.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), tt.err) {
				t.Errorf("%s: error %v, want %s", tt.name, err, tt.err)
			}
			continue
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", tt.name, err, diff)
		}
	}
}

func FuzzParseBisectLog(f *testing.F) {
	f.Add("git bisect start '--term-old' 'a' '--term-new' 'b' 'HEAD' '--' 'it'\\''s'\n# a: [x] y\ngit bisect a x\ngit-bisect skip y\n")
	f.Add("# first bad commit: [" + strings.Repeat("0", 40) + "] x\ngit bisect old x\r\n\tgit bisect new  y")
	f.Add("git bisect start 'a'\\!'")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ParseBisectLog([]byte(text))
		if l.Old == "" || l.New == "" || err == nil && l.Old == l.New {
			t.Errorf("terms %q and %q", l.Old, l.New)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Errorf("the error %q names no line", err)
			}
			return
		}
		// What was read says the same when it is written in git's form.
		again := "git bisect start " + quoted("--term-old="+l.Old, "--term-new="+l.New)
		if l.FirstParent {
			again += quoted("--first-parent")
		}
		if l.NoCheckout {
			again += quoted("--no-checkout")
		}
		again += quoted(l.Start...)
		if l.Paths != nil {
			again += quoted("--") + quoted(l.Paths...)
		}
		for _, m := range l.Marks {
			again += "\ngit bisect " + m.Term + " " + m.Rev
		}
		if strings.Contains(strings.Join(slices.Concat(l.Start, l.Paths, []string{l.Old, l.New}), ""), "\n") || strings.ContainsAny(l.Old+l.New, " \t\r") {
			return // lines and words cannot hold these
		}
		for _, m := range l.Marks {
			if strings.TrimRight(m.Rev, "\r") != m.Rev {
				return
			}
		}
		l.First, l.Possible = "", nil
		l2, err := ParseBisectLog([]byte(again))
		if diff := cmp.Diff(l, l2); err != nil || diff != "" {
			t.Errorf("%q: %v (-first +again):\n%s", again, err, diff)
		}
	})
}

func quoted(words ...string) string {
	var all strings.Builder
	for _, word := range words {
		word = strings.NewReplacer("'", `'\''`, "!", `'\!'`).Replace(word)
		all.WriteString(" '" + word + "'")
	}
	return all.String()
}

// bisected is a repository with commits c1 to c8 in a line; the even ones touch g.
func bisected(s *sandbox, name string) {
	s.git("", "init", "-q", "-b", "main", name)
	for i := range 8 {
		s.write(name+"/f", fmt.Sprintln(i))
		if i%2 == 1 {
			s.write(name+"/g it's", fmt.Sprintln(i))
		}
		s.git(name, "add", "-A")
		s.git(name, "commit", "-q", "-m", fmt.Sprint("c", i+1))
		s.git(name, "tag", fmt.Sprint("c", i+1))
	}
}

// The state of a bisect is what git wrote: terms, paths, marks, and that of one
// worktree alone.
func TestBisect(t *testing.T) {
	s := newSandbox(t)
	bisected(s, "r")
	r := s.open("r")
	if _, err := r.Bisect(t.Context()); !errors.Is(err, ErrNoBisect) {
		t.Errorf("without a bisect: %v", err)
	}
	s.git("r", "worktree", "add", "-q", "--detach", "../linked", "c8")
	linked := s.open("linked")
	check := func(r *Repo, want string) {
		t.Helper()
		before := snapshot(t, r.GitDir())
		b, err := r.Bisect(t.Context())
		checkSame(t, before, snapshot(t, r.GitDir()))
		if err != nil {
			t.Error(err)
			return
		}
		var goods, skipped []string
		for _, c := range b.Goods {
			goods = append(goods, c.Subject)
		}
		for _, id := range b.Skipped {
			c, err := r.CommitOf(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			skipped = append(skipped, c.Subject)
		}
		slices.Sort(skipped)
		got := fmt.Sprint(b.Old, "/", b.New, " ", goods, " ", b.Bad.Subject, " ", skipped, " ", b.Paths, " ", b.FirstParent, " ", b.NoCheckout)
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if text := s.git(strings.TrimPrefix(r.Top(), s.dir+"/"), "bisect", "log"); text != strings.TrimSuffix(string(b.Log), "\n") {
			t.Errorf("the log is\n%s, not\n%s", b.Log, text)
		}
	}
	s.git("r", "bisect", "start")
	check(r, "good/bad []  [] [] false false")
	if _, err := linked.Bisect(t.Context()); !errors.Is(err, ErrNoBisect) {
		t.Errorf("in another worktree: %v", err)
	}
	s.git("r", "bisect", "good", "c1")
	check(r, "good/bad [c1]  [] [] false false")
	s.git("r", "bisect", "bad", "c8")
	s.git("r", "bisect", "good", "c3")
	s.git("r", "bisect", "skip", "c4..c6")
	check(r, "good/bad [c3] c8 [c5 c6] [] false false")
	s.git("linked", "bisect", "start", "--term-old", "fast", "--term-new=slow", "--no-checkout", "--first-parent", "c7", "c2", "--", "f", "g it's")
	check(linked, "fast/slow [c2] c7 [] [f g it's] true true")
	check(r, "good/bad [c3] c8 [c5 c6] [] false false")
	s.git("linked", "bisect", "reset", "c8")
	s.git("linked", "bisect", "start")
	s.git("linked", "bisect", "new")
	s.git("linked", "bisect", "old", "c1")
	check(linked, "old/new [c1] c8 [] [] false false")

	for _, broken := range []struct{ file, content, want string }{
		{".git/BISECT_TERMS", "bad\n", "BISECT_TERMS does not hold two terms"},
		{".git/BISECT_NAMES", "src\n", `BISECT_NAMES: "src\n" is not in single quotes`},
		{".git/refs/bisect/bad", strings.Repeat("ab", 20) + "\n", "refs/bisect/ has a commit that cannot be read"},
		{".git/refs/bisect/bad", "", "refs/bisect/bad is gone"},
	} {
		before := readFile(t, s.path("r/"+broken.file))
		if broken.content != "" {
			s.write("r/"+broken.file, broken.content)
		} else if err := os.Remove(s.path("r/" + broken.file)); err != nil {
			t.Fatal(err)
		}
		_, err := r.Bisect(t.Context())
		if err == nil || !strings.Contains(err.Error(), "the git bisect in progress is damaged") || !strings.Contains(err.Error(), broken.want) {
			t.Errorf("%s: error %v, want %s", broken.file, err, broken.want)
		}
		s.write("r/"+broken.file, before)
	}
	check(r, "good/bad [c3] c8 [c5 c6] [] false false")
}

// A verdict stands in the bisect as if git had written it.
func TestFinishBisect(t *testing.T) {
	seed.SkipLong(t, 8)
	s := newSandbox(t)
	bisected(s, "r")
	r := s.open("r")
	id := func(rev string) ID { return s.resolve(r, rev).Commit }
	read := func() *Bisect {
		t.Helper()
		b, err := r.Bisect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	state := func() string {
		return s.git("r", "for-each-ref", "refs/bisect") + "\n" + s.git("r", "bisect", "log")
	}
	finish := func(b *Bisect, v Verdict) []string {
		t.Helper()
		head := s.git("r", "rev-parse", "HEAD")
		left, err := r.FinishBisect(t.Context(), b, v)
		if err != nil {
			t.Fatal(err)
		}
		if now := s.git("r", "rev-parse", "HEAD"); now != head {
			t.Errorf("HEAD is %s, was %s", now, head)
		}
		var subjects []string
		for _, c := range left {
			subjects = append(subjects, c.Subject)
		}
		return subjects
	}

	// The same as by hand, and twice the same as once.
	start := func() *Bisect {
		s.git("r", "bisect", "reset", "main")
		s.git("r", "bisect", "start", "--term-old=fast", "--term-new=slow", "c8", "c1")
		return read()
	}
	start()
	s.git("r", "bisect", "fast", "c4")
	s.git("r", "bisect", "slow", "c5")
	want := state()
	b := start()
	for range 2 {
		if left := finish(b, Verdict{Bad: id("c5"), Goods: []ID{id("c4")}}); !slices.Equal(left, []string{"c5"}) {
			t.Errorf("left with %v", left)
		}
		if diff := cmp.Diff(want, state()); diff != "" {
			t.Errorf("(-by hand +by gitdd):\n%s", diff)
		}
	}

	// What git has found itself is not said twice.
	b = read()
	if left := finish(b, Verdict{Bad: id("c5"), Goods: []ID{id("c4")}}); !slices.Equal(left, []string{"c5"}) {
		t.Errorf("left with %v", left)
	}
	if diff := cmp.Diff(want, state()); diff != "" {
		t.Errorf("(-by hand +by gitdd):\n%s", diff)
	}

	// Commits that cannot be judged, one of them marked before.
	start()
	s.git("r", "bisect", "skip", "c5")
	b = read()
	s.git("r", "bisect", "fast", "c3")
	s.git("r", "bisect", "skip", "c4")
	s.try("r", "bisect", "slow", "c6")
	want = state()
	start()
	s.git("r", "bisect", "skip", "c5")
	if left := finish(b, Verdict{Bad: id("c6"), Goods: []ID{id("c3")}, Skipped: []ID{id("c4"), id("c5")}}); !slices.Equal(left, []string{"c6", "c5", "c4"}) {
		t.Errorf("left with %v", left)
	}
	if diff := cmp.Diff(want, state()); diff != "" {
		t.Errorf("(-by hand +by gitdd):\n%s", diff)
	}

	// Where commits are left that git would test, it goes on with them.
	b = start()
	if left := finish(b, Verdict{Bad: id("c6"), Goods: []ID{id("c3")}, Skipped: []ID{id("c4")}}); !slices.Equal(left, []string{"c6", "c5", "c4"}) {
		t.Errorf("left with %v", left)
	}
	if text := state(); strings.Contains(text, "first slow") || strings.Contains(text, "only skipped") {
		t.Errorf("the log has a verdict:\n%s", text)
	}
	if text := s.git("r", "bisect", "next"); !strings.Contains(text, "] c5") {
		t.Errorf("git goes on with %s", text)
	}

	// What has become of the bisect meanwhile is not written over.
	verdict := Verdict{Bad: id("c5"), Goods: []ID{id("c4")}}
	refuse := func(want string, verdict Verdict) {
		t.Helper()
		before := snapshot(t, s.path("r"))
		if _, err := r.FinishBisect(t.Context(), b, verdict); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
		checkSame(t, before, snapshot(t, s.path("r")))
	}
	b = start()
	s.git("r", "bisect", "skip", "c7")
	refuse("is not as it was", verdict)
	s.git("r", "bisect", "reset", "main")
	refuse("it was reset meanwhile", verdict)
	s.git("r", "bisect", "start", "c8", "c1", "--", "g it's")
	b = read()
	refuse("cannot name "+string(id("c5")), verdict)

	// A transaction that is refused changes nothing.
	s.write("r/.git/refs/bisect/bad.lock", "")
	refuse("bad.lock", Verdict{Bad: id("c6"), Goods: []ID{id("c5")}})
	// Where the log cannot be replaced the refs go back to what they were.
	if err := errors.Join(os.Remove(s.path("r/.git/refs/bisect/bad.lock")), os.Remove(s.path("r/.git/BISECT_LOG")), os.Mkdir(s.path("r/.git/BISECT_LOG"), 0o777)); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, s.path("r"))
	err := r.writeVerdict(t.Context(), []byte("text\n"), [][2]string{{"refs/bisect/bad", string(id("c6"))}, {"refs/bisect/good-" + string(id("c5")), string(id("c5"))}})
	if err == nil || !strings.Contains(err.Error(), "write the log of git bisect") {
		t.Errorf("error %v", err)
	}
	checkSame(t, before, snapshot(t, s.path("r")))
}
