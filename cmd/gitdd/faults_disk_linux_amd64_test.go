package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// from lets all calls that need room on the disk of the sessions fail from a
// site on, until gitdd is gone.
func (f *fault) from(s site, why syscall.Errno, names string) func(*call) fate {
	here, on := f.reaches(s), false
	return func(c *call) fate {
		on = here(c) || on
		if on && c.role != "test" && strings.HasPrefix(c.path, f.path(".sessions")) && strings.Contains(names, c.name) {
			return why
		}
		return 0
	}
}

// diskFaults lets the disk fail, be full, or be no longer writable.
func diskFaults(t *testing.T, l *ledger) {
	const room, change = "open write mkdir symlink link", "open write mkdir symlink link unlink rmdir rename truncate chmod utime"
	f := l.fault(t, learner)
	all := f.sites(f.line("run")...)
	journal := of(all, "journal")
	records := slices.DeleteFunc(slices.Clone(journal), func(s site) bool { return !strings.HasPrefix(s.what, "gitdd: write") })
	for _, s := range more(all, 7, journal, 3) {
		l.inject(t, "disk full from a call on", s.String(), learner, func(f *fault) { f.begin(f.from(s, syscall.ENOSPC, room)) })
	}
	for _, s := range pick(records, 4) {
		l.inject(t, "disk full in the middle of a record", s.String(), learner, func(f *fault) {
			f.begin(f.at(s, func(c *call) fate {
				if err := c.half(); err != nil {
					f.t.Error(err)
				}
				return syscall.ENOSPC
			}))
		})
	}
	for _, s := range pick(all, 4) {
		l.inject(t, "disk read-only from a call on", s.String(), learner, func(f *fault) { f.begin(f.from(s, syscall.EROFS, change)) })
	}
	for _, s := range more(all, 5, journal, 4) {
		l.inject(t, "input/output error", s.String(), learner, func(f *fault) {
			f.begin(f.at(s, func(*call) fate { return syscall.EIO }))
		})
	}
	for _, blocks := range pick([]int{0, 1, 2, 4, 8, 16}, 3) {
		l.inject(t, "file size limit", fmt.Sprint(blocks), learner, func(f *fault) {
			line := f.line("run")
			f.supervise(nil, append([]string{"sh", "-c", fmt.Sprintf(`ulimit -f %d; exec "$@"`, blocks)}, append([]string{"sh"}, line...)...)...)
		})
	}
	mountFaults(t, l)
}

// mountFaults have the sessions on a disk of their own.
func mountFaults(t *testing.T, l *ledger) {
	if !mountable() {
		l.skip(t, "cache on another disk", "this process may not mount one")
		return
	}
	mount := func(f *fault, options string) {
		if err := os.MkdirAll(f.path(".sessions"), 0o777); err != nil {
			f.t.Fatal(err)
		}
		if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "none", f.path(".sessions")).CombinedOutput(); err != nil {
			f.t.Fatalf("%v: %s", err, out)
		}
		f.t.Cleanup(func() { exec.Command("umount", "-l", f.path(".sessions")).Run() })
	}
	for _, search := range [][]string{atOnce, commits, twoJobs} {
		l.inject(t, "cache on another disk", strings.Join(search, " "), search, func(f *fault) {
			mount(f, "size=64m")
			f.begin(nil)
		})
	}
	for _, trial := range pick([]int{1, 3, 5, 7, 9, 11, 12}, 3) {
		l.inject(t, "cache disk filled by the test", fmt.Sprint("trial ", trial), atOnce, func(f *fault) {
			mount(f, "size=2m")
			f.act(trial, `yes > $FIELD/.sessions/filler 2>/dev/null; exit 1`)
			f.begin(nil)
			if f.status != 4 {
				f.t.Errorf("exit status %d\n%s", f.status, f.output)
			}
			if err := os.Remove(f.path(".sessions/filler")); err != nil {
				f.t.Error(err)
			}
		})
	}
	l.inject(t, "cache on a read-only disk", "before", atOnce, func(f *fault) {
		mount(f, "ro")
		f.begin(nil)
		if out, err := exec.Command("umount", f.path(".sessions")).CombinedOutput(); err != nil {
			f.t.Fatalf("%v: %s", err, out)
		}
	})
	for _, trial := range pick([]int{1, 5, 11}, 2) {
		l.inject(t, "cache on a read-only disk", fmt.Sprint("from trial ", trial), atOnce, func(f *fault) {
			mount(f, "size=64m")
			f.act(trial, `mount -o remount,ro $FIELD/.sessions`)
			f.begin(nil)
			if out, err := exec.Command("mount", "-o", "remount,rw", f.path(".sessions")).CombinedOutput(); err != nil {
				f.t.Fatalf("%v: %s", err, out)
			}
		})
	}
}

// afterTrial calls do when gitdd is about to put trial n on the disk.
func (f *fault) afterTrial(n int, do func()) func(*call) fate {
	trials := 0
	return func(c *call) fate {
		if c.role == "gitdd" && c.name == "sync" && strings.HasSuffix(c.path, "/journal.jsonl") {
			if trials++; trials == n {
				do()
			}
		}
		return 0
	}
}

// cacheFaults take parts of the session away, and change its files.
func cacheFaults(t *testing.T, l *ledger) {
	for i, c := range []struct{ name, script string }{
		{"the cache is removed", `rm -rf .sessions`},
		{"the session is removed", `rm -rf .sessions/*/*`},
		{"the session is moved", `mv .sessions/*/* .sessions/elsewhere; true`},
		{"outputs are removed", `rm -rf .sessions/*/*/trials`},
		{"workspaces are removed", `rm -rf .sessions/*/*/work`},
		{"a workspace is removed", `for d in .sessions/*/*/work; do rm -rf $d/*/*; done`},
		{"objects are removed", `rm -rf .sessions/*/*/objects`},
		{"the journal is removed", `rm .sessions/*/*/journal.jsonl`},
		{"the lock file is removed", `rm .sessions/*/*/lock`},
	} {
		for _, trial := range turn([]int{1, 6, 11}, i) {
			l.inject(t, "the session's files are removed while it runs", fmt.Sprintf("%s, trial %d", c.name, trial), atOnce, func(f *fault) {
				f.begin(f.afterTrial(trial, func() { f.outside(c.script) }))
				os.RemoveAll(f.path(".sessions/elsewhere"))
			})
		}
		if !*everyFault && i%2 > 0 {
			continue
		}
		l.inject(t, "the session's files are removed after a kill", c.name, learner, func(f *fault) {
			f.begin(func(call *call) fate {
				if call.role == "gitdd" && strings.Contains(call.path, "confirm-1") {
					call.s.kill()
				}
				return 0
			})
			f.outside(c.script)
			os.RemoveAll(f.path(".sessions/elsewhere"))
		})
	}
}

// outside runs a line of shell that nobody supervises, while gitdd waits or is
// gone.
func (f *fault) outside(script string) {
	if status, out, errs := f.field.status("", "sh", "-e", "-c", script); status != 0 {
		f.t.Errorf("%s: exit status %d\n%s%s", script, status, out, errs)
	}
}
