package trial

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// A judge says outcomes in the place of a command, each once, and what it cannot say has no record. Judgements and
// outcomes of a command count for each other, but a command tests both ends itself; what is withdrawn is asked again.
func TestJudge(t *testing.T) {
	h := newHistory(t)
	h.files("a", "old\n", "b", "old\n")
	h.run("add", "-A")
	h.run("commit", "-qm", "good")
	h.run("tag", "good")
	h.files("a", "new\n", "b", "new\n")
	h.run("commit", "-qam", "bad")
	h.run("tag", "bad")
	root := t.TempDir()
	nobody := errors.New("nobody judges")

	var asked []Request
	says := map[string]isolate.Outcome{}
	session := h.session(root)
	judged := func(o *Options) {
		o.Command, o.ByHand = nil, true
		o.Judge = func(_ context.Context, q Request) (Judgement, error) {
			asked = append(asked, q)
			outcome, known := says[q.Config.String()]
			if q.Purpose == End {
				outcome, known = isolate.Pass, true
				if !q.Config.IsEmpty() {
					outcome = isolate.Fail
				}
			}
			if !known {
				return Judgement{}, nobody
			}
			return Judgement{Outcome: outcome, Reason: "so be it"}, nil
		}
	}
	b := h.benchIn(session, judged)
	test := b.Test(b.set)
	if e, err := b.Ends(t.Context(), b.set); err != nil || e.Direction != Break || e.Good.Reason != "so be it" {
		t.Fatalf("ends %+v: %v", e, err)
	}
	a, other := b.config("a"), b.config("b")
	says[a.String()] = isolate.Fail
	for range 2 {
		if o, err := test(t.Context(), a); o != isolate.Fail || err != nil {
			t.Errorf("a is %v, %v", o, err)
		}
	}
	if _, err := test(t.Context(), other); !errors.Is(err, nobody) {
		t.Errorf("b: %v", err)
	}
	if q := asked[len(asked)-1]; len(asked) != 4 || q.Trial != 4 || q.Config != other || q.Set != b.set || q.Purpose != Search || q.Commit != "" {
		t.Errorf("asked %d times, last for %+v", len(asked), q)
	}
	b.close()

	reopen := func(set func(*Options)) *bench {
		t.Helper()
		s, err := OpenSession(session.Dir())
		if err != nil {
			t.Fatal(err)
		}
		return h.benchIn(s, set)
	}
	trials := func(s *Session) (numbers []int) {
		for _, rec := range s.Records() {
			numbers = append(numbers, rec.Trial)
		}
		return numbers
	}
	b = reopen(func(o *Options) { o.Command, o.ByHand = []string{"grep", "-q", "old", "b"}, true })
	if e, err := b.Ends(t.Context(), b.set); err != nil || e.Good.Trial != 4 || e.Bad.Trial != 5 {
		t.Errorf("the command tests both ends: %+v, %v", e, err)
	}
	a, other = b.config("a"), b.config("b")
	test = b.Test(b.set)
	if o, err := test(t.Context(), a); o != isolate.Fail || err != nil {
		t.Errorf("a, which was judged, is %v, %v", o, err)
	}
	if o, err := test(t.Context(), other); o != isolate.Fail || err != nil {
		t.Errorf("b, by the command, is %v, %v", o, err)
	}
	if got := trials(b.sess); !slices.Equal(got, []int{1, 2, 3, 4, 5, 6}) {
		t.Errorf("trials %v", got)
	}
	if judged := b.sess.Records()[2].Judged(); !judged || b.sess.Records()[5].Judged() {
		t.Error("who judged is not told")
	}
	b.Runner.Close()
	if err := b.sess.Withdraw([]int{3, 6}); err != nil {
		t.Fatal(err)
	}
	b.close()

	asked = nil
	b = reopen(judged)
	if e, err := b.Ends(t.Context(), b.set); err != nil || e.Good.Trial != 1 || e.Bad.Trial != 2 {
		t.Errorf("ends %+v: %v", e, err)
	}
	says[b.config("a").String()] = isolate.Pass
	if o, err := b.Test(b.set)(t.Context(), b.config("a")); o != isolate.Pass || err != nil {
		t.Errorf("a, judged again, is %v, %v", o, err)
	}
	if got := trials(b.sess); len(asked) != 1 || !slices.Equal(got, []int{1, 2, 4, 5, 7}) {
		t.Errorf("asked %d times, trials %v", len(asked), got)
	}
	if back := b.sess.Withdrawn(); len(back) != 2 || back[0].Trial != 3 || back[1].Trial != 6 || isolate.Outcome(back[0].Outcome) != isolate.Fail {
		t.Errorf("withdrawn %+v", back)
	}
}
