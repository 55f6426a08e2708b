package isolate

import "slices"

// An algorithm asks for the outcomes of configurations and returns its answer.
// It sees nothing but these outcomes: asked again with the same outcomes it
// takes the same path. The engine relies on it to look ahead.
//
// ask answers at once or never: when the search ends early, the algorithm is
// unwound, so it has no errors to pass on and reads as its paper does.
type algorithm func(s *run) pair

// A pair is a passing configuration within a failing one.
type pair struct{ passing, failing Configuration }

func (p pair) difference() Configuration { return p.failing.Minus(p.passing) }

// A run is one execution of an algorithm: what it may ask and what it has seen.
type run struct {
	*space
	goal     Goal
	sigma    float64                               // Options.Sigma
	jobs     int                                   // Options.Jobs if Options.Rounds is set, else 1
	answer   func(Configuration) (Outcome, error)  // the trial, as the engine arranges it
	announce func(next []Configuration, firm bool) // tells the engine what is asked next, whatever the outcomes if firm, else as long as nothing fails; nil = nobody listens
	learn    func(Configuration) [][2]int          // what an unresolved trial taught; nil = nothing
	diagnose func(Configuration) []Message         // what it said; nil = nothing
	check    func(Configuration) []Message         // what is known to be wrong with it without a trial; nil = nothing
	observe  func(c Configuration, o Outcome, known bool)
	ahead    func(from []lookahead)                   // tells the engine where to look ahead from, instead of running the algorithm again; nil = nobody listens
	drop     func(s *run, c Configuration, only bool) // forgets the outcome of c only, or of all that does not lie within it; nil = nobody listens
	doubted  func(c Configuration, o Outcome) error   // an outcome is new: do those before it hold? nil = they do

	seen        map[Configuration]Outcome
	resolved    judged          // in the order asked
	latest      Configuration   // the last of them
	closest     pair            // the best pair, see note
	distance    int             // its difference
	refuted     map[[2]int]bool // what was predicted or learned and an outcome has contradicted
	learned     learned
	reasons     *reasons
	studies     int                         // of messages since the last step
	repeated    bool                        // what the last ask said was all said before
	foretold    bool                        // something of that had to be expected
	printed     []Message                   // with the last outcome, if it is Pass or Fail
	malformed   map[Configuration]bool      // what check had something to say of
	likely      func(Configuration) chances // what the algorithm expects of what it asks next; nil = the record of the path
	fresh       [][2]int                    // what the last ask taught
	heard       bool                        // the last ask changed what is known of messages
	trail       []byte                      // the outcomes so far, and whether they taught or said something: all that the algorithm has to go by
	memory      *memory                     // what was worked out at this point; nil = nothing is kept
	recalls     int                         // of what the memory holds, so much was asked for
	onPath      bool                        // this run is the path, not a look ahead
	doubt       float64                     // what is less likely than this is left aside for now
	ground      *pair                       // what is expected of the next outcome rests on it; nil = on nothing in particular
	context     Configuration               // what the algorithm learned to be context
	inseparable bool                        // the algorithm ended with suspects that it could not tell apart
	uncertified bool                        // nobody asks whether all members of its answer are needed
	chosen      string                      // by auto: the algorithm that it chose
	why         string                      // and why
	density     Density                     // what Minimize has learned
	certified   Configuration               // by Minimize: it fails, and without any one element it does not

	// For the eyes of Observe only:
	level    int // what is being cut, an index into Problem.Groups
	suspects int // among how many elements; 0 = the difference of the closest pair
	estimate estimate
}

type sized struct {
	Configuration
	outcome Outcome
	size    int
}

// judged are configurations that passed or failed: that resolved.
type judged []sized

// contradict returns how many of them break a requirement, and mostContradictions at most.
func (j judged) contradict(pair [2]int) (n int) {
	for _, c := range j {
		if c.Has(pair[0]) && !c.Has(pair[1]) {
			if n++; n == mostContradictions {
				break
			}
		}
	}
	return n
}

// allow returns the elements of among that i may require: no judged configuration has i
// and lacks one of these.
func (j judged) allow(i int, among Configuration) Configuration {
	for _, c := range j {
		if c.Has(i) {
			among = among.Intersect(c.Configuration)
		}
	}
	return among
}

// stop unwinds an algorithm from ask to perform.
type stop struct{ err error }

func newRun(s *space, opts Options, answer func(Configuration) (Outcome, error)) *run {
	jobs := 1
	if opts.Rounds {
		jobs = max(1, opts.Jobs)
	}
	return &run{
		space:     s,
		goal:      opts.Goal,
		sigma:     opts.Sigma,
		jobs:      jobs,
		answer:    answer,
		learned:   learned{told: map[[2]int]bool{}, sources: Empty(s.n), targets: Empty(s.n)},
		reasons:   newReasons(),
		malformed: map[Configuration]bool{},
		seen:      map[Configuration]Outcome{},
		closest:   pair{Empty(s.n), Full(s.n)},
		distance:  s.n,
		refuted:   map[[2]int]bool{},
		context:   Empty(s.n),
		latest:    Empty(s.n),
	}
}

