package updates

import "slices"

// mostFree is how many updates at most are tried in all combinations for one requirement. If more of them
// matter, all are tied.
const mostFree = 8

// A provider is an entry that has a key, and when it is there.
type provider struct {
	version string
	set     int // of changes, see disjoint
	when    when
}

type when uint8

const (
	always    when = iota
	applied        // if the changes of the set are applied
	unapplied      // if they are not
)

// needs ties what entries require, and what satisfies it.
func (p *project) needs() {
	providers := make(map[string][]provider)
	for _, h := range p.present {
		for which, e := range h.entry {
			if e == nil {
				continue
			}
			from := provider{version: e.Version}
			if len(h.changes) > 0 {
				from.set, from.when = p.sets.find(h.changes[0]), [2]when{unapplied, applied}[which]
			} else if which == bad {
				continue // it was said
			}
			for _, key := range e.Provides {
				providers[key] = append(providers[key], from)
			}
		}
	}
	for _, h := range p.present {
		for which, e := range h.entry {
			if e == nil || which == bad && len(h.changes) == 0 {
				continue
			}
			for _, n := range e.Needs {
				q := question{need: n, providers: make([][]provider, len(n.Keys))}
				for i, key := range n.Keys {
					q.providers[i] = providers[key]
				}
				if len(h.changes) == 0 {
					p.always(h, q)
				} else {
					p.on(which, h, q)
				}
			}
		}
	}
}

// A question is whether a need is satisfied.
type question struct {
	need      Need
	providers [][]provider // by key of the need
}

// A verdict says what satisfies a need.
type verdict struct {
	accepts func(version string) bool
	absent  bool // nothing that has a key of the need will do, too
}

// verdict returns what satisfies the need of an entry that is at the given ends. Where such an end has nothing with
// a key of the need, such as for an optional dependency, then nothing will do, and still no version that is not
// accepted.
func (q question) verdict(ends ...bool) verdict {
	v := verdict{accepts: q.need.Accepts}
	var seen []string
	for _, end := range ends {
		n := len(seen)
		for _, list := range q.providers {
			for _, from := range list {
				if from.there(func(int) bool { return end }) {
					seen = append(seen, from.version)
				}
			}
			if len(seen) > n {
				break
			}
		}
		v.absent = v.absent || len(seen) == n
	}
	if v.accepts == nil {
		v.accepts = func(version string) bool { return slices.Contains(seen, version) }
	}
	return v
}

func (f provider) there(has func(set int) bool) bool {
	return f.when == always || has(f.set) == (f.when == applied)
}

// satisfied reports whether the need is satisfied where has says which sets are applied.
func (q question) satisfied(v verdict, has func(set int) bool) bool {
	for _, list := range q.providers {
		some := false
		for _, from := range list {
			if !from.there(has) {
				continue
			}
			if some = true; v.accepts(from.version) {
				return true
			}
		}
		if some {
			return false
		}
	}
	return v.absent
}

// sets are those that the answer depends on, without one.
func (q question) sets(without int) (list []int) {
	for _, providers := range q.providers {
		for _, from := range providers {
			if from.when != always && from.set != without {
				list = append(list, from.set)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// whatever reports whether the need is satisfied for every choice of the free sets, where the others are
// as has says.
func (q question) whatever(v verdict, free []int, has func(set int) bool) bool {
	if len(free) > mostFree {
		return false
	}
	for choice := range 1 << len(free) {
		if !q.satisfied(v, func(set int) bool {
			if i := slices.Index(free, set); i >= 0 {
				return choice>>i&1 == 1
			}
			return has(set)
		}) {
			return false
		}
	}
	return true
}

// fixed returns which of the sets cannot be free for holds to be true: as few as leaving them out one by one tells.
func fixed(sets []int, holds func(free []int) bool) []int {
	var free, fixed []int
	for _, set := range sets {
		if more := append(slices.Clip(free), set); holds(more) {
			free = more
		} else {
			fixed = append(fixed, set)
		}
	}
	return fixed
}

// on ties an entry of one side, which changes, to what satisfies its need on that side.
func (p *project) on(which int, h *presence, q question) {
	own, end := p.sets.find(h.changes[0]), which == bad
	here := func(int) bool { return end }
	v := q.verdict(end)
	if !q.satisfied(v, here) {
		return // this revision is not as the need says: there is nothing to keep
	}
	for _, set := range fixed(q.sets(own), func(free []int) bool { return q.whatever(v, free, here) }) {
		if end {
			p.tie(own, set, p.reason(h, which, q))
		} else {
			p.tie(set, own, p.reason(h, which, q))
		}
	}
}

// always ties what satisfies the need of an entry that does not change.
func (p *project) always(h *presence, q question) {
	v := q.verdict(false, true)
	ends := [2]func(int) bool{func(int) bool { return false }, func(int) bool { return true }}
	for _, has := range ends {
		if !q.satisfied(v, has) {
			return
		}
	}
	tied := fixed(q.sets(-1), func(free []int) bool {
		return q.whatever(v, free, ends[good]) && q.whatever(v, free, ends[bad])
	})
	for k, set := range tied {
		p.tie(set, tied[(k+1)%len(tied)], p.reason(h, good, q))
	}
}

// reason says a need of an entry for a reader.
func (p *project) reason(h *presence, which int, q question) string {
	if q.need.What == "" {
		return ""
	}
	e := h.entry[which]
	subject := e.Name
	if e.Version != "" {
		subject += " " + e.Version
	}
	if e.Name == "" || subject == q.need.What { // the file asks for it
		return h.file.Path + " requires " + q.need.What
	}
	return h.file.Path + ": " + subject + " requires " + q.need.What
}
