package btor

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// Boolector accepts what is generated: 1,000 files of mixed options in version 3, and
// those of version 2 as they are read and written again.
func TestGenerateAccepted(t *testing.T) {
	solvers(t, "boolector")
	files := 1000
	if testing.Short() {
		files = 100
	}
	r := random{seed.New(t)}
	options := make([]Options, files)
	for i := range options {
		options[i] = mixed(&r)
		options[i].Next = false // it reads that, and says that it does not want it
		if i%100 == 0 {
			options[i].Count, options[i].MaxWidth = 2000, 70
		}
	}
	var work sync.WaitGroup
	var next atomic.Int64
	for range runtime.NumCPU() {
		work.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= files {
					return
				}
				o := options[i]
				_, text, err := Generate(o)
				if err == nil && !o.NewFormat {
					text, err = converted(text)
				}
				if err != nil {
					t.Errorf("%s: %v", o.Comment(), err)
					return
				}
				if status, out := run(t, text, "boolector", "--btor", "-de"); status != 0 {
					t.Errorf("%s: exit status %d: %.300s", o.Comment(), status, out)
					return
				}
			}
		})
	}
	work.Wait()
}

// converted reads a text of version 2 and writes it as version 3.
func converted(text []byte) ([]byte, error) {
	file, err := Read(text)
	if err != nil {
		return nil, err
	}
	return Write(file.Graph, 3)
}