// perform tests both ends, unless they are given, and runs the algorithm. The error is the one that
// answer gave, or an *EndsError.
func (s *run) perform(a algorithm) (p pair, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stop:
			p, err = s.closest, r.err
		default:
			panic(r)
		}
	}()
	if s.given {
		s.seen[Full(s.n)], s.distance = Fail, s.weight(Full(s.n))
		return a(s), nil
	}
	good, bad := Empty(s.n), Full(s.n)
	if s.mirrored {
		good, bad = bad, good
	}
	if g, b := s.turn(s.ask(good)), s.turn(s.ask(bad)); g != Pass || b != Fail {
		return s.closest, &EndsError{Good: g, Bad: b}
	}
	return s.finish(a(s)), nil
}

// ask returns the outcome of a configuration: from memory when it was asked
// before, Unresolved when it breaks a requirement, else by a trial.
func (s *run) ask(c Configuration) Outcome {
	o, known := s.seen[c]
	s.fresh, s.repeated, s.heard, s.foretold, s.printed = nil, false, false, false, nil
	if !known {
		if s.isBroken(c) {
			o, known = Unresolved, true
		} else {
			var err error
			if o, err = s.answer(c); err != nil {
				panic(stop{err})
			}
			switch {
			case o == Unresolved:
				s.fresh = s.learnFrom(c)
			case s.diagnose != nil && len(s.reasons.list) > 0:
				s.printed = s.diagnose(c)
			}
		}
		s.seen[c] = o
		s.step(o)
		s.note(c, o)
	}
	if s.observe != nil {
		s.observe(c, o, known)
	}
	if s.doubted != nil && !known {
		if err := s.doubted(c, o); err != nil {
			panic(stop{err})
		}
	}
	return o
}

// learnFrom takes in what an unresolved configuration taught, and returns what is new.
func (s *run) learnFrom(c Configuration) (fresh [][2]int) {
	if s.learn != nil {
		taught := s.learn(c)
		fresh = slices.Clone(s.learned.add(taught))
		for _, e := range taught {
			if !s.learned.told[e] {
				s.learned.told[e], s.heard = true, true
			}
		}
		for _, e := range fresh {
			if s.resolved.contradict(e) > 0 { // a test that resolved without e[1] knows better
				s.refuted[e] = true
			}
		}
	}
	if s.diagnose != nil {
		said := s.diagnose(c)
		s.heard = s.heard || len(said) > 0
		s.repeated = len(said) > 0 && !slices.ContainsFunc(said, func(m Message) bool { return s.reasons.of[m.Key] == nil })
		if in := membership(c); slices.ContainsFunc(said, func(m Message) bool { return s.reasons.foretold(m, in) }) {
			s.foretold = true
		}
		fresh = append(fresh, s.study(c, said, s.closest.difference())...)
	}
	return fresh
}

// taughtFlag marks an outcome of the trail that taught something, or with which something
// was said: that makes explanations likelier or less likely even where no requirement
// is believed for it. A run that looks ahead has an outcome without it when it only
// assumes that outcome, so it is at another point than the path will be.
const taughtFlag = 0x80

// step goes on to the point of the path behind an outcome.
func (s *run) step(o Outcome) {
	next := byte(o)
	s.studies = 0
	if len(s.fresh) > 0 || s.heard || len(s.printed) > 0 {
		next |= taughtFlag
	}
	s.trail = append(s.trail, next)
	if s.memory == nil {
		return
	}
	s.recalls = 0
	if s.onPath {
		s.memory = s.memory.keep(next)
	} else {
		s.memory = s.memory.after(next)
	}
}

// askAll asks for several outcomes, when what to ask does not depend on any of
// them: all workers may look for them at once.
func (s *run) askAll(configs []Configuration) []Outcome {
	s.expect(configs, true)
	outcomes := make([]Outcome, len(configs))
	for i, c := range configs {
		outcomes[i] = s.ask(c)
	}
	s.expect(nil, false)
	return outcomes
}

// slots is how many questions to ask in a round. The first round starts beside
// the two ends, so it has what they leave of the workers as well.
func (s *run) slots() int {
	if len(s.trail) == 2 {
		return max(s.jobs, 2*s.jobs-2)
	}
	return s.jobs
}

// expect says what is asked next: whatever the outcomes if firm, else as long
// as nothing fails. It changes no path, only what workers do ahead of it.
func (s *run) expect(next []Configuration, firm bool) {
	if s.announce != nil {
		s.announce(next, firm)
	}
}

