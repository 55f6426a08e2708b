package cli

import "testing"

func TestSize(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "1": "1", "1024": "1K", "1k": "1K", "1KiB": "1K", "2MB": "2M", "1.5G": "1536M", "3t": "3T", "1000": "1000",
		"": "!", "G": "!", "-1M": "!", "1X": "!", "NaN": "!", "1e300T": "!", "Inf": "!",
	} {
		var s Size
		got := "!"
		if err := s.Set(text); err == nil {
			got = s.String()
		}
		if got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
		var again Size
		if want != "!" && (again.Set(got) != nil || again != s) {
			t.Errorf("%q is not read as %q is", got, text)
		}
	}
}
