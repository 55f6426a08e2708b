package btor

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/seed"
)

// boolector has boolector read a file, with so little memory and time that nothing
// can go wrong. A process reads one file only.
func boolector(t *testing.T, file string) (output []byte, err error) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	return exec.CommandContext(ctx, "sh", "-c", `ulimit -v 2000000; exec boolector --btor -de "$1"`, "sh", file).CombinedOutput()
}

// Boolector accepts what is generated: 1,000 files of mixed options in version 3, and
// those of version 2 as they are read and written again.
func TestGenerateAccepted(t *testing.T) {
	if _, err := exec.LookPath("boolector"); err != nil {
		t.Skip("boolector is not on PATH: whether it accepts what is generated is not tested")
	}
	files := 1000
	if testing.Short() {
		files = 100
	}
	dir, r := t.TempDir(), random{seed.New(t)}
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
	for worker := range runtime.NumCPU() {
		work.Go(func() {
			file := filepath.Join(dir, strconv.Itoa(worker)+".btor")
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
				if err == nil {
					err = os.WriteFile(file, text, 0o666)
				}
				if err != nil {
					t.Errorf("%s: %v", o.Comment(), err)
					return
				}
				if out, err := boolector(t, file); err != nil {
					t.Errorf("%s: %v: %.300s", o.Comment(), err, out)
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