// note keeps the closest pair up to date, and drops refuted predictions.
//
// The closest pair depends on the outcomes alone, not on the algorithm: the
// nested tested pair with the smallest difference, and the first of these. It
// starts with the ends, so there always is one. When the goal is a smallest
// failing set, the passing end stays where it is.
func (s *run) note(c Configuration, o Outcome) {
	if o == Unresolved {
		return
	}
	if s.given {
		if weight := s.weight(c); o == Fail && weight < s.distance {
			s.closest.failing, s.distance = c, weight
		}
		return
	}
	var found *noted
	if s.memory != nil {
		found = s.memory.noted
	}
	if found == nil {
		found = s.compare(c, o, c.Len())
	}
	if s.memory != nil {
		s.memory.noted = found
	}
	s.closest, s.distance = found.closest, found.distance
	for _, e := range found.refuted {
		s.refuted[e] = true
	}
	s.resolved = append(s.resolved, sized{c, o, found.size})
	s.latest = c
	s.dismiss(c, s.printed)
}

// compare compares a configuration that passed or failed with those before it, and
// with what was predicted and learned.
func (s *run) compare(c Configuration, o Outcome, size int) *noted {
	n := &noted{size: size, closest: s.closest, distance: s.distance}
	for _, d := range s.resolved {
		var p pair
		var distance int
		switch {
		case o == d.outcome:
			continue
		case o == Pass:
			p, distance = pair{c, d.Configuration}, d.size-size
		default:
			p, distance = pair{d.Configuration, c}, size-d.size
		}
		if distance < n.distance && (s.goal == Cause || p.passing.IsEmpty()) && p.failing.Contains(p.passing) {
			n.closest, n.distance = p, distance
		}
	}
	// What an earlier one breaks is refuted already.
	for i, j := range s.may.broken(c, s.latest) {
		n.refuted = append(n.refuted, [2]int{i, j})
	}
	for _, e := range s.learned.all {
		if c.Has(e[0]) && !c.Has(e[1]) {
			n.refuted = append(n.refuted, e)
		}
	}
	return n
}

// isPair reports whether p was tested and is what it should be.
func (s *run) isPair(p pair) bool {
	return s.seen[p.passing] == Pass && s.seen[p.failing] == Fail && p.failing.Contains(p.passing)
}

// required returns c and all of within that c requires, by Problem.Requires
// and by what was predicted or learned and no outcome has refuted.
func (s *run) required(c, within Configuration) Configuration {
	return s.reach(c, within, s.learned.sources, []*links{&s.must.to, &s.may.to}, func(i int, add func(int)) {
		for _, j := range s.must.to.of(i) {
			add(int(j))
		}
		for _, j := range s.may.to.of(i) {
			if s.believes(i, int(j)) {
				add(int(j))
			}
		}
		for _, j := range s.learned.to[i] {
			if s.taught(i, j) {
				add(j)
			}
		}
	})
}

// dependents returns c and all of within that requires c, in the same sense.
func (s *run) dependents(c, within Configuration) Configuration {
	return s.reach(c, within, s.learned.targets, []*links{&s.must.from, &s.may.from}, func(j int, add func(int)) {
		for _, i := range s.must.from.of(j) {
			add(int(i))
		}
		for _, i := range s.may.from.of(j) {
			if s.believes(int(i), j) {
				add(int(i))
			}
		}
		for _, i := range s.learned.from[j] {
			if s.taught(i, j) {
				add(i)
			}
		}
	})
}

// certainDependents is dependents by Problem.Requires alone.
func (s *run) certainDependents(c, within Configuration) Configuration {
	return s.reach(c, within, Empty(s.n), []*links{&s.must.from}, func(j int, add func(int)) {
		for _, i := range s.must.from.of(j) {
			add(int(i))
		}
	})
}

// believes reports whether the prediction that i requires j still stands.
func (s *run) believes(i, j int) bool { return s.doubt < predicted && !s.refuted[[2]int{i, j}] }

// taught reports whether what was learned, that i requires j, still stands.
func (s *run) taught(i, j int) bool {
	pair := [2]int{i, j}
	return !s.refuted[pair] && s.confidence(pair) >= s.doubt
}

// How likely predictions are, for those who doubt.
const predicted = 0.8

// reach returns c and all of within that edges lead to from there. Only the
// elements in also, and those with rows in links, have edges. The cost is
// linear in the edges that leave a run of c, and in what is found.
func (s *run) reach(c, within, also Configuration, rows []*links, edges func(i int, add func(int))) Configuration {
	s.mark++
	if s.mark == 0 { // after 2³² calls
		clear(s.marks)
		s.mark = 1
	}
	var found []int
	from, to := 0, 0 // a run of c that most edges stay in
	add := func(j int) {
		if (j < from || j >= to) && s.marks[j] != s.mark && within.Has(j) && !c.Has(j) {
			s.marks[j] = s.mark
			found = append(found, j)
		}
	}
	for from, to = range c.spans() {
		for _, l := range rows {
			for i := range l.leaving(from, to) {
				edges(i, add)
			}
		}
	}
	for i := range c.Intersect(also).All() {
		edges(i, add)
	}
	for k := 0; k < len(found); k++ {
		edges(found[k], add)
	}
	if len(found) == 0 {
		return c
	}
	slices.Sort(found)
	return c.Union(collect(s.n, slices.Values(found)))
}
