package isolate

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"sync"
)

// A Message is one thing that an unresolved test said to be wrong.
type Message struct {
	// Key is the same for messages that say the same of the same place. All of them
	// are taken to have one reason.
	Key uint64
	// Explanations are the pairs that may be that reason, each once.
	Explanations []Explanation
}

// An Explanation is a pair of which a test may have been unresolved: Element is in
// the configuration, Requires is not, and the first cannot be judged without the
// second.
type Explanation struct {
	Element, Requires int
	Weight            float64 // how likely it is, in proportion to the others of a message; positive and finite
}

func (e Explanation) pair() [2]int { return [2]int{e.Element, e.Requires} }

// What messages say about their reasons.
const (
	// An explanation is so many times less likely after the message came with a
	// configuration that does not break it. It may still be true: a message may have two
	// reasons.
	otherReason = 50
	// An explanation is so many times less likely for each judged configuration that
	// breaks it. It may still be true: a program that is interpreted runs as long as nobody comes to what is missing.
	notReached = 10
	// mostContradictions is how many of those configurations at most count against an
	// explanation that is new.
	mostContradictions = 4
	// An explanation that is so many times less likely than the best is forgotten.
	hopeless = 1e6
	// A belief accounts for a message if it is at least this likely in proportion to
	// the best explanation of the message.
	accountable = 0.5
)

// shares[k] is the share of the weight of a message's explanations that is believed when
// the message comes after k times that no belief accounted for. The best explanation
// always is.
var shares = []float64{0, 0.3, 0.5, 0.7, 0.85, 0.95}

// mostBelieved is how many explanations of one message are believed at once.
const mostBelieved = 4

// A reason is what is known of the explanations of one message after all tests with it.
// It is not changed once it is made.
type reason struct {
	seen         int           // how often the message came and no belief accounted for it
	explanations []Explanation // the likeliest first
	total        float64       // their weight, times came+resolved, divided by came; set once the reason is in reasons.list
	every, some  Configuration // the elements of all configurations that the message came with, and those of any
	pairs        int           // how many pairs of suspects the first of these configurations breaks
	widened      bool          // widen has added explanations
	tested       bool          // a trial printed the message, and not only Options.Check
	came         int           // with so many unresolved configurations
	resolved     int           // and with so many that passed or failed
}

// reasons are the state of what is known of messages at one point of the path. Like a
// reason, it is not changed once it is made, so that runs that look ahead share it.
type reasons struct {
	of      map[uint64]*reason
	list    []*reason           // the same, in the order in which they were met first
	keys    []uint64            // of list
	sure    map[[2]int]float64  // of the requirements that are believed, how likely those are that explain a message
	studied map[string]*studied // by the point of the path where that was; see next

	indexed  sync.Once
	mentions [][]mention // see mentioned
}

// studied is what study found out.
type studied struct {
	reasons *reasons
	fresh   [][2]int
}

// study takes in what an unresolved configuration said, and returns the requirements
// that it gives reason to believe: for each message that no belief accounts for, its
// best explanation, and more of them each time that the message comes again: pairs that
// have no element in common, for otherwise a proposal that keeps to one of them keeps to
// others as well, and the next test tells of one element only. Among them may be
// requirements that an outcome refuted: they stand again. Of what Options.Check says, pairs
// may have elements in common, because it takes no test to ask Options.Check again; there
// suspects is empty.
//
// A message that no belief accounted for once, and that comes again, also gets explanations
// that it does not name, see widen: pairs of suspects. There are none for what Options.Check
// says, which may come again and again without a test.
//
// The idea is that of a version space (Mitchell, "Generalization as search",
// Artificial Intelligence 18, 1982): the explanations of a message are narrowed down
// to those that all configurations with the message have, and that no configuration
// that resolved has. Here the others become less likely by a factor. Cost: for each
// message the number of its explanations, times that of the configurations that resolved.
func (s *run) study(c Configuration, messages []Message, suspects Configuration) [][2]int {
	if len(messages) == 0 {
		return nil
	}
	fresh := s.next(func() *studied { return s.reasons.study(c, messages, suspects, s.resolved, s.isBelieved) })
	s.learned.add(fresh)
	for _, pair := range fresh {
		delete(s.refuted, pair)
	}
	return fresh
}

