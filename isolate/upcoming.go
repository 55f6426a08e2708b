package isolate

import "slices"

// upcoming is what Options.Prefetch was told last.
type upcoming []*item

// extraAhead is how many configurations are looked for beyond those that there are
// workers for, so that there is something to prepare for the workers that become free
// next.
func (e *engine) extraAhead() int {
	if e.opts.Prefetch == nil {
		return 0
	}
	return min(e.jobs, 16+e.jobs/8)
}

// prefetch tells which of what is likely to be asked has no worker yet, if that has
// changed.
func (e *engine) prefetch(likely []*item) {
	if e.opts.Prefetch == nil {
		return
	}
	var next []*item
	add := func(i *item) {
		if i.job == nil && !i.finished && len(next) < e.jobs {
			next = append(next, i)
		}
	}
	for _, i := range e.asked[e.waiting:] {
		add(i)
	}
	for _, i := range likely {
		if i.notice != e.notice {
			add(i)
		}
	}
	e.foretell(next)
}

// foretell calls Options.Prefetch, unless these are what it was told last.
func (e *engine) foretell(next []*item) {
	if e.opts.Prefetch == nil || slices.Equal(next, e.upcoming) {
		return
	}
	e.upcoming = next
	configs := make([]Configuration, len(next))
	for k, i := range next {
		configs[k] = e.called(i)
	}
	e.opts.Prefetch(configs)
}
