package isolate

import "math"

// An outlook is how much of its path an algorithm has still before it, for the eyes
// of Observe only. Who looks for one cause after the other says before each question
// what it will leave open; the zero outlook is that of an algorithm that does not,
// and then all suspects are open.
type outlook struct {
	stage stage
	open  [3]int // by outcome: suspects, or of a certificate the questions that are left
	found int    // causes that are known, when there are more
}

type stage uint8

const (
	unsaid     stage = iota
	narrowed         // suspects are told apart
	flipping         // elements are, of which one is needed: that costs the cause as well
	verifying        // do the causes that are known suffice? If not, the others are open
	certifying       // is each of them needed?
)

// narrow says that the next question is about some of the suspects.
func (l *outlook) narrow(suspects, inside int) {
	l.stage, l.open = narrowed, [3]int{Unresolved: suspects, Pass: suspects - inside, Fail: inside}
}

// flip says that the next question is which of so many elements is needed.
func (l *outlook) flip(open int) { l.stage, l.open = flipping, [3]int{open, open, open} }

// verify says that it is whether so many elements beside the causes can go.
func (l *outlook) verify(others int) {
	l.stage, l.open = verifying, [3]int{Unresolved: others, Pass: others, Fail: 0}
}

// certify says that so many questions follow, or so many if this one fails.
func (l *outlook) certify(next, again int) {
	l.stage, l.open = certifying, [3]int{Unresolved: next, Pass: next, Fail: again}
}

// questions returns how many a certificate has left behind one with outcome o; 0 if it is
// none.
func (l *outlook) questions(o Outcome) int {
	if l.stage != certifying {
		return 0
	}
	return l.open[o]
}

// A remainder is how many trials there are still to come.
type remainder struct{ least, likely, most int }

// remainder returns that behind a question with outcome o, of a search among n
// elements in which so many questions resolved, at least the two ends, so many did
// not, and so many of these in a row just now. suspects is what Step says of them.
//
// The range from least to most follows from what nobody knows beforehand:
//
//   - How many causes there are. As cpi has it (see remaining) there are d of them with
//     a likelihood in proportion to 1/d². Then, where there are more than k, they are at
//     least m in about (k+½)/(m-½) of all searches, and in four of five at most 5k+2. So
//     least has it that the cause which is looked for now is the last one, and most that
//     4k+1 others follow, each for the log2 n + 2 questions that it costs if all resolve.
//   - How lucky the cuts are. To tell s suspects apart takes log2 s questions that
//     resolve, where each halves them. Few cuts do exactly, so least is a fifth less.
//   - How many questions resolve. If u did not and r did, most has 2.6(u+1)/r beside each
//     that does, for what is left is what resisted so far, and as many more as were
//     unresolved in a row just now; least has a third of u/r, and none of it where
//     messages taught the search what to avoid.
//   - The certificate, a question for each cause but the last, is certain.
//
// These factors are no theory: with them the range holds what it should for the planted
// models of package fixtures, see TestStepRange there.
func (l *outlook) remainder(o Outcome, n, suspects, resolved, unresolved, row int, taught bool) remainder {
	open, certificate := suspects, l.found
	if l.stage != unsaid {
		open = l.open[o]
	}
	switch {
	case l.stage == certifying:
		return remainder{open, open, open}
	case l.stage == verifying && open == 0:
		return remainder{max(0, certificate-1), certificate, certificate + 1}
	}
	u, r := float64(unresolved), float64(max(2, resolved))
	halvings := math.Log2(float64(max(1, open)))
	if l.stage == flipping {
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
