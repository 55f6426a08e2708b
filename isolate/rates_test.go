package isolate

import "testing"

// What is learned of cuts at the borders of files is true of finer cuts as far as it is bad
// news, and what is learned of finer cuts is true of files as far as it is good news.
func TestRates(t *testing.T) {
	const share = 0.25 // the chance that one hidden requirement is broken
	for _, row := range []struct {
		name         string
		level        int
		resolved     bool
		worse, alike []int // levels whose cuts are less likely to resolve then, and those of which nothing is known
	}{
		{"whole files do not resolve", 0, false, []int{0, 1, 2}, nil},
		{"symbols do not resolve", 1, false, []int{1, 2}, []int{0}},
		{"hunks do not resolve", 2, false, []int{2}, []int{0, 1}},
		{"whole files resolve", 0, true, nil, []int{1, 2}},
		{"hunks resolve", 2, true, nil, nil},
	} {
		before, r := newRates(2, true, false), newRates(2, true, false)
		r.learn(row.level, share, row.resolved, true, 0)
		for level := range r {
			want := 1 // likelier
			for _, l := range row.worse {
				if l == level {
					want = -1
				}
			}
			for _, l := range row.alike {
				if l == level {
					want = 0
				}
			}
			was, is := before[level].resolves(share), r[level].resolves(share)
			got := 0
			if is > was {
				got = 1
			} else if is < was {
				got = -1
			}
			if got != want {
				t.Errorf("%s: cuts of level %d resolve with probability %.3f, before that with %.3f", row.name, level, is, was)
			}
		}
		if r[0].told != r[2].told || r[0].nothing != r[2].nothing {
			t.Errorf("%s: how far trials teach is another for each level", row.name)
		}
	}
	one := newRates(2, false, false)
	one.learn(2, share, false, true, 0)
	if one[0] != one[2] || one[0].nothing != 1 {
		t.Errorf("levels that are not apart have %d and %d trials that taught nothing", one[0].nothing, one[2].nothing)
	}
}

// An unresolved cut of which nothing was said, while tests teach, is news of the requirements that no message tells of, and it is
// good news of the others: none of them was broken.
func TestSilentRate(t *testing.T) {
	const share = 0.25
	r := newRates(0, false, true)
	r.learn(0, share, false, true, 3) // tests teach
	told, silent := r[0].resolves(share), r[0].resolvesSilent(share)
	r.learn(0, share, false, false, 0)
	if r[0].resolves(share) <= told || r[0].resolvesSilent(share) >= silent {
		t.Errorf("after an unresolved cut without a message: no told requirement is broken with probability %.3f, before that %.3f; no silent one with %.3f, before that %.3f",
			r[0].resolves(share), told, r[0].resolvesSilent(share), silent)
	}
	if silent = r[0].resolvesSilent(share); !r[0].teaches() {
		t.Error("tests do not teach any more")
	}
	if r.learn(0, share, false, true, 3); r[0].resolvesSilent(share) != silent {
		t.Errorf("a cut with messages told of silent requirements: %.3f, before that %.3f", r[0].resolvesSilent(share), silent)
	}
	if r.learn(0, share, true, false, 0); r[0].resolvesSilent(share) <= silent {
		t.Errorf("a cut that resolved told nothing of silent requirements: %.3f, before that %.3f", r[0].resolvesSilent(share), silent)
	}
}
