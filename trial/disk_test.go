package trial

import (
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// TestDiskOfConfirm: the workspace in which an answer is confirmed counts for
// MaxDisk as long as it is there, once, whoever works in it, and then no more.
func TestDiskOfConfirm(t *testing.T) {
	const left = 1_000_000 // by each trial, in its workspace
	for name, set := range map[string]func(*Options){
		"once":       func(*Options) {},
		"confidence": func(o *Options) { o.Confidence = 0.9 },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHistory(t)
			h.commit("good", "a", "0\n")
			h.commit("bad", "a", "1\n")
			b := h.bench(func(o *Options) {
				o.Command = []string{"sh", "-c", "dd if=/dev/zero of=left bs=1000 count=1000 2>/dev/null; exit $(cat a)"}
				o.MaxDisk = 100 * left
				set(o)
			})
			b.ends()
			before := b.total()
			if before < left {
				t.Fatalf("the session takes %d bytes before", before)
			}
			if _, err := b.Confirm(t.Context(), b.set, isolate.Full(1), isolate.Fail); err != nil {
				t.Fatal(err)
			}
			if after := b.total(); after > before+left/2 {
				t.Errorf("the session takes %d bytes, and %d before", after, before)
			}
		})
	}
}
