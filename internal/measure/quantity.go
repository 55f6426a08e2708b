package measure

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// scales are the units that a number may have, with the unit that they become.
var scales = []struct {
	name, unit string
	factor     float64
}{
	{"ns", "s", 1e-9}, {"us", "s", 1e-6}, {"µs", "s", 1e-6}, {"μs", "s", 1e-6}, {"ms", "s", 1e-3}, {"s", "s", 1},
	{"min", "s", 60}, {"h", "s", 3600},
	{"B", "bytes", 1}, {"bytes", "bytes", 1},
	{"kB", "bytes", 1e3}, {"KB", "bytes", 1e3}, {"MB", "bytes", 1e6}, {"GB", "bytes", 1e9}, {"TB", "bytes", 1e12},
	{"KiB", "bytes", 1 << 10}, {"MiB", "bytes", 1 << 20}, {"GiB", "bytes", 1 << 30}, {"TiB", "bytes", 1 << 40},
}

// decimal is a number as most programs print it.
var decimal = lazyregexp.New(`^([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[ \t]?(\pL*)$`)

// separated is a number that may have separators of thousands, or a comma before its fraction.
var separated = lazyregexp.New(`^[+-]?[0-9]+(?:(?:[,'_]|\x{a0}|\x{2009}|\x{202f})[0-9]+)+(?:\.[0-9]*)?$`)

// parseQuantity reads a number that may have a unit of time or of bytes, and returns it in seconds or bytes then.
func parseQuantity(text string) (value float64, unit string, err error) {
	parts := decimal().FindStringSubmatch(text)
	if parts == nil {
		return compound(text)
	}
	if value, err = parseNumber(parts[1]); err != nil || parts[2] == "" {
		return value, "", err
	}
	for _, s := range scales {
		if s.name == parts[2] {
			value *= s.factor
			return value, s.unit, finite(value)
		}
	}
	return 0, "", errors.New(strconv.Quote(parts[2]) + " is no unit of time or of bytes, such as ms or kB")
}

// compound reads a time with several units, as 1m30s.
func compound(text string) (float64, string, error) {
	if d, err := time.ParseDuration(text); err == nil {
		return d.Seconds(), "s", nil
	}
	_, err := parseNumber(text)
	return 0, "", err
}

// parseNumber reads a decimal number. Nothing but that is one: no NaN, no infinity, no separators.
func parseNumber(text string) (float64, error) {
	switch lower := strings.ToLower(strings.TrimLeft(text, "+-")); {
	case lower == "nan", lower == "inf", lower == "infinity":
		return 0, errors.New("it is not finite")
	case separated().MatchString(text):
		return 0, errors.New("with separators it may mean one number or another: want digits and a decimal point, as 14203 or 14.203")
	case !decimal().MatchString(text):
		return 0, errors.New("want digits and a decimal point, as 14203 or 14.203")
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, errors.New("it is out of range") // the form is right
	}
	return value, finite(value)
}

func finite(value float64) error {
	if math.IsInf(value, 0) || math.IsNaN(value) {
		return errors.New("it is not finite")
	}
	return nil
}
