package main

import (
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/testcase"
)

// graph reports whether the input is reduced as graphs.
func (s *reducing) graph(in testcase.Input) bool {
	return s.passing == "" && reduction.IsGraph(in, s.format)
}

// bare reports whether nothing is left of an input, or a graph of one leaf.
func bare(in testcase.Input) bool {
	nodes, _ := reduction.GraphSize(in)
	return in.Size() == 0 || len(in.Files) == 1 && nodes == 2
}

// oracleHints say what to do if the failure of a graph is nothing to reduce it by.
var oracleHints = map[reduction.OracleProblem]string{
	reduction.Answered:  "--match REGEX tells a failure by its output; a script with --interesting may look for more; `gitdd btor compare` fails where two solvers disagree",
	reduction.NotRead:   "`gitdd btor print FILE` says whether the file is well-formed, and writes it as --format-version 2 or 3, where the solver wants the other one; if it is the parser that fails, name its message with --match",
	reduction.OnceInTwo: "choose --timeout well below the time that the command takes, or repeat trials with --confidence 0.99",
}
