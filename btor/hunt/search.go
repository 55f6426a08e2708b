package hunt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/gitdd/gitdd/trial"
)

// An engine runs the files of seeds, by the functions that it is given. They are called by Jobs
// goroutines, each with its number; one that is cancelled returns the error of its context, and any
// other error ends the search.
type engine struct {
	First uint64 // seed
	Jobs  int    // at a time; 0 = 1
	Count int    // stop behind so many findings; 0 = any number
	Runs  int    // stop behind so many seeds; 0 = any number

	Good   []int    // exit statuses that mean nothing bad
	Labels []string // of the commands; the first is the one that is tested
	Known  []Record // of earlier processes

	Generate func(seed uint64) (Case, error)
	Run      func(ctx context.Context, worker int, c Case) ([]trial.Execution, error)
	// Keep puts what belongs to a finding where it stays, before it is recorded.
	Keep func(c Case, f Failure, all []trial.Execution) error
	// Reduce reduces a finding that was kept; nil = findings stay as they are.
	Reduce func(ctx context.Context, worker int, r Run) (Reduction, error)
	// Record puts a record on the disk, before anyone hears of it.
	Record func(Record) error
	// Observe hears of all events of the engine, one at a time; nil = nobody does.
	Observe func(Event)
}

// run runs the files of seeds until there are Count findings, or Runs runs, and
// all of them are reduced; or until ctx ends, with its error. The summary is valid
// with an error, too.
//
// Seeds count in their order. What was run ahead is recorded all the same, and counts
// when a later process comes to it.
func (o engine) run(ctx context.Context) (Summary, error) {
	s := &search{
		o: o, next: o.First, counted: o.First, end: math.MaxUint64,
		runs: map[uint64]Run{}, reduced: map[uint64]Reduction{}, busy: map[int]task{},
	}
	s.wake = sync.NewCond(&s.mu)
	if o.Runs > 0 && uint64(o.Runs) < s.end-o.First {
		s.end = o.First + uint64(o.Runs)
	}
	for _, r := range o.Known {
		s.know(r)
	}
	s.mu.Lock()
	s.advance(true)
	s.mu.Unlock()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.wake.Broadcast()
	})()
	var workers sync.WaitGroup
	for n := range max(o.Jobs, 1) {
		workers.Go(func() {
			if err := s.work(ctx, n); err != nil {
				cancel(err)
			}
		})
	}
	workers.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := s.summary()
	if !sum.Done {
		return sum, context.Cause(ctx)
	}
	return sum, nil
}

// A search is the state of one.
type search struct {
	o    engine
	mu   sync.Mutex // for all below
	wake *sync.Cond // something can be done, or nothing can be any more

	next    uint64 // the first seed that nobody has begun
	counted uint64 // the runs of all seeds from the first on below this one are known
	end     uint64 // the first seed that does not count

	runs    map[uint64]Run       // of all seeds that are known; below counted of findings only
	reduced map[uint64]Reduction // of all findings that are
	open    []uint64             // findings that nobody has begun to reduce, in order
	found   []uint64             // findings below counted, in order
	settled int                  // how many of found are
	total   Summary              // of what is below counted: Runs, Nodes, Unanswered
	busy    map[int]task         // by worker
}

// A task is what a worker does.
type task struct {
	seed   uint64
	reduce bool
	cancel context.CancelFunc
}

func (s *search) know(r Record) {
	switch {
	case r.Run != nil && r.Run.Lost != "": // it is run again
	case r.Run != nil && r.Run.Seed >= s.o.First:
		s.enter(*r.Run)
	case r.Reduction != nil:
		s.reduced[r.Reduction.Seed] = *r.Reduction
		s.open = slices.DeleteFunc(s.open, func(seed uint64) bool { return seed == r.Reduction.Seed })
	}
}

// enter takes a run up.
func (s *search) enter(r Run) {
	if _, known := s.runs[r.Seed]; known || r.Seed < s.counted {
		return
	}
	s.runs[r.Seed] = r
	if r.Failure != nil && s.o.Reduce != nil {
		at, _ := slices.BinarySearch(s.open, r.Seed)
		s.open = slices.Insert(s.open, at, r.Seed)
	}
}

// advance counts what can be counted, and ends the search where it has enough. mu is
// held.
func (s *search) advance(known bool) {
	// Invariant: counted <= end, and runs below counted are those of found.
	for s.counted < s.end {
		r, ok := s.runs[s.counted]
		if !ok {
			break
		}
		s.counted++
		s.total.count(r)
		s.observe(Event{Kind: Counted, Seed: r.Seed, Run: &r, Known: known})
		if r.Failure == nil {
			delete(s.runs, r.Seed)
			continue
		}
		s.found = append(s.found, r.Seed)
		if len(s.found) == s.o.Count {
			s.end = s.counted
			s.drop()
		}
	}
	for ; s.settled < len(s.found); s.settled++ {
		seed := s.found[s.settled]
		r := s.runs[seed]
		event := Event{Kind: Settled, Seed: seed, Run: &r, Known: known}
		if reduction, ok := s.reduced[seed]; ok {
			event.Reduction = &reduction
		} else if s.o.Reduce != nil {
			break
		}
		s.observe(event)
	}
}

// drop cancels what does not count any more.
func (s *search) drop() {
	for _, t := range s.busy {
		if t.seed >= s.end {
			t.cancel()
		}
	}
}

