package isolate

import "math"

// An estimate is how much of its path an algorithm has still before it, for the eyes
// of Observe only. Who looks for one cause after the other says before each question
// what it will leave open; the zero estimate is that of an algorithm that does not,
// and then all suspects are open.
type estimate struct {
	phase phase
	open  [3]int // by outcome: suspects, or of a certificate the questions that are left
	found int    // causes that are known, when there are more
}

type phase uint8

const (
	unsaid     phase = iota
	narrowed         // suspects are told apart
	flipping         // elements are, of which one is needed: that costs the cause as well
	verifying        // do the causes that are known suffice? If not, the others are open
	certifying       // is each of them needed?
)

// narrow says that the next question is about some of the suspects.
func (l *estimate) narrow(suspects, inside int) {
	l.phase, l.open = narrowed, [3]int{Unresolved: suspects, Pass: suspects - inside, Fail: inside}
}

// flip says that the next question is which of so many elements is needed.
func (l *estimate) flip(open int) { l.phase, l.open = flipping, [3]int{open, open, open} }

// verify says that it is whether so many elements beside the causes can go.
func (l *estimate) verify(others int) {
	l.phase, l.open = verifying, [3]int{Unresolved: others, Pass: others, Fail: 0}
}

// certify says that so many questions follow, or so many if this one fails.
func (l *estimate) certify(next, again int) {
	l.phase, l.open = certifying, [3]int{Unresolved: next, Pass: next, Fail: again}
}

// questions returns how many a certificate has left behind one with outcome o; 0 if it is
// none.
func (l *estimate) questions(o Outcome) int {
	if l.phase != certifying {
		return 0
	}
	return l.open[o]
}

// A remainder is an estimate of the trials still to come: their likely number, and a range.
type remainder struct{ least, likely, most int }

// remainder returns the trials to come after a question with outcome o, in a search among
// n elements, with suspects as Step has them. Of the questions so far, resolved passed or
// failed, the two ends among them, and unresolved did not; row of these came since the last
// one that resolved. taught says whether the search has read messages.
//
// A certificate is counted exactly. Otherwise let s be the suspects that o leaves, and k the
// causes that are known, l.found, which only cpi sets. All three numbers count log2 s
// questions that resolve, to tell the suspects apart (one more while flipping), one whether
// the causes then suffice, and k of the certificate: one for each cause but the last. They
// differ in what nobody knows beforehand:
//
//   - likely takes the cause that is looked for now for the last one, and adds to each
//     question that tells suspects apart unresolved/resolved others, as so far.
//   - least has 0.8 log2 s of these questions, for cuts may be lucky, and adds 0.3 times what
//     likely adds to each; nothing if taught, for messages say what to avoid.
//   - most adds 2.6 (unresolved+1)/resolved to each, for the suspects left have resisted so
//     far, and row once. Then 4k+1 causes follow, each with log2 n + 2 questions that
//     resolve and as many more to each.
//
// 4k+1 follows from a guess: that there are d causes with a probability in proportion to
// 1/d² (see remaining). Of the searches with more than k causes about (k+½)/(m-½) then have
// m or more, so four of five have at most 5k+2: k known, one looked for, and 4k+1 others.
// The factors 0.8, 0.3 and 2.6, and row, are only fitted to the planted models of package
// fixtures: with them the range holds the true number as often as TestStepRange there asks.
func (l *estimate) remainder(o Outcome, n, suspects, resolved, unresolved, row int, taught bool) remainder {
	open, certificate := suspects, l.found
	if l.phase != unsaid {
		open = l.open[o]
	}
	switch {
	case l.phase == certifying:
		return remainder{open, open, open}
	case l.phase == verifying && open == 0:
		return remainder{max(0, certificate-1), certificate, certificate + 1}
	}
	u, r := float64(unresolved), float64(max(2, resolved))
	halvings := math.Log2(float64(max(1, open)))
	if l.phase == flipping {
		halvings++
	}
	slow := 1 + 2.6*(u+1)/r
	fast := 0.8 * (1 + 0.3*u/r)
	if taught {
		fast = 0.8
	}
	others := float64(4*certificate + 1)
	each := math.Log2(float64(max(2, n))) + 2
	return remainder{
		least:  int(halvings*fast) + 1 + certificate,
		likely: int(math.Ceil(halvings*(1+u/r))) + 1 + certificate,
		most:   int(math.Ceil(halvings*slow)) + row + 1 + certificate + int(math.Ceil(others*each*slow)),
	}
}
