package trial

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/disk"
)

// OnStdin is an argument of a command that is taken away: the command has the candidate, which
// has to be one file, as its standard input.
const OnStdin = "<{}"

// stdin is the file that the command reads from its standard input, "" for none.
func (r *Inputs) stdin(candidate string) string {
	if slices.Contains(r.opts.Command, OnStdin) {
		return candidate
	}
	return ""
}

// argv is the command for a candidate, to be run in a directory.
func (r *Inputs) argv(candidate, dir string) []string {
	command := slices.DeleteFunc(slices.Clone(r.opts.Command), func(arg string) bool { return arg == OnStdin })
	argv := replaced(command, strings.NewReplacer("{}", candidate))
	if name := argv[0]; !(r.compared && isFile(filepath.Join(dir, name))) {
		argv[0] = fromHere(name, r.start)
	}
	return argv
}

func replaced(argv []string, names *strings.Replacer) []string {
	argv = slices.Clone(argv)
	for i, arg := range argv {
		argv[i] = names.Replace(arg)
	}
	return argv
}

// fromHere is the name of a command which, when it has a slash, is looked for where
// gitdd was started.
func fromHere(name, start string) string {
	if strings.Contains(name, "/") && !filepath.IsAbs(name) {
		if here := filepath.Join(start, name); isFile(here) {
			return here
		}
	}
	return name
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}

// A folder is a place that holds one candidate and nothing else.
type folder struct {
	r   *Inputs
	dir string
}

func (r *Inputs) newFolder(_ context.Context, _ *worker, _ question, dir string) (place, error) {
	return folder{r, dir}, nil
}

func (f folder) distance(question) int { return 0 }

func (f folder) worn() bool { return false }

func (f folder) renew(context.Context, *worker) error { return f.remove() }

func (f folder) show(_ context.Context, _ *worker, q question) error {
	if err := f.remove(); err != nil {
		return err
	}
	if err := os.Mkdir(f.dir, 0o777); err != nil {
		return disk.Wrap("make a directory for an input", err)
	}
	if f.r.name != "" && f.r.original.Dir {
		if err := os.Mkdir(f.candidate(), 0o777); err != nil {
			return disk.Wrap("make a directory for an input", err)
		}
	}
	return writeInput(f.dir, *q.input)
}

func (f folder) candidate() string { return filepath.Join(f.dir, filepath.FromSlash(f.r.name)) }

func (f folder) try(ctx context.Context, w *worker, _ question, rec *Record) error {
	r := f.r
	p := r.process(w, rec.Trial, r.argv(f.candidate(), f.dir), f.dir, f.dir)
	p.Stdin = r.stdin(f.candidate())
	p.Env = append(p.Env, attemptOf(rec), "GITDD_INPUT="+f.candidate(), "GITDD_DIR="+r.start)
	p.Stdout, p.Stderr = r.session.Output(rec.Trial, "out"), r.session.Output(rec.Trial, "err")
	return r.test(ctx, w, f, execution{Command: p}, rec, r.rules())
}

// done removes the candidate: it is not needed again, and may be large.
func (f folder) done(q question, rec *Record) error {
	if err := f.r.saveOther(q, rec); err != nil {
		return err
	}
	return f.remove()
}

func (f folder) usage() int64 { return disk.Usage(f.dir) }

func (f folder) remove() error {
	if err := disk.RemoveAll(f.dir); err != nil {
		return fmt.Errorf("remove the directory of a trial: %w", err)
	}
	return nil
}
