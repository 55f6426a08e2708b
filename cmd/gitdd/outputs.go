package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/gitdd/gitdd/internal/apply"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/tui"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// print keeps the result in the session, and how it came to it, and writes it
// wherever the user wants it: as text on standard output, unless another form goes
// there.
func (a *app) print(session *trial.Session, result report.Result, story report.Story, o forms.Files) error {
	err := a.keep(session, story, func(w io.Writer) error { return report.JSON(w, result) })
	if err != nil {
		return err
	}
	return a.show(session, result, func() report.Story { return story }, o)
}

// keep writes a result, which json writes, and its story into the session.
func (a *app) keep(session *trial.Session, story report.Story, json func(io.Writer) error) error {
	var text bytes.Buffer
	if err := json(&text); err != nil {
		return err
	}
	if err := session.WriteResult(text.Bytes()); err != nil {
		return err
	}
	a.result = text.Bytes()
	a.keepStory(session, story)
	return nil
}

// show writes a result that the session keeps. Without a cause there is no patch,
// and its file is empty.
func (a *app) show(session *trial.Session, result report.Result, story func() report.Story, o forms.Files) error {
	f := forms.Of(result, story)
	f.Patch = func() ([]byte, error) {
		name, err := apply.PatchFile(session, result, false)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		patch, err := os.ReadFile(name)
		if err != nil || len(patch) == 0 {
			return nil, err
		}
		return append(report.PatchHead(result, a.gone), patch...), nil
	}
	return a.give(session, o, f)
}

// give writes a result: the text first, for it is the answer even where a file
// cannot be written.
func (a *app) give(session *trial.Session, o forms.Files, f forms.Forms) error {
	var problems []error
	if to := a.textTo(o); !o.Replaced() {
		named := a.named
		if a.earlier != "" && a.within == "" {
			with := cli.WithSession(a.earlier, "show", "log", "serve", "resume", "checkout", "apply", "next", "undo", "go")
			named = func(text string) string { return a.named(with(text)) }
		}
		problems = append(problems, f.Text(to, report.TextOptions{
			Color: a.colored(to),
			Width: tui.Width(to),
			Full:  o.Full,
			Whole: !tui.IsTerminal(to),
			Gone:  a.gone,
			Named: named,
		}))
	}
	a.answered = true
	return errors.Join(append(problems, a.out(session).Write(o, f))...)
}

// textTo is where the text of a result goes.
func (a *app) textTo(o forms.Files) io.Writer {
	if o.Aside {
		return a.aside()
	}
	return a.stdout
}

// writeFile writes a text to a file, whole or not at all; - is standard output.
func (a *app) writeFile(name string, text []byte) error {
	return a.out(nil).File(name, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// out is where a command writes files.
func (a *app) out(session *trial.Session) forms.Out {
	named := a.pathFromStart()
	if session != nil && betweenFolders(session.Header()) {
		named = func(path string) string { return path } // relative to the folder, which may be an archive
	}
	if session != nil {
		h, main := session.Header(), named
		if list, _ := combined(h); len(list) > 0 {
			named = func(path string) string {
				dir, within, ok := whereParts(h, path)
				if !ok {
					return main(path)
				}
				whole := filepath.Join(dir, filepath.FromSlash(within))
				if rel, err := filepath.Rel(a.start, whole); err == nil {
					return rel
				}
				return whole
			}
		}
	}
	return forms.Out{Stdout: a.stdout, Stderr: a.stderr, Session: session, Named: named}
}

// pathFromStart names the files of the checkout where gitdd was started, which editors resolve the paths of places
// from. Where that cannot be, the paths stay those of the repository.
func (a *app) pathFromStart() func(path string) string {
	top := sync.OnceValue(func() string {
		repo, err := a.open(context.Background())
		if err != nil {
			return ""
		}
		defer repo.Close()
		return repo.Top()
	})
	return func(path string) string {
		start, err := filepath.EvalSymlinks(a.start) // what .. means does not go by the name that a shell has for it
		if err != nil || top() == "" {
			return path
		}
		rel, err := filepath.Rel(start, filepath.Join(top(), filepath.FromSlash(path)))
		if err != nil {
			return path
		}
		return rel
	}
}

// printReduction keeps a result in the session and writes it wherever the user
// wants it.
func (a *app) printReduction(session *trial.Session, before, output testcase.Input, r report.Reduction, story report.Story, o forms.Files) error {
	if err := errors.Join(reduction.KeepInput(session, reduction.BeforeFile, before), reduction.KeepInput(session, reduction.OutputFile, output)); err != nil {
		return err
	}
	if err := a.keep(session, story, func(w io.Writer) error { return report.ReductionJSON(w, r) }); err != nil {
		return err
	}
	return a.showReduction(session, r, func() report.Story { return story }, o, func() ([]byte, error) { return reduction.Patch(context.Background(), before, output) })
}

// showReduction writes a result that the session keeps, as show does.
func (a *app) showReduction(session *trial.Session, r report.Reduction, story func() report.Story, o forms.Files, patch func() ([]byte, error)) error {
	f := forms.OfReduction(r, story)
	f.Text = func(w io.Writer, as report.TextOptions) error {
		as.ASCII = a.ascii()
		return report.ReductionText(w, r, as)
	}
	f.Patch = patch
	return a.give(session, o, f)
}

// colored reports whether w gets colours: as --color says, else when a person
// sees it and has not said otherwise (https://no-color.org).
func (a *app) colored(w io.Writer) bool {
	switch a.color {
	case "always":
		return true
	case "never":
		return false
	}
	return os.Getenv("NO_COLOR") == "" && tui.AcceptsEscapes(w)
}

// ascii reports whether a curve is drawn with ASCII characters.
func (a *app) ascii() bool { return os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" }

// viewOptions returns those of a view, on standard error, of what so many workers do until ctx ends.
func (a *app) viewOptions(ctx context.Context, jobs int) tui.Options {
	o := tui.Options{Out: a.aside(), Color: a.colored(a.aside()), Verbose: a.verbose, Jobs: jobs, Now: a.now, Interrupted: ctx.Done()}
	if !piped(a.stdout) {
		o.Keys = os.Stdin
	}
	return o
}

// piped reports whether w is read by another program, which may be a pager: then the
// keys, and the settings of the terminal, are left to that.
func piped(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0
}

// printTable prints the lines of a table: whole, but to a person those that are
// wider than the terminal are cut, or the columns could not be told apart.
func (a *app) printTable(text []byte) error {
	if tui.IsTerminal(a.stdout) {
		text = cutLines(text, tui.Width(a.stdout))
	}
	_, err := a.stdout.Write(text)
	return err
}

// cutLines returns the lines of a text, which is printable, in at most width
// columns each.
func cutLines(text []byte, width int) []byte {
	var cut bytes.Buffer
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(line, []byte{'\n'})
		cut.WriteString(new(prose.Line).Add(prose.Plain, string(line)).Cut(width).Render(false) + "\n")
	}
	return cut.Bytes()
}

// shownLines returns the lines of a text for a person: nothing in it acts on the
// terminal.
func shownLines(text []byte) []byte {
	var shown bytes.Buffer
	for line := range bytes.Lines(text) {
		shown.WriteString(prose.Printable(string(bytes.TrimSuffix(line, []byte{'\n'}))) + "\n")
	}
	return shown.Bytes()
}
