package seed

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
)

// variable names the environment variable that gives the seed of all tests, a
// decimal number. Without it each test draws one.
const variable = "GITDD_SEED"

// drawn is the seed of OneIn if none is given.
var drawn = sync.OnceValue(rand.Uint64)

// New returns a seed, and logs it, so that a test that fails prints it.
func New(t testing.TB) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv(variable); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", variable, err)
		}
		seed = given
	}
	t.Logf("%s=%d", variable, seed)
	return seed
}

// Rounds runs a randomised test in rounds, beside each other, each with random numbers of its own: in so many rounds as all
// says, or with -short in so many as some says.
func Rounds(t *testing.T, all, some uint64, round func(*testing.T, *rand.Rand)) {
	t.Helper()
	rounds := all
	if testing.Short() {
		rounds = some
	}
	seed := New(t)
	for n := range rounds {
		t.Run(fmt.Sprint("round ", n), func(t *testing.T) {
			t.Parallel()
			round(t, rand.New(rand.NewPCG(seed, n)))
		})
	}
}

// SkipLong skips a test that takes long, but for those that OneIn chooses.
func SkipLong(t testing.TB, n int) {
	t.Helper()
	if !OneIn(t, n) {
		t.Skip("takes long")
	}
}

// OneIn reports whether a test that takes long is to run, or to run whole. Without -short
// it always is. With -short one in n of these tests is: which ones, their names and the seed
// decide. So what -short leaves out at one commit is tested at another. Without a given seed they are drawn for
// the process; a test that failed is run again without -short, with the seed that it printed.
func OneIn(t testing.TB, n int) bool {
	t.Helper()
	if !testing.Short() {
		return true
	}
	seed := drawn()
	if os.Getenv(variable) != "" {
		seed = New(t)
	}
	name := fnv.New64a()
	name.Write([]byte(t.Name()))
	return rand.New(rand.NewPCG(seed, name.Sum64())).IntN(n) == 0
}