// dismiss takes in that a configuration resolved: what it breaks is less likely to explain
// a message, unless the configuration printed this message itself. A message that a resolved configuration printed counts less
// from then on.
func (s *run) dismiss(c Configuration, printed []Message) {
	if len(s.reasons.list) > 0 {
		s.next(func() *studied { return s.reasons.dismiss(c, printed, s.isBelieved) })
	}
}

// next goes on to the reasons that find returns, or that it returned when a run was last
// at this point: that of the path, and how many times it came here since the last step.
// They follow from the outcomes so far, and from what was said with those of the trail
// that are marked so.
func (s *run) next(find func() *studied) [][2]int {
	if s.memory == nil { // nobody else comes to this point
		found := find()
		s.reasons = found.reasons
		return found.fresh
	}
	at := string(s.trail) + "/" + strconv.Itoa(s.studies)
	s.studies++
	found := s.reasons.studied[at]
	if found == nil {
		found = find()
		s.reasons.studied[at] = found
	}
	if s.onPath { // no run comes to the other points any more
		s.reasons.studied = map[string]*studied{at: found}
	}
	s.reasons = found.reasons
	return found.fresh
}

// isBelieved reports whether a requirement was learned and no outcome has refuted it.
func (s *run) isBelieved(pair [2]int) bool {
	return slices.Contains(s.learned.to[pair[0]], pair[1]) && !s.refuted[pair]
}

// confidence returns how likely a requirement is that was learned: certain, as far as a
// test can be, if it was that which said so.
func (s *run) confidence(pair [2]int) float64 {
	if s.learned.told[pair] {
		return 1
	}
	return s.reasons.sure[pair]
}

func newReasons() *reasons { return &reasons{studied: map[string]*studied{}} }

// study is the method of run of this name, by what was judged before, and what is believed.
func (r *reasons) study(c Configuration, messages []Message, suspects Configuration, before judged, believed func([2]int) bool) *studied {
	next := newReasons()
	next.of = maps.Clone(r.of)
	next.keys = slices.Clip(r.keys)
	if next.of == nil {
		next.of = map[uint64]*reason{}
	}
	type open struct {
		key   uint64
		now   []Explanation // of the reason, those that c breaks; the likeliest first
		share float64       // of the best one
	}
	var all []open
	tested := !suspects.IsEmpty()
	said := map[uint64]bool{}
	widened := 0
	for _, m := range messages {
		if said[m.Key] {
			continue
		}
		said[m.Key] = true
		was := next.of[m.Key]
		if was == nil {
			next.keys = append(next.keys, m.Key)
		}
		is := was.told(c, m.Explanations, before)
		switch {
		case was == nil:
			is.pairs = c.Intersect(suspects).Len() * suspects.Minus(c).Len()
		case is.seen > 0 && !is.widened && widened < mostWidened && is.widen(suspects, before):
			widened++
		}
		is.tested = is.tested || tested
		next.of[m.Key] = is
		o := open{key: m.Key}
		total := 0.0
		for _, e := range is.explanations {
			total += e.Weight
			if c.Has(e.Element) && !c.Has(e.Requires) {
				o.now = append(o.now, e)
			}
		}
		if len(o.now) > 0 {
			o.share = o.now[0].Weight / total
			all = append(all, o)
		}
	}
	// What is surest is believed first: it may account for others.
	slices.SortStableFunc(all, func(a, b open) int { return cmp.Compare(b.share, a.share) })
	var fresh [][2]int
	new := map[[2]int]bool{}
	for _, o := range all {
		if slices.ContainsFunc(o.now, func(e Explanation) bool {
			return e.Weight >= accountable*o.now[0].Weight && (new[e.pair()] || believed(e.pair()))
		}) || next.of[o.key].resolved >= next.of[o.key].came {
			continue
		}
		is := *next.of[o.key]
		wanted := shares[min(is.seen, len(shares)-1)]
		is.seen++
		next.of[o.key] = &is
		total, sum := 0.0, 0.0
		for _, e := range o.now {
			total += e.Weight
		}
		var taken []Explanation
		for _, e := range o.now {
			if len(taken) > 0 && (sum >= wanted*total || len(taken) >= mostBelieved) {
				break
			}
			if tested && slices.ContainsFunc(taken, func(t Explanation) bool { return t.Element == e.Element || t.Requires == e.Requires }) {
				continue // what mends the pair that is taken may mend this one, too
			}
			taken = append(taken, e)
			sum += e.Weight
			if pair := e.pair(); !new[pair] && !believed(pair) {
				new[pair] = true
				fresh = append(fresh, pair)
			}
		}
	}
	next.weigh(func(pair [2]int) bool { return new[pair] || believed(pair) })
	return &studied{next, fresh}
}

