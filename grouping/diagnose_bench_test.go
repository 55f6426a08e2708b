package grouping_test

import (
	"fmt"
	"hash/fnv"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
)

// tangle is a difference of so many hunks of Go files, of 40 functions each, that call each
// other across files and lie in a few directories.
func tangle(hunks int) []edit {
	const each = 40
	good, bad := edit{"good", map[string]string{}}, edit{"bad", map[string]string{}}
	for i := range hunks / each {
		path := fmt.Sprintf("pkg%d/file%03d.go", i%5, i)
		var old, new strings.Builder
		for _, b := range []*strings.Builder{&old, &new} {
			fmt.Fprintf(b, "package pkg%d\n\n", i%5)
		}
		for f := range each {
			name := fmt.Sprintf("work%dOn%d", i, f)
			other := fmt.Sprintf("work%dOn%d", (i*7+f)%max(1, hunks/each), (f*3+1)%each)
			for _, b := range []*strings.Builder{&old, &new} {
				fmt.Fprintf(b, "// It does some work.\nfunc %s(", name)
			}
			fmt.Fprintf(&old, "list []int, count int) int {\n\tresult := %s(list, count)\n", other)
			fmt.Fprintf(&new, "list []item%d, count int, more string) item%d {\n\tresult := %s(list, count, more)\n", i, i, other)
			for _, b := range []*strings.Builder{&old, &new} {
				b.WriteString("\tfor k := range list {\n\t\tprintln(k)\n\t}\n\treturn result\n}\n\n")
			}
		}
		good.files[path], bad.files[path] = old.String(), new.String()
	}
	return []edit{good, bad}
}

// loud is an output with so many messages about the changes of s that are applied.
func loud(s *changes.Set, applied []int, messages int) []byte {
	var b strings.Builder
	for k := range messages {
		c := &s.Changes[applied[k*len(applied)/messages]]
		switch k % 3 {
		case 0:
			fmt.Fprintf(&b, "./%s:%d:9: not enough arguments in call to work%dOn%d\n\thave ([]int, int)\n\twant ([]item%d, int, string)\n", c.Path, c.NewStart+1, k%20, k%40, k%20)
		case 1:
			fmt.Fprintf(&b, "./%s:%d:9: cannot use list%d (variable of type []int) as []item%d value in argument to work%dOn%d\n", c.Path, c.NewStart, k, k%20, k%20, k%40)
		default:
			fmt.Fprintf(&b, "./%s:%d:9: undefined: item%d\n", c.Path, c.OldStart+5, k%30)
		}
	}
	return []byte(b.String())
}

// digest is what messages come to.
func digest(messages []grouping.Message) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%v", messages)
	return h.Sum64()
}

func everySecond(n int) (list []int) {
	for i := 0; i < n; i += 2 {
		list = append(list, i)
	}
	return list
}

// BenchmarkRead reads the output of a build that fails in 500 places, for differences of
// two shapes: many files, and one file.
func BenchmarkRead(b *testing.B) {
	for _, hunks := range []int{1000, 10_000} {
		for _, one := range []bool{false, true} {
			edits := tangle(hunks)
			if one {
				edits = []edit{joined(edits[0]), joined(edits[1])}
			}
			s := between(b, repository(b, edits...), "r0", "r1")
			p := plan(b, s)
			applied := everySecond(s.Len())
			output := loud(s, applied, 500)
			d := p.Diagnosis()
			var all iter.Seq[int] = slices.Values(applied)
			b.Run(fmt.Sprintf("changes=%d/onefile=%v", s.Len(), one), func(b *testing.B) {
				var messages []grouping.Message
				for b.Loop() {
					messages = d.Read(all, output)
				}
				b.ReportMetric(float64(len(messages)), "messages")
				b.Logf("digest %x", digest(messages))
			})
		}
	}
}

// joined puts all files of an edit into one.
func joined(e edit) edit {
	var all strings.Builder
	names := make([]string, 0, len(e.files))
	for name := range e.files {
		names = append(names, name)
	}
	slices.Sort(names)
	for k, name := range names {
		content := e.files[name]
		if k > 0 {
			_, content, _ = strings.Cut(content, "\n")
		}
		all.WriteString(content)
	}
	return edit{e.subject, map[string]string{"all/all.go": all.String()}}
}
