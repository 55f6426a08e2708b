package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A site is a call of an undisturbed search, where a fault may be injected.
type site struct {
	phase string // what gitdd is about
	what  string // the call, as describe does
	nth   int    // of the calls that are described so, from 1
}

func (s site) String() string { return fmt.Sprintf("%s, %d", s.what, s.nth) }

// concerns reports whether a call is one of gitdd's or its git's, which are much
// the same in each search of one job. What tests write does not count.
func concerns(c *call) bool { return c.role == "gitdd" || c.role == "git" }

// sites runs a command and lists its calls.
func (f *fault) sites(line ...string) []site {
	var all []site
	trials := 0
	seen := map[string]int{}
	f.supervise(func(c *call) fate {
		if !concerns(c) {
			return 0
		}
		what := f.describe(c)
		seen[what]++
		all = append(all, site{phase(what, trials), what, seen[what]})
		if strings.HasSuffix(what, "sync S/journal.jsonl") {
			trials++
		}
		return 0
	}, line...)
	if f.status != 0 {
		f.t.Fatalf("%q: exit status %d\n%s", line, f.status, f.output)
	}
	return all
}

var (
	sessionName = regexp.MustCompile(`\.sessions/[^/ ]+/[^/ ]+`)
	randomName  = regexp.MustCompile(`gitdd-[0-9a-f]{4,}\b|\b[0-9]{4,}\b|\.[0-9]{4,}|tmp_obj_\w+`)
)

// describe names a call in a way that is the same for each search.
func (f *fault) describe(c *call) string {
	what := c.role + ": " + c.name + " " + c.path
	if c.to != "" {
		what += " " + c.to
	}
	what = strings.ReplaceAll(what, f.dir+"/", "")
	return randomName.ReplaceAllString(sessionName.ReplaceAllString(what, "S"), "*")
}

// phase says what gitdd is about at a call.
func phase(what string, trials int) string {
	switch {
	case strings.Contains(what, "S/journal.jsonl") && trials > 0, strings.HasSuffix(what, "write S/journal.jsonl"), strings.HasSuffix(what, "sync S/journal.jsonl"):
		return "journal"
	case strings.Contains(what, "confirm-"):
		return "confirmation"
	case strings.Contains(what, "S/work"):
		return "workspace"
	case strings.Contains(what, "result.json") || strings.Contains(what, ".patch") || strings.Contains(what, "S/answer"):
		return "result"
	case strings.HasPrefix(what, "gitdd: unlink") && trials > 0:
		return "workspace"
	}
	return "session"
}

// pick is all of a list with -faults-all, else n of them, as far from each other as can be.
func pick[T any](all []T, n int) (some []T) {
	if *everyFault || n >= len(all) {
		return all
	}
	for i := range n {
		some = append(some, all[(2*i+1)*len(all)/(2*n)])
	}
	return some
}

// more is all with -faults-all, else a sample of all and one of those of them that matter most.
func more[T any](all []T, n int, most []T, m int) []T {
	if *everyFault {
		return all
	}
	return slices.Concat(pick(all, n), pick(most, m))
}

// turn is all of a list with -faults-all, else one of it, another one for each i.
func turn[T any](all []T, i int) []T {
	if *everyFault {
		return all
	}
	return all[i%len(all):][:1]
}

// of are the sites of a phase.
func of(sites []site, phase string) (some []site) {
	for _, s := range sites {
		if s.phase == phase {
			some = append(some, s)
		}
	}
	return some
}

// at injects a fault at a call of gitdd.
func (f *fault) at(s site, strike func(*call) fate) func(*call) fate {
	here := f.reaches(s)
	return func(c *call) fate {
		if here(c) {
			return strike(c)
		}
		return 0
	}
}

// reaches tells when the search has come to a site.
func (f *fault) reaches(s site) func(*call) bool {
	f.aimed = true
	calls := 0
	return func(c *call) bool {
		if !concerns(c) || !strings.HasPrefix(s.what, c.role+": "+c.name+" ") || f.describe(c) != s.what {
			return false
		}
		calls++
		f.struck = f.struck || calls == s.nth
		return calls == s.nth
	}
}