// dismiss returns the reasons after a configuration resolved: the explanations that it
// breaks are less likely, and the messages that it printed have come with one more that resolved.
func (r *reasons) dismiss(c Configuration, printed []Message, believed func([2]int) bool) *studied {
	next := newReasons()
	next.of, next.keys = maps.Clone(r.of), slices.Clip(r.keys)
	in := membership(c)
	breaks := func(e Explanation) bool { return in[e.Element] && !in[e.Requires] }
	changed := false
	said := map[uint64]bool{}
	for _, m := range printed {
		if is := r.of[m.Key]; is != nil && !said[m.Key] {
			was := *is
			was.total = 0
			was.resolved++
			next.of[m.Key], said[m.Key], changed = &was, true, true
		}
	}
	for k, is := range r.list {
		if !said[r.keys[k]] && slices.ContainsFunc(is.explanations, breaks) {
			left := slices.Clone(is.explanations)
			for x := range left {
				if breaks(left[x]) {
					left[x].Weight /= notReached
				}
			}
			was := *is
			was.explanations, was.total = inOrder(left), 0
			next.of[r.keys[k]], changed = &was, true
		}
	}
	if !changed {
		return &studied{reasons: r}
	}
	next.weigh(believed)
	return &studied{reasons: next}
}

// membership returns which elements are in a configuration, for many questions.
func membership(c Configuration) []bool {
	in := make([]bool, c.n)
	for from, to := range c.spans() {
		for i := from; i < to; i++ {
			in[i] = true
		}
	}
	return in
}

// weigh finds out how likely the believed requirements are that explain a message well:
// of two messages with the same explanation each speaks for it.
func (r *reasons) weigh(believed func([2]int) bool) {
	r.sure = map[[2]int]float64{}
	for _, key := range r.keys {
		is := r.of[key]
		r.list = append(r.list, is)
		if is.total == 0 { // it is new, and nobody else has it
			for _, e := range is.explanations {
				is.total += e.Weight
			}
			if is.resolved > 0 { // so the message counts by the share of unresolved configurations among those with it
				is.total *= float64(is.came+is.resolved) / float64(max(1, is.came))
			}
		}
		for k, e := range is.explanations {
			if k == weighedMost {
				break
			}
			if pair := e.pair(); believed(pair) {
				r.sure[pair] = 1 - float64((1-r.sure[pair])*(1-surest*e.Weight/is.total))
			}
		}
	}
}

const (
	weighedMost = 512  // of so many explanations of a message the likelihoods are looked at
	surest      = 0.97 // how likely a message has one of the explanations that it is taken to have
)

// foretold reports whether a message had to be expected of a configuration: it most likely has a
// reason that the configuration breaks.
func (r *reasons) foretold(m Message, in []bool) bool {
	is := r.of[m.Key]
	if is == nil {
		return false
	}
	broken := 0.0
	for _, e := range is.explanations {
		if in[e.Element] && !in[e.Requires] {
			broken += e.Weight
		}
	}
	return broken > expected*is.total
}

