package seed

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Variable names the environment variable that gives the seed of all tests, a
// decimal number. Without it each test draws one.
const Variable = "GITDD_SEED"

// New returns a seed, and logs it, so that a test that fails prints it.
func New(t testing.TB) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv(Variable); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", Variable, err)
		}
		seed = given
	}
	t.Logf("%s=%d", Variable, seed)
	return seed
}
