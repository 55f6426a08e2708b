package measure

import (
	"math"
	"strconv"

	"github.com/gitdd/gitdd/internal/prose"
)

// Format writes a number with its unit as people read it: "1.24 s", "312.4 kB", "14,203".
func Format(value float64, unit string) string {
	switch unit {
	case "s":
		return scaled(value, []string{"s", "ms", "µs", "ns"}, 1e-3)
	case "bytes":
		return scaled(value, []string{"B", "kB", "MB", "GB", "TB"}, 1e3)
	case "instructions", "":
		return grouped(value)
	}
	return grouped(value) + " " + unit
}

// scaled writes a number in the last of the units, each step times the one before, that it does not come below, or
// where step is less than 1 in the first. A number of less than 100,000 of the first unit keeps it otherwise.
func scaled(value float64, units []string, step float64) string {
	i := 0
	switch size := math.Abs(value); {
	case size == 0:
	case step < 1:
		for ; size < 0.9995 && i < len(units)-1; i++ {
			value, size = value/step, size/step
		}
	default:
		for most := 99_999.5; size >= most && i < len(units)-1; i, most = i+1, 999.5 {
			value, size = value/step, size/step
		}
	}
	if math.Abs(value) >= 1e6 || units[i] == "B" && value == math.Trunc(value) {
		return grouped(value) + " " + units[i]
	}
	digits := 2
	if math.Abs(value) >= 9.995 {
		digits = 1
	}
	return strconv.FormatFloat(value, 'f', digits, 64) + " " + units[i]
}

// grouped writes a number with its digits in groups, or with six digits if it has a fraction.
func grouped(value float64) string {
	if value == math.Trunc(value) && math.Abs(value) < 1e15 {
		return prose.Number(int(value))
	}
	if math.Abs(value) >= 1e5 && math.Abs(value) < 1e15 {
		return prose.Number(int(math.Round(value)))
	}
	return strconv.FormatFloat(value, 'g', 6, 64)
}