// expected is how likely what had to be expected was at least.
const expected = 0.95

// told returns what a reason becomes after the message came with c; a nil reason is that of
// a message that is new. Explanations that c does not break are less likely then. One that
// was not known before is less likely the more of the judged configurations break it, and
// if an earlier configuration with the message does not break it.
func (r *reason) told(c Configuration, said []Explanation, before judged) *reason {
	next := &reason{every: c, some: c, came: 1}
	if r != nil {
		next.came, next.resolved = r.came+1, r.resolved
		next.seen, next.widened, next.pairs, next.tested = r.seen, r.widened, r.pairs, r.tested
		next.every, next.some = r.every.Intersect(c), r.some.Union(c)
		for _, e := range r.explanations {
			if !c.Has(e.Element) || c.Has(e.Requires) {
				e.Weight = max(e.Weight/otherReason, 1/hopeless/hopeless)
			}
			next.explanations = append(next.explanations, e)
		}
	}
	known := map[[2]int]bool{}
	for _, e := range next.explanations {
		known[e.pair()] = true
	}
	least := 1.0
	if len(next.explanations) > 0 { // a reason that it has had from the beginning is likelier
		least = 1.0 / otherReason
	}
	total := 0.0
	for _, e := range said {
		total += e.Weight
	}
	for _, e := range said {
		if !known[e.pair()] {
			e.Weight *= least / total
			if r != nil && (!r.every.Has(e.Element) || r.some.Has(e.Requires)) {
				e.Weight /= otherReason
			}
			for range before.contradict(e.pair()) {
				e.Weight /= notReached
			}
			next.explanations = append(next.explanations, e)
		}
	}
	next.explanations = inOrder(next.explanations)
	return next
}

const (
	// unnamed is how likely it is that a message does not name its reason.
	unnamed = 0.1
	// A message gets explanations that it does not name once there are at most mostUnnamed
	// of them. After one test at most mostWidened messages get some.
	mostUnnamed, mostWidened = 4096, 8
)

// widen adds to the explanations of a message those that it does not name: all pairs of
// suspects that every configuration with the message breaks and no judged one breaks. A
// message from generated code, or from a place far from the fault, names neither element.
// Pairs that are near in the order are likelier than others. Where there are more than
// mostUnnamed pairs, widen adds nothing and returns false. Cost: the pairs, and for each of
// their first elements an intersection with each configuration that was judged.
func (r *reason) widen(suspects Configuration, before judged) bool {
	elements, required := r.every.Intersect(suspects), suspects.Minus(r.some)
	n := elements.Len() * required.Len()
	if n == 0 || n > mostUnnamed {
		return false
	}
	known := map[[2]int]bool{}
	for _, e := range r.explanations {
		known[e.pair()] = true
	}
	named, total := len(r.explanations), 0.0
	for i := range elements.All() {
		allowed := before.allow(i, required)
		for j := range required.All() {
			near := 1 / float64(8+max(i-j, j-i))
			total += near
			if allowed.Has(j) && !known[[2]int{i, j}] {
				r.explanations = append(r.explanations, Explanation{i, j, near})
			}
		}
	}
	// All pairs of suspects that the first configuration with the message broke have the
	// weight unnamed together. These n have their share of it.
	part := float64(n) / float64(max(n, r.pairs))
	for k := named; k < len(r.explanations); k++ {
		r.explanations[k].Weight *= unnamed * part / total
	}
	r.explanations, r.widened = inOrder(r.explanations), true
	return true
}

// inOrder sorts explanations, the likeliest first, and drops the hopeless ones.
func inOrder(list []Explanation) []Explanation {
	slices.SortStableFunc(list, func(a, b Explanation) int { return cmp.Compare(b.Weight, a.Weight) })
	for k, e := range list {
		if e.Weight*hopeless < list[0].Weight {
			return list[:k]
		}
	}
	return list
}
