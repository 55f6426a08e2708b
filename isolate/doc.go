// Package isolate finds which of n numbered elements make a test fail; it
// knows no git, no files, no processes and no clock.
//
// A [Configuration] is a set of elements. A [Test] gives it one of three
// outcomes: [Pass], [Fail] or [Unresolved], which means that it cannot be
// judged. Running a test is a trial, and trials are what a search saves. Given
// one configuration that passes and one above it that fails, [Search] moves
// the two towards each other, and what is left between them is the cause:
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
// For any test that gives a configuration the same outcome each time: the
// passing and the failing configuration of a [Result] were tested; when it says
// Minimal, so was the failing one without each single member of the cause; the
// search ends; and unless Options.Rounds is set it takes the same path to the
// same answer for every number of jobs. Nothing is assumed about outcomes being monotone, unambiguous or
// consistent: these only make it cheaper, and the answer smaller.
//
// A test that is wrong at times is asked by way of a [SequentialTest], which repeats it until
// the answer is right with a stated probability.
//
// # What unresolved tests say
//
// Options.Diagnose turns what an unresolved test printed into messages, each with the
// pairs of elements that may be its reason. Over the path these are narrowed down, and
// what explains a message best is kept together from then on, until an outcome refutes it
// (message.go). Options.Check says the same of a configuration without a test, and
// Problem.Affinity which elements belong together. All of it is advice: it makes a search
// cheaper, and is held to no truth.
//
// # Many targets
//
// Where a trial has outcomes for several targets, such as the tests of a suite, [SearchEach] finds the
// cause of each of them with one search. Targets whose outcomes never differed share one.
//
// # Smaller answers
//
// A search leaves out single elements at last. Where these cannot go one by one, [Trim] leaves out
// groups of them, of the cause and of the elements that it was tested with.
//
// # Lists
//
// [Minimize] is for lists of which as little as possible shall be left, such as the
// pieces of an input that makes a program fail: all of them together fail, what does
// not fail does not matter, and nothing is known of where it passes. Its algorithms
// are dab, the default, opdd, activecoarsen of 2011, chisel of 2018, and of those below the ones that minimise.
//
// # Algorithms
//
// An algorithm is a function that asks for outcomes and knows nothing else, so
// the engine around it can remember, count, look ahead on other workers, stop
// at a budget and resume: run the algorithm again on remembered outcomes, and
// it comes to the same point. There are auto, the default; cpi; dd and dd+ of 1999, and dd+shrink,
// which is dd+ with two changes of ours;
// ddmin and dd2 of 2002; and those that minimise as ddmin does: probdd of 2021,
// cdd, wdd and wprobdd of 2025, quickxplain of 2004, and gbs, which is a
// yardstick. For few rounds of many jobs there are cgr and pce. Their trials at
// most, beside the two ends and, with d members in the answer, d(d+1)/2 to
// certify that no member is superfluous:
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
// With Problem.Groups all but auto, cpi, cgr and pce work down from coarse groups
// to single elements, and the bounds hold for each level; these cut where groups
// begin, if that is near, which may cost a trial more.
// Where probdd and cdd have n/10, Options.Sigma makes it σn; the bounds for any outcomes
// hold for every σ.
// A goal that asks for a smallest failing set lets those that isolate go on
// with ddmin from the failing configuration they found.
package isolate
