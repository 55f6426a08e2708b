package hunt

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/trial"
)

// A Comparison is what solvers made of one file.
type Comparison struct {
	Solvers []Solved // the tested one first, then the others in their order
	Differ  string   // the first two definite answers that differ, with their solvers; "" = none do
}

// A Solved is what one solver made of a file.
type Solved struct {
	Label    string // the name of the program, with a number if others have the same
	Answer   Answer
	Ended    string        // how the command ended in words, and the first line that it printed if it gave no answer
	Duration time.Duration // of the command
}

// differLine is the signature of a disagreement in what gitdd btor compare prints: the
// line that names the two.
const differLine = "^differ: .*"

// Compare runs the solvers on a file, one after the other, and compares their answers. A
// *MissingError says that a command cannot be executed.
func Compare(ctx context.Context, s Solving, c Case) (Comparison, error) {
	var err error
	if s.Start, err = filepath.Abs(s.Start); err != nil {
		return Comparison{}, err
	}
	solvers, done, err := tempSolvers(ctx, s, btor.SMT2)
	if err != nil {
		return Comparison{}, err
	}
	all, err := solvers.Run(ctx, 0, c)
	if err = errors.Join(err, done()); err != nil {
		return Comparison{}, err
	}
	labels, answers := labelsOf(s.commands()), answersOf(all)
	var compared Comparison
	for i, x := range all {
		compared.Solvers = append(compared.Solvers, Solved{Label: labels[i], Answer: answers[i], Ended: ended(x), Duration: x.Duration})
	}
	compared.Differ, _ = differing(answers, labels)
	return compared, nil
}

// ended says how a command ended, with the first words of one that gave no answer.
func ended(x trial.Execution) string {
	f := Judge([]trial.Execution{x}, []int{0, 10, 20}, []string{""})
	if f.Class == Passed {
		f = Failure{Class: Exit, Exit: x.Exit}
	}
	text := f.String()
	if AnswerOf(x) == Unknown {
		if line := firstOf(x); line != "" {
			text += ", " + prose.Quote(line)
		}
	}
	return text
}
