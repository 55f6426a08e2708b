package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// journalFaults damage the journal of a finished search, and let the machine
// lose what it was not asked to keep.
func journalFaults(t *testing.T, l *ledger) {
	damage := func(kind, name string, refuse string, change func(text []byte) []byte) {
		l.inject(t, kind, name, learner, func(f *fault) {
			f.ends = true // and it is found by what resumes
			f.begin(nil)
			names, err := filepath.Glob(f.path(".sessions/*/*/journal.jsonl"))
			if err != nil || len(names) != 1 {
				f.t.Fatal(names, err)
			}
			text, err := os.ReadFile(names[0])
			if err != nil {
				f.t.Fatal(err)
			}
			if err := os.WriteFile(names[0], change(text), 0o666); err != nil {
				f.t.Fatal(err)
			}
			f.refuse = refuse
		})
	}
	const named = `journal\.jsonl:\d+: .*; the session cannot be trusted`
	parts := 5
	if *everyFault {
		parts = 400
	}
	for part := range parts {
		// The journal's length differs by some digits of times: places are parts of it.
		at := func(text []byte) int { return len(text) * part / parts }
		damage("a byte of the journal is flipped", fmt.Sprintf("at %d/%d", part, parts), named+"|written by another version", func(text []byte) []byte {
			text[at(text)] ^= 1 << (part % 8)
			return text
		})
		damage("the journal is cut", fmt.Sprintf("at %d/%d", part, parts), named, func(text []byte) []byte { return text[:at(text)] })
	}
	damage("the journal ends in zeros", "", "", func(text []byte) []byte {
		return append(text[:len(text)*2/3], make([]byte, 5000)...)
	})
	damage("a line of the journal is missing", "", "", func(text []byte) []byte {
		lines := bytes.SplitAfter(text, []byte("\n"))
		return bytes.Join(append(lines[:4:4], lines[5:]...), nil)
	})
	powerFaults(t, l)
}

// powerFaults end everything at a call, and take back what no sync has put on
// the disk.
func powerFaults(t *testing.T, l *ledger) {
	for _, search := range [][]string{learner, commits} {
		f := l.fault(t, search)
		all := f.sites(f.line("run")...)
		for _, s := range more(all, 4, of(all, "journal"), 5) {
			l.inject(t, "power failure", search[3]+", "+s.String(), search, func(f *fault) {
				d := disk{f.t, map[string]int64{}}
				strike := f.at(s, func(c *call) fate { return c.s.killAll() })
				f.ends = true
				f.begin(func(c *call) fate {
					if fate := strike(c); fate != 0 {
						return fate
					}
					d.watch(c)
					return 0
				})
				d.lose()
			})
		}
	}
}

// A disk knows how many bytes of each file that was written are safe.
type disk struct {
	t    *testing.T
	safe map[string]int64
}

func (d disk) watch(c *call) {
	switch c.name {
	case "open":
		if _, err := os.Stat(c.path); os.IsNotExist(err) {
			d.safe[c.path] = 0
		}
	case "write":
		if _, known := d.safe[c.path]; !known {
			if info, err := os.Stat(c.path); err == nil {
				d.safe[c.path] = info.Size()
			}
		}
	case "sync":
		if info, err := os.Stat(c.path); err == nil && info.Mode().IsRegular() {
			d.safe[c.path] = info.Size()
		}
	case "rename", "link":
		if size, known := d.safe[c.path]; known {
			d.safe[c.to] = size
		}
	}
}

func (d disk) lose() {
	for name, size := range d.safe {
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() <= size {
			continue
		}
		if err := os.Truncate(name, size); err != nil && !os.IsNotExist(err) && err != syscall.EACCES {
			d.t.Error(err)
		}
	}
}