func (s *Summary) count(r Run) {
	s.Runs++
	s.Nodes += r.Nodes
	if r.Lost != "" {
		s.Lost++
	}
	for i, a := range r.Answers {
		for len(s.Unanswered) <= i {
			s.Unanswered = append(s.Unanswered, 0)
		}
		if a == Unknown {
			s.Unanswered[i]++
		}
	}
}

func (s *search) observe(e Event) {
	if s.o.Observe != nil {
		s.o.Observe(e)
	}
}

// work does one task after the other until there is none, and there will be none.
func (s *search) work(ctx context.Context, worker int) error {
	for {
		own, cancel := context.WithCancel(ctx)
		t, ok := s.take(ctx, worker, cancel)
		if !ok {
			cancel()
			return nil
		}
		var err error
		if t.reduce {
			err = s.reduce(own, worker, t.seed)
		} else {
			err = s.run(own, worker, t.seed)
		}
		s.finish(worker, t, err != nil)
		dropped := own.Err() != nil
		cancel()
		if err != nil && !dropped {
			return err
		}
	}
}

// take waits for a task: a finding to reduce comes before another run.
func (s *search) take(ctx context.Context, worker int, cancel context.CancelFunc) (task, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ctx.Err() == nil {
		for s.next < s.end && s.isKnown(s.next) {
			s.next++
		}
		t := task{cancel: cancel}
		switch {
		case len(s.open) > 0 && s.open[0] < s.end:
			t.seed, t.reduce = s.open[0], true
			s.open = s.open[1:]
		case s.next < s.end:
			t.seed = s.next
			s.next++
		case len(s.busy) == 0:
			s.wake.Broadcast()
			return t, false
		default:
			s.wake.Wait() // a run that goes on may find something to reduce
			continue
		}
		s.busy[worker] = t
		kind := Running
		if t.reduce {
			kind = Reducing
		}
		s.observe(Event{Kind: kind, Worker: worker, Seed: t.seed})
		return t, true
	}
	return task{}, false
}

func (s *search) isKnown(seed uint64) bool {
	_, ok := s.runs[seed]
	return ok || seed < s.counted
}

// finish takes a worker's task off, with what came of it.
func (s *search) finish(worker int, t task, failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.busy, worker)
	if failed {
		s.observe(Event{Kind: Abandoned, Worker: worker, Seed: t.seed})
	}
	s.advance(false)
	s.wake.Broadcast()
}

// run makes the run of a seed.
func (s *search) run(ctx context.Context, worker int, seed uint64) error {
	c, err := s.o.Generate(seed)
	if err != nil {
		return fmt.Errorf("seed %d: %w", seed, err)
	}
	r, all, err := s.judged(ctx, worker, c)
	if err != nil {
		return err
	}
	if r.Failure != nil {
		if err := s.o.Keep(c, *r.Failure, all); err != nil {
			return fmt.Errorf("keep the finding of seed %d: %w", seed, err)
		}
	}
	if err := s.o.Record(Record{Run: &r}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter(r)
	s.observe(Event{Kind: Ran, Worker: worker, Seed: seed, Run: &r})
	return nil
}

func (s *search) judged(ctx context.Context, worker int, c Case) (Run, []trial.Execution, error) {
	r := Run{Seed: c.Seed, Nodes: len(c.Graph.Nodes)}
	all, err := s.o.Run(ctx, worker, c)
	var lost *trial.LostError
	switch {
	case errors.As(err, &lost) && !lost.Away && ctx.Err() == nil:
		r.Lost, r.Answers = trimLine([]byte(lost.Error())), make([]Answer, len(s.o.Labels))
		return r, nil, nil
	case err != nil:
		return r, nil, err
	}
	for _, x := range all {
		r.Seconds += x.Duration.Seconds()
	}
	r.Answers = answersOf(all)
	if f := Judge(all, s.o.Good, s.o.Labels); f.Class != Passed {
		r.Failure = &f
	}
	return r, all, nil
}

// reduce reduces the finding of a seed.
func (s *search) reduce(ctx context.Context, worker int, seed uint64) error {
	s.mu.Lock()
	r := s.runs[seed]
	s.mu.Unlock()
	reduction, err := s.o.Reduce(ctx, worker, r)
	if err != nil {
		if ctx.Err() == nil {
			err = fmt.Errorf("reduce the finding of seed %d: %w", seed, err)
		}
		return err
	}
	if err := s.o.Record(Record{Reduction: &reduction}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reduced[seed] = reduction
	s.observe(Event{Kind: Reduced, Worker: worker, Seed: seed, Reduction: &reduction})
	return nil
}

// summary says what is known now. mu is held.
func (s *search) summary() Summary {
	sum := s.total
	sum.First, sum.Next = s.o.First, s.counted
	sum.Unanswered = slices.Clone(sum.Unanswered)
	seeds := slices.Clone(s.found)
	for seed, r := range s.runs {
		if seed < s.counted || seed >= s.end {
			continue
		}
		sum.count(r)
		if r.Failure != nil {
			seeds = append(seeds, seed)
		}
	}
	slices.Sort(seeds)
	sum.Done = s.counted == s.end
	for _, seed := range seeds {
		f := Finding{Run: s.runs[seed]}
		if r, ok := s.reduced[seed]; ok {
			f.Reduction = &r
		} else if s.o.Reduce != nil {
			sum.Done = false
		}
		sum.Findings = append(sum.Findings, f)
	}
	return sum
}
