package seed

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// variable names the environment variable that gives the seed of all tests, a
// decimal number. Without it each test draws one.
const variable = "GITDD_SEED"

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