// killFaults kills gitdd: before, in the middle of, and after the write of each
// record, before and after its sync, and at calls of all that it does otherwise.
func killFaults(t *testing.T, l *ledger) {
	searches := map[string][]string{"at once": learner, "commits": commits}
	for _, name := range slices.Sorted(maps.Keys(searches)) {
		search := searches[name]
		f := l.fault(t, search)
		begun := f.sites(f.line("run")...)
		cleaned := f.sites("gitdd", "clean")
		kill := func(c *call) fate { c.s.kill(); return 0 }
		for _, phase := range []struct {
			name string
			n    int
		}{{"journal", 14}, {"session", 5}, {"workspace", 5}, {"confirmation", 4}, {"result", 5}} {
			for _, s := range pick(of(begun, phase.name), phase.n) {
				l.inject(t, "kill -9 of gitdd: "+phase.name, name+", "+s.String(), search, func(f *fault) {
					f.ends = true
					f.begin(f.at(s, kill))
				})
			}
		}
		written := slices.DeleteFunc(of(begun, "journal"), func(s site) bool { return !strings.HasPrefix(s.what, "gitdd: write") })
		for _, s := range pick(written, 6) {
			l.inject(t, "kill -9 of gitdd: half a record", name+", "+s.String(), search, func(f *fault) {
				f.ends = true
				f.begin(f.at(s, func(c *call) fate {
					if err := c.half(); err != nil {
						f.t.Error(err)
					}
					return kill(c)
				}))
			})
		}
		for _, s := range pick(cleaned, 4) {
			l.inject(t, "kill -9 of gitdd clean", name+", "+s.String(), search, func(f *fault) {
				f.ends = true
				f.begin(nil)
				f.supervise(f.at(s, kill), "gitdd", "clean")
			})
		}
	}
}

// partFaults kills what works for gitdd, and everything together.
func partFaults(t *testing.T, l *ledger) {
	f := l.fault(t, atOnce)
	all := f.sites(f.line("run")...)
	making := slices.IndexFunc(all, func(s site) bool { return strings.HasSuffix(s.what, "/.git") })
	// The making of a workspace, which is partly git's, and a sample of the rest.
	for _, s := range slices.Concat(pick(all[:making], 2), pick(all[making:making+24], 8), pick(all[making+24:], 6)) {
		l.inject(t, "kill -9 of gitdd and all its processes", s.String(), atOnce, func(f *fault) {
			f.ends = true
			f.begin(f.at(s, func(c *call) fate { return c.s.killAll() }))
		})
	}
	git := slices.DeleteFunc(slices.Clone(all), func(s site) bool { return !strings.HasPrefix(s.what, "git: ") })
	for _, s := range pick(git, 6) {
		l.inject(t, "kill -9 of a git of gitdd", s.String(), atOnce, func(f *fault) {
			f.begin(f.at(s, func(c *call) fate { c.kill(); return 0 }))
		})
	}
	trials := make([]int, l.whole(t, atOnce).Trials.Run)
	for i := range trials {
		trials[i] = i + 1
	}
	for _, trial := range pick(trials, 5) {
		l.inject(t, "kill -9 of a worker", fmt.Sprint("trial ", trial), atOnce, func(f *fault) {
			f.act(trial, `kill -9 $PPID; sleep 600`)
			f.begin(nil)
		})
	}
	for _, trial := range pick(trials, 3) {
		l.inject(t, "kill -9 of a worker", fmt.Sprint("before trial ", trial), atOnce, func(f *fault) {
			f.begin(func(c *call) fate {
				if c.role == "supervisor" && strings.HasSuffix(c.path, fmt.Sprintf("/trials/%d.out", trial)) {
					c.kill()
				}
				return 0
			})
		})
		l.inject(t, "kill -9 of the test", fmt.Sprint("trial ", trial), atOnce, func(f *fault) {
			f.act(trial, `kill -9 $$`)
			f.begin(nil)
		})
	}
}
