package isolate

import (
	"context"
	"testing"
)

// one is a procedure that wants one attempt of one test.
type one struct {
	took      bool
	meanwhile func() // between the look at what is known and the next attempts
}

func (p *one) next() (test, attempt int, assume Outcome, done bool) { return 0, 1, Pass, p.took }
func (p *one) take(int, Outcome)                                    { p.took = true }

func (p *one) clone() procedure {
	p.meanwhile()
	c := *p
	return &c
}

// TestAttemptOfAnother: somebody else asks the sequential test about the same test, and has
// the last outcome that is wanted just before it would be sampled.
func TestAttemptOfAnother(t *testing.T) {
	j := NewSequentialTest(0.9)
	tested := j.test("x")
	p := &one{meanwhile: func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		tested.outcomes[1] = Fail
	}}
	sample := func(context.Context, int) (Outcome, error) {
		t.Error("the attempt was made again")
		return Pass, nil
	}
	if err := j.carry(t.Context(), p, []source{{tested, sample}}, 2); err != nil || !p.took {
		t.Errorf("carried out: %v, error %v", p.took, err)
	}
}
