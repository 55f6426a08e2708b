package measure

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Worse is a difference between two numbers that matters, as --worse names it. The zero Worse is none.
type Worse struct {
	Share  float64 // of the number at the good end, such as 0.05 for 5 %; 0 = Amount counts
	Amount float64 // in the unit of the number; 0 = Share counts

	text string
}

// ParseWorse reads a difference between numbers of a kind: a percentage, or an amount, which may have a unit that fits:
// 5%, 30ms, 300kB, 0.2.
func ParseWorse(text string, of What) (Worse, error) {
	w := Worse{text: text}
	if number, ok := strings.CutSuffix(text, "%"); ok {
		share, err := parseNumber(strings.TrimSpace(number))
		if err != nil {
			return Worse{}, fmt.Errorf("%q is no percentage: %w", text, err)
		}
		w.Share = share / 100
		return w, positive(text, w.Share)
	}
	value, unit, err := parseQuantity(strings.TrimSpace(text))
	if err != nil {
		return Worse{}, fmt.Errorf("%q: %w, or a percentage, as 5%%", text, err)
	}
	w.Amount = value
	if unit != "" {
		per, fits := factors[of.unit]
		if !fits || per.unit != unit {
			return Worse{}, fmt.Errorf("%q does not fit --measure %s, whose numbers %s: want %s", text, of, hasUnit(of.unit), wanted(of.unit))
		}
		w.Amount = value / per.factor
	}
	return w, positive(text, w.Amount)
}

// factors are the units of numbers that an amount with a unit can be given for: one is so many seconds or bytes.
var factors = map[string]struct {
	unit   string
	factor float64
}{
	"s": {"s", 1}, "bytes": {"bytes", 1}, "ns/op": {"s", 1e-9}, "B/op": {"bytes", 1},
}

func hasUnit(unit string) string {
	if unit == "" {
		return "have no unit that is known before"
	}
	return "are in " + unit
}

func wanted(unit string) string {
	switch factors[unit].unit {
	case "s":
		return "a time, as 30ms, or a percentage, as 5%"
	case "bytes":
		return "a size, as 300kB, or a percentage, as 5%"
	}
	return "a number, as 0.2, or a percentage, as 5%"
}

func positive(text string, value float64) error {
	if !(value > 0) {
		return errors.New(strconv.Quote(text) + ": want more than 0")
	}
	return nil
}

// IsZero reports whether no difference is named.
func (w Worse) IsZero() bool { return w.Share == 0 && w.Amount == 0 }

// String returns the text that ParseWorse reads as w, "" for none.
func (w Worse) String() string { return w.text }

// At is the difference where the number at the good end is so much.
func (w Worse) At(good float64) float64 {
	if w.Share > 0 {
		return w.Share * max(good, -good)
	}
	return w.Amount
}
