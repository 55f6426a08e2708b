package reduce

import (
	"math/big"
	"slices"
	"strings"
)

// shorterNumbers returns texts for a number that are shorter and near to it, the
// shortest first: half of its digits, without fraction, exponent or suffix,
// decimal where that is shorter, and with one digit less.
func shorterNumbers(text string) []string {
	var list []string
	add := func(s string) {
		if len(s) > 0 && len(s) < len(text) && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	prefix, digits, suffix := splitNumber(text)
	whole, fraction, _ := strings.Cut(digits, ".")
	mantissa, exponent := whole, ""
	if prefix == "" {
		if i := strings.IndexAny(whole, "eE"); i >= 0 {
			mantissa, exponent = whole[:i], whole[i:]
		}
		if i := strings.IndexAny(fraction, "eE"); i >= 0 {
			fraction, exponent = fraction[:i], fraction[i:]
		}
	}
	if n := len(mantissa); n > 2 {
		add(prefix + mantissa[:n/2])
	}
	if fraction != "" || exponent != "" || suffix != "" {
		add(prefix + mantissa)
	}
	if prefix != "" {
		if n, ok := new(big.Int).SetString(strings.ReplaceAll(text[:len(text)-len(suffix)], "_", ""), 0); ok {
			add(n.String())
		}
	}
	if fraction != "" {
		add(prefix + mantissa + "." + fraction[:1])
		add(prefix + mantissa + "." + fraction)
	}
	if exponent != "" {
		add(prefix + mantissa + exponent)
	}
	if suffix != "" {
		add(prefix + digits)
	}
	if n := len(mantissa); n > 1 {
		add(prefix + mantissa[:n-1])
		add(prefix + mantissa[1:])
	}
	return list
}

// splitNumber splits a number into what says its base, its digits with point and
// exponent, and its suffix.
func splitNumber(text string) (prefix, digits, suffix string) {
	rest := text
	isDigitHere := func(c byte) bool { return isDigit(c) || c == '_' || c == '.' }
	if len(rest) > 2 && rest[0] == '0' && isLetter(rest[1]) {
		switch rest[1] | 0x20 {
		case 'x':
			isDigitHere = func(c byte) bool { return isDigit(c) || c == '_' || c == '.' || 'a' <= c|0x20 && c|0x20 <= 'f' }
			fallthrough
		case 'o', 'b':
			prefix, rest = rest[:2], rest[2:]
		}
	}
	end := 0
	for end < len(rest) {
		c := rest[end]
		if isDigitHere(c) || prefix == "" && (c == 'e' || c == 'E') && end+1 < len(rest) && (isDigit(rest[end+1]) || rest[end+1] == '+' || rest[end+1] == '-') ||
			(c == '+' || c == '-') {
			end++
			continue
		}
		break
	}
	return prefix, rest[:end], rest[end:]
}
