package hints

import (
	"errors"

	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// Flaky says what to do about a test that does not always say the same; "" when
// there is nothing to say.
func Flaky(err error) string {
	var flaky *trial.FlakyError
	var ends *trial.EndsError
	switch {
	case errors.As(err, &ends) && ends.Flaky:
		return "let COMMAND fail more often at one of them than at the other, such as by trying several times what fails now and then"
	case errors.As(err, &flaky) && flaky.Output:
		return "--same-output status compares the exit status alone; --match with what the failure always prints tells it from others"
	case errors.As(err, &flaky):
		return "--confidence 0.99 repeats trials until the whole answer is right with that probability"
	case errors.Is(err, search.ErrWithheld), errors.Is(err, reduction.ErrWithheld):
		return "if the test is flaky, --confidence 0.99 repeats trials until the whole answer is right with that probability"
	}
	return ""
}
