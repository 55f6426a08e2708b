// Package changepoint finds where a number changes along a line of configurations: which commit made a command
// slower, which change made a file larger. The number may be noisy.
//
// [Search] measures the two ends of the line in turn, until they can be told apart. Then it chooses one position
// after the other, and looks for the step: the two neighbours between which the number changes. There may be
// several steps. Search finds the highest one, and with [Options.All] each that matters.
//
// Nothing is assumed of the distribution of the numbers but that runs of one configuration are exchangeable, once
// drift is taken off. A value counts by the interval that it falls into, of four whose borders depend on the two
// ends. How likely the values are, if the step is at some place, is the product of two Dirichlet-multinomial
// likelihoods: of all values before the step, and of all after it (Smith, "A Bayesian approach to inference about
// a change-point in a sequence of random variables", Biometrika 62, 1975). The next run is the one which is
// expected to leave the least entropy of where the step is (Jedynak, Frazier and Sznitman, "Twenty questions with
// noise", Journal of Applied Probability 49, 2012). So no number of repeats is fixed: a position is measured again
// as long as that tells more than measuring another one.
//
// A number that is the same in the first two runs of each end is exact. Then each position is measured once.
//
// The package knows positions and numbers only. Begin with search.go; posterior.go has the model, and choose.go
// the choice of the next run.
package changepoint
