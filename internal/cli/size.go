package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// A Size is the value of a flag that takes a number of bytes: "512M", "1.5G", "64KiB". Units are powers
// of 1024, as those of ulimit and du are.
type Size int64

// Set reads a number with its unit.
func (s *Size) Set(text string) error {
	number := strings.ToUpper(strings.TrimSpace(text))
	number = strings.TrimSuffix(strings.TrimSuffix(number, "B"), "I")
	unit := 1.0
	if n := len(number); n > 0 {
		if i := strings.IndexByte(prose.SizeUnits, number[n-1]); i >= 0 {
			number, unit = number[:n-1], float64(int64(1)<<(10*(i+1)))
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n >= 0 && n*unit < 1<<62) {
		return fmt.Errorf("want a size with its unit, K, M, G or T, such as 512M")
	}
	*s = Size(n * unit)
	return nil
}

// String returns the shortest text that Set reads as the same number.
func (s *Size) String() string { return prose.SizeFlag(int64(*s)) }

// Type returns what the help calls such a value.
func (s *Size) Type() string { return "SIZE" }
