package apply

import "testing"

func TestAdded(t *testing.T) {
	for list, want := range map[string]bool{"M\x00A\x00": false, "M\x00A\x00D\x00b\x00": false, "M\x00a\x00A\x00b\x00": true, "A\x00A\x00": true, "": false} {
		if got := added([]byte(list)); got != want {
			t.Errorf("%q: %v, want %v", list, got, want)
		}
	}
}
