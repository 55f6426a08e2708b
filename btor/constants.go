package btor

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/graph"
)

func binaryFault(_ *rater, n *graph.Node) string {
	if i := strings.IndexFunc(n.Text, func(r rune) bool { return r != '0' && r != '1' }); i >= 0 {
		return fmt.Sprintf("expected '0' or '1', saw %s", brief(n.Text[i:i+1]))
	}
	switch digits := len(n.Text); {
	case digits > n.Sort.Width:
		return fmt.Sprintf("binary constant %s exceeds bit width %d: it has %d digits", brief(n.Text), n.Sort.Width, digits)
	case digits < n.Sort.Width:
		return fmt.Sprintf("binary constant %s has fewer digits than bit width %d: put zeros before it", brief(n.Text), n.Sort.Width)
	}
	return ""
}

func decimalFault(_ *rater, n *graph.Node) string {
	if n.Text == "" {
		return "expected digit"
	}
	if i := strings.IndexFunc(n.Text, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		return fmt.Sprintf("expected digit, saw %s: constd is unsigned", brief(n.Text[i:i+1]))
	}
	if n.Text[0] == '0' && len(n.Text) > 1 {
		return "digit after '0': write constd without leading zeros"
	}
	if !fitsWidth(n.Text, n.Sort.Width) {
		return fmt.Sprintf("decimal constant %s exceeds bit width %d", brief(n.Text), n.Sort.Width)
	}
	return ""
}

func hexadecimalFault(_ *rater, n *graph.Node) string {
	if n.Text == "" {
		return "expected hexadecimal digit"
	}
	if i := strings.IndexFunc(n.Text, func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) }); i >= 0 {
		return fmt.Sprintf("expected hexadecimal digit, saw %s: consth is without 0x", brief(n.Text[i:i+1]))
	}
	digits := strings.TrimLeft(n.Text, "0")
	if digits == "" {
		return ""
	}
	top, _ := strconv.ParseUint(digits[:1], 16, 4)
	if int64(len(digits)-1)*4+int64(bits.Len64(top)) > int64(n.Sort.Width) {
		return fmt.Sprintf("hexadecimal constant %s exceeds bit width %d", brief(n.Text), n.Sort.Width)
	}
	return ""
}

// fitsWidth reports whether a decimal number without leading zeros has at most width
// bits. Only where the number of its digits does not say it, it is computed.
func fitsWidth(digits string, width int) bool {
	n, w := float64(len(digits)), float64(width)
	if n*math.Log2(10) < w-1 {
		return true
	}
	if (n-1)*math.Log2(10) > w+1 {
		return false
	}
	return decimalValue(digits).BitLen() <= width
}

// decimalValue is the value of decimal digits. Unlike SetString it is not quadratic.
func decimalValue(digits string) *big.Int {
	const few = 2000
	if len(digits) <= few {
		value, _ := new(big.Int).SetString(digits, 10)
		return value
	}
	low := few
	for 2*low < len(digits) {
		low *= 2
	}
	value := decimalValue(digits[:len(digits)-low])
	value.Mul(value, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(low)), nil))
	return value.Add(value, decimalValue(digits[len(digits)-low:]))
}
