package grouping_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/seed"
)

// wide is a difference of the size of a Linux point release: C files of about
// 30 KB, six hunks each, every tenth file adding a function that others use.
func wide(files int) []edit {
	good, bad := edit{"good", make(map[string]string, files)}, edit{"bad", make(map[string]string, files)}
	for i := range files {
		path := fmt.Sprintf("drivers/d%02d/s%d/f%04d.c", i%40, i%7, i)
		var old, new strings.Builder
		for f := range 40 {
			for _, b := range []*strings.Builder{&old, &new} {
				fmt.Fprintf(b, "/* Documents function %d of the file. */\nstatic int driver_%d_function_%d(struct device *dev, int flags)\n{\n", f, i, f)
				for line := range 14 {
					fmt.Fprintf(b, "\tstatus_%d = read_register(dev, REGISTER_%d) & flags;\n", line, line)
				}
			}
			old.WriteString("\treturn 0;\n}\n\n")
			switch {
			case f%7 != 3:
				new.WriteString("\treturn 0;\n}\n\n")
			case f == 3 && i%10 == 0:
				fmt.Fprintf(&new, "\treturn 0;\n}\n\nint shared_helper_%d(int x)\n{\n\treturn x;\n}\n\n", i)
			default:
				fmt.Fprintf(&new, "\treturn shared_helper_%d(status_%d);\n}\n\n", (i/50*50+f*10)%files/10*10, f%14)
			}
		}
		good.files[path], bad.files[path] = old.String(), new.String()
	}
	return []edit{good, bad}
}

func BenchmarkPlanWide(b *testing.B) {
	s := between(b, repository(b, wide(4600)...), "r0", "r1")
	b.ReportMetric(float64(s.Len()), "changes")
	for b.Loop() {
		p, err := grouping.New(b.Context(), s, grouping.Options{})
		if err != nil {
			b.Fatal(err)
		}
		edges := 0
		for _, row := range p.Predicted {
			edges += len(row)
		}
		b.ReportMetric(float64(edges), "edges")
	}
}

// Beyond the bounds a plan still keeps its promises, and says so.
func TestPlanBeyondTheBounds(t *testing.T) {
	seed.SkipLong(t, 4)
	s := between(t, repository(t, wide(530)...), "r0", "r1") // some of them beyond the last bound, of 32 MB
	p := plan(t, s)
	if p.Note == "" {
		t.Error("no note about what was not read closely")
	}
	t.Log(p.Note)
	symbols, edges := 0, 0
	for i := range s.Changes {
		if p.Symbols[i] != "" {
			symbols++
		}
		edges += len(p.Predicted[i])
	}
	if symbols != s.Len() {
		t.Errorf("%d of %d changes have a symbol", symbols, s.Len())
	}
	if edges < s.Len()/2 {
		t.Errorf("%d predicted requirements for %d changes", edges, s.Len())
	}
}

// BenchmarkLearnWide reads a log of which most names are searched for in all of
// 27,600 changes.
func BenchmarkLearnWide(b *testing.B) {
	s := between(b, repository(b, wide(4600)...), "r0", "r1")
	p := plan(b, s)
	var log strings.Builder
	var applied []int
	for i := range s.Changes {
		c := &s.Changes[i]
		if i%2 == 0 {
			applied = append(applied, i)
			if i%400 == 0 {
				fmt.Fprintf(&log, "/w/0/%s:%d:9: error: 'nothing_%d' undeclared\n", c.Path, c.NewStart, i)
				fmt.Fprintf(&log, "/w/0/%s:(.text+0x1): undefined reference to `shared_helper_%d'\n", c.Path, i)
			}
		}
	}
	b.Run("learn", func(b *testing.B) {
		for b.Loop() {
			p.Learn(slices.Values(applied), []byte(log.String()))
		}
	})
	b.Run("prior", func(b *testing.B) {
		for b.Loop() {
			p.Prior(slices.Values(applied), []byte(log.String()))
		}
	})
}
