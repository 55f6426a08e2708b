package isolate_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// SearchSurely finds the cause although each attempt is wrong at times, for any number of jobs alike.
func TestSearchSurely(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	wrong, indistinct := 0, 0
	const problems = 60
	for range problems {
		n := 3 + r.IntN(20)
		cause, rate, luck := r.IntN(n), 0.25*r.Float64(), r.Uint64()
		attempt := func(ctx context.Context, c isolate.Configuration, k int) (isolate.Outcome, error) {
			h := sha256.Sum256(fmt.Append(nil, luck, c, k)) // the same for each number of jobs
			if draw := float64(binary.BigEndian.Uint32(h[:])) / (1 << 32); c.Has(cause) != (draw < rate) {
				return isolate.Fail, nil
			}
			return isolate.Pass, nil
		}
		var first isolate.Result
		for _, jobs := range []int{1, 3} {
			found, sure, err := isolate.SearchSurely(t.Context(), isolate.Problem{N: n}, 0.99, attempt, isolate.Options{Jobs: jobs})
			if _, ok := errors.AsType[*isolate.IndistinctError](err); ok { // by bad luck the ends look alike
				if jobs == 1 {
					indistinct++
				}
				continue
			}
			if _, ok := errors.AsType[*isolate.EndsError](err); ok { // by worse luck each looks like the other: a wrong answer, too
				if jobs == 1 {
					wrong++
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if sure.Confidence < 0.99 {
				t.Errorf("confidence %v", sure.Confidence)
			}
			if jobs == 1 {
				first = found
				if found.Cause != isolate.Of(n, cause) {
					wrong++
				}
			} else if found.Cause != first.Cause || found.Trials != first.Trials {
				t.Errorf("n %d, rate %.2f: with 3 jobs %v in %d trials, with 1 %v in %d", n, rate, found.Cause, found.Trials, first.Cause, first.Trials)
			}
		}
	}
	if indistinct > 5 {
		t.Errorf("%d of %d problems have ends that look alike", indistinct, problems)
	}
	if wrong > 5 { // if one answer in a hundred is wrong, more than 5 of 60 are 3 times in 100,000
		t.Errorf("%d of %d answers are wrong", wrong, problems)
	}
}

func TestSearchSurelySwapped(t *testing.T) {
	attempt := func(ctx context.Context, c isolate.Configuration, k int) (isolate.Outcome, error) {
		if c.IsEmpty() {
			return isolate.Fail, nil
		}
		return isolate.Pass, nil
	}
	var ends *isolate.EndsError
	if _, _, err := isolate.SearchSurely(t.Context(), isolate.Problem{N: 4}, 0.9, attempt, isolate.Options{}); !errors.As(err, &ends) || ends.Good != isolate.Fail {
		t.Errorf("got %v", err)
	}
}

// The fronts for slices answer as Search and Minimize do, and give the test its elements in their order.
func TestSlices(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 200 {
		n := 1 + r.IntN(12)
		list := make([]string, n)
		for i := range list {
			list[i] = string(rune('a' + i))
		}
		need := list[r.IntN(n)]
		fails := func(ctx context.Context, part []string) (isolate.Outcome, error) {
			if !slices.IsSorted(part) {
				t.Errorf("%v is not in order", part)
			}
			if slices.Contains(part, need) {
				return isolate.Fail, nil
			}
			return isolate.Pass, nil
		}
		cause, found, err := isolate.SearchSlice(t.Context(), list, fails, isolate.Options{})
		if err != nil || !slices.Equal(cause, []string{need}) || !found.Minimal {
			t.Errorf("%s of %v: %v, %v", need, list, cause, err)
		}
		kept, least, err := isolate.MinimizeSlice(t.Context(), list, fails, isolate.MinimizeOptions{})
		if err != nil || !slices.Equal(kept, []string{need}) || !least.Minimal {
			t.Errorf("%s of %v: kept %v, %v", need, list, kept, err)
		}
	}
	if _, _, err := isolate.SearchSlice(t.Context(), nil, func(context.Context, []int) (isolate.Outcome, error) { return isolate.Fail, nil }, isolate.Options{}); err == nil {
		t.Error("an empty list has a cause")
	}
}
