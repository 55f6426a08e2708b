//go:build !linux

package outfile

func exchange(a, b string) error { return exchangeInSteps(a, b) }
