package reduce

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// What an algorithm or an option is not for is said before anything is asked.
func TestSuitable(t *testing.T) {
	const text = "a\nb\nc\n"
	for _, c := range []struct {
		files string // contents by /
		opts  Options
		err   string // its beginning; "" = there is none
		note  string // its beginning; "" = there is none
	}{
		{files: text, opts: Options{Algorithm: "lw"}, err: `algorithm "lw" is for graphs`},
		{files: text, opts: Options{Algorithm: "ddmin,hdd,*"}, err: `algorithm "ddmin,hdd,*" is for graphs`},
		{files: text, opts: Options{Algorithm: "hdd", MaxPartitions: 8}, err: "the number of partitions and simplification are of graphs"},
		{files: text, opts: Options{NoSimplify: true}, err: "the number of partitions and simplification are of graphs"},
		{files: text, opts: Options{Algorithm: "hdd*"}},
		{files: text, opts: Options{Algorithm: "lw", Format: "lines"}, err: `algorithm "lw" is for graphs`},
		{files: small, opts: Options{Algorithm: "hoist"}, err: `algorithm "hoist" is for trees`},
		{files: small, opts: Options{Algorithm: "hdd*/probdd", Format: "btor"}, err: `algorithm "hdd*/probdd" is for trees`},
		{files: small, opts: Options{Algorithm: "hdd*/probdd", Format: "lines"}},
		{files: small, opts: Options{Algorithm: "hdd*"}},
		{files: small, opts: Options{Algorithm: "lw,bfs"}},
		{files: small, opts: Options{Algorithm: "hdd", MaxPartitions: 8}},
		{files: small, opts: Options{Algorithm: "lw,ddmin,*", MaxPartitions: 8}},
		{files: small, opts: Options{Algorithm: "changeref", NoSimplify: true}},
		{files: small, opts: Options{Algorithm: "lw,bfs", MaxPartitions: 8}, err: `a number of partitions is for algorithms with ddmin in them, such as ddmin and hdd*, and "lw,bfs" has none`},
		{files: small, opts: Options{MaxPartitions: 8}, err: `a number of partitions is for algorithms with ddmin in them, such as ddmin and hdd*, and "auto" has none`},
		{files: small, opts: Options{Algorithm: "lw,hoist"}, err: `unknown algorithm "hoist" in "lw,hoist"; for graphs`},
		{files: small + "/" + text, opts: Options{Algorithm: "lw"}, note: "lw is for graphs: what is none is reduced by auto"},
		{files: small + "/" + text, opts: Options{Algorithm: "hoist"}, note: "hoist is for trees: graphs are reduced by auto"},
		{files: small + "/" + text, opts: Options{Algorithm: "hdd"}},
	} {
		in := testcase.Input{}
		for i, content := range strings.Split(c.files, "/") {
			in.Files = append(in.Files, testcase.File{Path: string(rune('a' + i)), Content: []byte(content)})
		}
		in.Dir = len(in.Files) > 1
		asked := 0
		test := func(context.Context, testcase.Input) (isolate.Outcome, error) {
			asked++
			return isolate.Pass, nil
		}
		c.opts.MaxTrials = 3
		result, err := Reduce(t.Context(), in, test, c.opts)
		switch {
		case c.err != "":
			if err == nil || !strings.HasPrefix(err.Error(), c.err) || asked > 0 {
				t.Errorf("%+v of %q: after %d trials %v, want at once %s", c.opts, c.files, asked, err, c.err)
			}
		case err != nil && !errors.Is(err, isolate.ErrBudget) || asked == 0:
			t.Errorf("%+v of %q: %v after %d trials", c.opts, c.files, err, asked)
		case c.note != "" != slices.ContainsFunc(result.Notes, func(note string) bool { return c.note != "" && strings.HasPrefix(note, c.note) }):
			t.Errorf("%+v of %q: notes %q, want %q", c.opts, c.files, result.Notes, c.note)
		}
	}
}
