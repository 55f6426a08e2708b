package isolate

import "testing"

// FuzzFromRuns: what is read as a configuration is written as it was.
func FuzzFromRuns(f *testing.F) {
	for _, seed := range []string{"", "0", "0-3,7,9-12", "3-1", "1,1", "-", "4294967296", "0-2147483646", "01"} {
		f.Add(20, seed)
	}
	f.Fuzz(func(t *testing.T, n int, text string) {
		c, err := FromRuns(n, text)
		if err != nil {
			return
		}
		again, err := FromRuns(n, c.String())
		if err != nil || again != c || c.N() != n || c.Len() > n {
			t.Errorf("%q is %v, which reads as %v, %v", text, c, again, err)
		}
	})
}
