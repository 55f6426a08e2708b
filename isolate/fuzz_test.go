package isolate_test

import (
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// reading returns the bytes one after the other, and zeros behind them.
func reading(data []byte) (next func() int) {
	return func() int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b)
	}
}

// FuzzSearch takes the bytes for a truth table: the number of elements, the
// algorithm, goal and budget, some requirements, predictions and weights, and then
// one byte for each subset. Whatever the function, check must hold.
func FuzzSearch(f *testing.F) {
	f.Add([]byte{3, 0, 0, 0, 0, 0})
	f.Add([]byte{3, 1, 1, 4, 1, 0, 2, 1, 2, 0, 1, 2, 0, 1, 2})
	f.Add([]byte{5, 3, 2, 0, 2, 0, 1, 3, 4, 1, 2, 2, 2, 1, 0, 1, 2, 0, 1, 1, 1, 2, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		next := reading(data)
		n := 1 + next()%6
		names := isolate.Algorithms()
		opts := isolate.Options{Algorithm: names[next()%len(names)], Goal: goals[next()%3], MaxTrials: next() % 32}
		p := isolate.Problem{N: n, Requires: make([][]int, n), Predicted: make([][]int, n)}
		for range next() % (n + 1) {
			i := next() % n
			p.Requires[i] = append(p.Requires[i], next()%n)
		}
		for range next() % (n + 1) {
			i := next() % n
			p.Predicted[i] = append(p.Predicted[i], next()%n)
		}
		if next()%2 == 1 {
			p.Weights = make([]int, n)
			for i := range n {
				p.Weights[i] = 1 + next()
			}
		}
		outcomes := make([]isolate.Outcome, 1<<n)
		for i := range outcomes {
			outcomes[i] = isolate.Outcome(next() % 3)
		}
		check(t, &behaviour{Problem: p, outcome: table(n, func(subset uint) isolate.Outcome { return outcomes[subset] })}, opts)
	})
}
