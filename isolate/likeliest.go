package isolate

import "container/heap"

// A likeliest is a queue of what may come about: the likeliest is next, and of
// equally likely ones the one that was added first. The zero value is empty.
type likeliest[T any] struct {
	guesses guesses[T]
	added   int
}

// A guess is something, how likely it is, and when it was added.
type guess[T any] struct {
	what        T
	probability float64
	number      int
}

func (l *likeliest[T]) add(what T, probability float64) {
	heap.Push(&l.guesses, guess[T]{what, probability, l.added})
	l.added++
}

// next takes the likeliest off a queue that is not empty.
func (l *likeliest[T]) next() (what T, probability float64) {
	g := heap.Pop(&l.guesses).(guess[T])
	return g.what, g.probability
}

func (l *likeliest[T]) empty() bool { return len(l.guesses) == 0 }

// guesses is a heap.
type guesses[T any] []guess[T]

func (g guesses[T]) Len() int      { return len(g) }
func (g guesses[T]) Swap(i, j int) { g[i], g[j] = g[j], g[i] }
func (g guesses[T]) Less(i, j int) bool {
	if g[i].probability != g[j].probability {
		return g[i].probability > g[j].probability
	}
	return g[i].number < g[j].number
}
func (g *guesses[T]) Push(x any) { *g = append(*g, x.(guess[T])) }
func (g *guesses[T]) Pop() any {
	last := len(*g) - 1
	x := (*g)[last]
	*g = (*g)[:last]
	return x
}
