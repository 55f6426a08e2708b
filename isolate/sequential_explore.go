package isolate

import "math"

// explore returns the rule for Ask by what is known of the ends, after so many
// outcomes have turned. With more doubt an outcome takes fewer attempts and is
// wrong more often, and what follows a wrong one is in vain: of the doubts of a
// grid the rule takes that with the least expected attempts.
func explore(pass, fail Tally, turns int) rule {
	r := rule{pass: pass.beta(), fail: fail.beta(), unresolved: patience(pass, fail)}
	best, least := r, math.Inf(1)
	for _, doubt := range []float64{0.4, 0.25, 0.15, 0.1, 0.06, 0.03, 0.015, 0.007} {
		r.doubt = doubt
		attempts, wrong := r.expect()
		if cost := expectedAttempts(attempts, wrong, turns); cost < least {
			best, least = r, cost
		}
	}
	return best
}

// typicalWaste is how many steps are in vain after a wrong one, about, if the
// search has doubts (Options.Doubt). Between a half and 16 it changes the
// attempts of a simulated search by less than a tenth.
const typicalWaste = 4

// expectedAttempts returns about how many attempts a step of a search takes,
// those of the steps in vain included, if a rule takes so many and is wrong so
// often. After many turns, wrong outcomes have cost more than is typical: then
// they are avoided, until there are no more.
func expectedAttempts(attempts, wrong float64, turns int) float64 {
	return attempts * (1 + typicalWaste*wrong*float64(1+turns))
}

// expect returns how many attempts the rule takes, and how often it is wrong,
// for a test that is like either end with even odds, by going through all
// tallies up to a depth that few reach.
func (r rule) expect() (attempts, wrong float64) {
	const depth = 40
	ends := [2]beta{r.pass, r.fail}
	var likelihoods [2]func(pass, fail int) float64
	for i, b := range ends {
		likelihoods[i] = b.table(depth)
	}
	// reached[f] is how likely n attempts with f fails leave the rule
	// undecided, for a test like the end that passes and like the one that fails.
	reached := [][2]float64{{1, 1}}
	for n := 0; n < depth; n++ {
		next := make([][2]float64, n+2)
		for f, p := range reached {
			if p == ([2]float64{}) {
				continue
			}
			attempts += (p[0] + p[1]) / 2
			for like, b := range ends {
				fails := b.after(Tally{Pass: n - f, Fail: f}).fails()
				next[f][like] += p[like] * (1 - fails)
				next[f+1][like] += p[like] * fails
			}
		}
		for f, p := range next {
			if p == ([2]float64{}) {
				continue
			}
			odds := math.Exp(likelihoods[0](n+1-f, f) - likelihoods[1](n+1-f, f))
			switch failLike := 1 / (1 + odds); {
			case failLike <= r.doubt:
				wrong += p[1] / 2
			case failLike >= 1-r.doubt:
				wrong += p[0] / 2
			default:
				continue
			}
			next[f] = [2]float64{}
		}
		reached = next
	}
	for _, p := range reached {
		wrong += (p[0] + p[1]) / 2
	}
	return attempts, wrong
}

// patience returns how many unresolved attempts, and no others, make a test
// unresolved: one, if the ends have had none; else as many as are by chance one
// time in ten.
func patience(pass, fail Tally) int {
	unresolved := pass.Unresolved + fail.Unresolved
	if unresolved == 0 {
		return 1
	}
	rate := float64(unresolved) / float64(pass.Total()+fail.Total())
	return 1 + int(math.Log(0.1)/math.Log(rate))
}
