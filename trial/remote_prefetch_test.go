//go:build unix

package trial

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// TestPrefetch: the likeliest configurations are uploaded ahead, a few at a time, each
// once; what is not likely any more is given up.
func TestPrefetch(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n", "c", "0\n", "d", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n", "c", "1\n", "d", "1\n")
	type upload struct {
		what string
		end  chan bool // sent to when it is done
		gone <-chan struct{}
	}
	begun := make(chan upload)
	var c cluster
	b := h.away(&c, false, func(o *Options) {
		script("exit $(cat a)")(o)
		o.Upload = func(ctx context.Context, s *Snapshot) error {
			var what strings.Builder
			err := s.Read(ctx, []*Leaf{s.Root.Entries[0].File, s.Root.Entries[1].File, s.Root.Entries[2].File, s.Root.Entries[3].File},
				func(_ *Leaf, content io.Reader) error {
					_, err := io.Copy(&what, content)
					return err
				})
			if err != nil {
				return err
			}
			u := upload{strings.ReplaceAll(what.String(), "\n", ""), make(chan bool), ctx.Done()}
			begun <- u
			select {
			case <-u.end:
			case <-u.gone:
			}
			return nil
		}
	})
	b.verdict(b.config("a"))
	tell := b.Prefetch(b.set)
	tell([]isolate.Configuration{b.config("a"), b.config("b"), b.config("c"), b.config("d")})
	one, two := <-begun, <-begun
	if one.what > two.what {
		one, two = two, one
	}
	if one.what != "0010" || two.what != "0100" { // that of a is known
		t.Errorf("begun: %s and %s", one.what, two.what)
	}
	tell([]isolate.Configuration{b.config("b"), b.config("a", "b")})
	<-one.gone
	three := <-begun
	if three.what != "1100" {
		t.Errorf("begun: %s", three.what)
	}
	two.end <- true
	three.end <- true
	tell([]isolate.Configuration{b.config("b"), b.config("c")})
	if four := <-begun; four.what != "0010" {
		t.Errorf("begun: %s", four.what)
	}
	b.close() // ends the fourth
	if h.bench(func(*Options) {}).Prefetch(nil) != nil {
		t.Error("something is brought ahead where there is nowhere to bring it to")
	}
}
