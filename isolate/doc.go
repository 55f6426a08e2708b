// Package isolate finds which of n numbered elements make a test fail. It
// knows nothing of git, files, processes or time.
//
// A [Configuration] is a set of elements. A [Test] gives it one of three
// outcomes: [Pass], [Fail] or [Unresolved], which means that the configuration
// cannot be judged. Running a test is a trial, and a search needs as few trials
// as possible. [Search] begins with a configuration that passes and a larger one
// that contains it and fails. It brings the two closer together; the elements
// that remain between them are the cause:
//
//	p := isolate.Problem{N: 8}
//	test := func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
//		if c.Has(2) && c.Has(5) {
//			return isolate.Fail, nil
//		}
//		return isolate.Pass, nil
//	}
//	result, err := isolate.Search(ctx, p, test, isolate.Options{})
//	fmt.Println(result.Cause) // 2,5
//
// # Guarantees
//
// If the test gives a configuration the same outcome each time, then:
//
//   - The passing and the failing configuration of a [Result] were tested.
//   - If Result.Minimal is true, the failing configuration was also tested without
//     each single member of the cause.
//   - The search ends.
//   - Unless Options.Rounds is set, the search takes the same path to the same answer
//     for every number of jobs.
//
// Outcomes need not be monotone, unambiguous or consistent. If they are, the search
// takes fewer trials, and the answer is smaller.
//
// A test that sometimes has a wrong outcome is run through a [SequentialTest], which repeats
// the test until the answer is right with a stated probability.
//
// # What unresolved tests print
//
// Options.Diagnose turns the output of an unresolved test into messages. Each message comes
// with the pairs of elements that may be its reason. Later trials narrow these pairs down. The
// search keeps the elements of the best pair together until an outcome refutes the pair
// (message.go). Options.Check gives such messages for a configuration without a test, and
// Problem.Affinity says which elements belong together. All of this is advice: if it is right,
// a search takes fewer trials; if it is wrong, the answer is still right.
//
// # Many targets
//
// If a trial has outcomes for several targets, such as the tests of a suite, [SearchEach] finds
// the cause for each target. Targets whose outcomes were always the same share one search.
//
// # Smaller answers
//
// At the end, a search tries to leave out each single element. Some elements cannot be left
// out one by one, but only together. [Trim] tries to leave out groups of them, both from the cause
// and from the other elements with which the cause was tested. [CorrectionSet] looks for a part of
// a cause without which the failing configuration passes.
//
// # Lists
//
// [Minimize] makes a list as short as possible, such as the pieces of an input that makes
// a program fail. All elements together fail; it does not matter in which way a shorter list
// does not fail; and no list that passes need be known. The algorithms of Minimize are dab, the
// default, opdd, activecoarsen of 2011, chisel of 2018, and those of the list below that minimise.
//
// # Algorithms
//
// An algorithm is a function that asks for outcomes and knows nothing else. So
// the engine around it can remember and count outcomes, look ahead on other
// workers, and stop at a budget. To resume a search, the engine runs the algorithm again
// on the remembered outcomes, which brings it to the same point. There are auto, the default;
// cpi; dd and dd+ of 1999; dd+shrink, which is dd+ with two changes of ours;
// ddmin and dd2 of 2002; and algorithms that minimise as ddmin does: probdd of 2021,
// cdd, wdd and wprobdd of 2025, quickxplain of 2004, and gbs, which serves for
// comparison. cgr and pce need few rounds of many jobs. The table has the largest number of
// trials of each algorithm. The tests of the two ends are not included, and neither are the
// d(d+1)/2 trials which certify that none of the d members of an answer is superfluous:
//
//	                one cause of n, all resolved   any outcomes
//	auto            as the one it chooses
//	cpi             log2 n + 1                     n³/3 + 20n + 300
//	dd              2 log2 n
//	dd+             2 log2 n                       n² + 3n
//	dd+shrink       2 log2 n                       n² + 3n
//	ddmin           2 log2 n                       n² + 3n
//	dd2             log2 n                         n² + 7n
//	probdd          n/10 + 10                      5n
//	probdd-sparse   2.5 log2 n + 2                 5n
//	cdd             n/10 + 10                      3n
//	cdd-sparse      3 log2 n                       3n
//	wdd             2 log2 n                       n² + 13n
//	wprobdd         2.5 log2 n + 2                 5n² + 2n
//	quickxplain     2 log2 n                       2n
//	gbs             log2 n + 1                     n(log2 n + 3)
//	pce             2 log2 n + 1                   5n + 2k for k jobs
//	cgr             2 log2 n + 2                   12 log2 n + 12 + 2k, and then pce or cpi
//
// With Problem.Groups, all algorithms except auto, cpi, cgr and pce work down from coarse
// groups to single elements, and the bounds hold for each level. auto, cpi, cgr and pce
// instead cut where a group begins, if such a place is near, which may cost one more trial.
// For probdd and cdd, Options.Sigma replaces n/10 by σn; the bounds for any outcomes
// hold for every σ.
// If the goal is a smallest failing set, the algorithms that isolate a difference continue
// with ddmin from the failing configuration that they have found.
package isolate
