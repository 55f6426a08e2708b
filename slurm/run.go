package slurm

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gitdd/gitdd/trial"
)

//go:embed node.sh
var node string

// Run performs a task; it is a trial.Remote. What it needs beside the task's own time:
// some 40 ms of Slurm, the start of two dozen programs on the node, and with Task.Files a
// copy of them there.
func (c *Cluster) Run(ctx context.Context, t trial.Task) (trial.TaskResult, error) {
	told := func(stage, machine string) {
		if t.Told != nil {
			t.Told(trial.TaskEvent{Stage: stage, Machine: machine})
		}
	}
	var b *base
	if t.Files != nil {
		told("uploading", "")
		var err error
		if b, err = c.baseOf(ctx, t.Files); err != nil {
			return trial.TaskResult{}, err
		}
	}
	files, err := c.pack(ctx, t, b)
	if err != nil {
		return trial.TaskResult{}, err
	}
	told("queued", "")
	p, err := c.begin(ctx, t, b)
	if err != nil {
		return trial.TaskResult{}, err
	}
	result, done, err := p.attend(t, files, told)
	p.in.Close()
	if !done || err != nil { // nothing comes any more, whatever srun still does
		p.linger()
		p.cancel()
	}
	ended := p.wait()
	p.forget()
	switch {
	case ctx.Err() != nil:
		c.gone(t.Name)
		return trial.TaskResult{}, ctx.Err()
	case err != nil:
		return trial.TaskResult{}, err
	case done && ended == nil:
		return result, c.starved(ctx, t.Name, result)
	}
	return trial.TaskResult{}, c.why(ctx, p, ended)
}

// A performance is a running srun.
type performance struct {
	c       *Cluster
	ctx     context.Context
	name    string
	base    *base
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	said    tail
	began   time.Time
	machine string
	job     string
	done    chan struct{} // closed when srun has ended
	err     error         // of srun, when done
	once    sync.Once
	forget  func() bool // the end of ctx
}

// begin starts srun. When ctx ends its job is cancelled.
func (c *Cluster) begin(ctx context.Context, t trial.Task, b *base) (*performance, error) {
	p := &performance{c: c, ctx: ctx, name: t.Name, base: b, began: time.Now(), done: make(chan struct{})}
	name := ""
	if b != nil {
		name = b.name
	}
	argv := c.command(t.Name, c.others(ctx, t.Avoid), "/bin/sh", "-c", node, "gitdd", t.Name, name, c.opts.Dir)
	p.cmd = exec.Command(argv[0], argv[1:]...)
	p.cmd.Env = environ()
	p.cmd.Stderr = &p.said
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Stdout = write
	err = c.starter.start(p.cmd)
	write.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, fmt.Errorf("start srun: %w", err)
	}
	p.in, p.out = in, bufio.NewReaderSize(out, 64<<10)
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
		// What has escaped on the node may hold the stream, but srun does not.
		out.SetReadDeadline(time.Now().Add(time.Minute))
	}()
	p.forget = context.AfterFunc(ctx, p.cancel)
	return p, nil
}

// wait waits for the end of srun, and with it of all that it has on the node.
func (p *performance) wait() error {
	<-p.done
	return p.err
}

// linger gives srun the time to end by itself: what Slurm says of a job that is cancelled
// now is only that.
func (p *performance) linger() {
	select {
	case <-p.done:
	case <-p.ctx.Done():
	case <-time.After(5 * time.Second):
	}
}

// cancel ends the job until srun is gone. It returns at once.
func (p *performance) cancel() {
	p.once.Do(func() {
		go func() {
			p.in.Close()
			for n := 0; ; n++ {
				select {
				case <-p.done:
					return
				default:
				}
				argv := []string{"scancel", "--name=" + p.name}
				if n >= 40 { // some ten seconds
					argv = append(argv, "--signal=KILL")
				}
				if n >= 400 {
					p.cmd.Process.Kill()
				}
				ctx, stop := context.WithTimeout(context.Background(), time.Minute)
				_, _ = ask(ctx, argv...)
				stop()
				select {
				case <-p.done:
					return
				case <-time.After(min(250*time.Millisecond, time.Duration(n+1)*50*time.Millisecond)):
				}
			}
		}()
	})
}

// gone waits until no node has anything of a task that was cancelled: its workspace may
// be used again. A node that has failed never says so.
func (c *Cluster) gone(name string) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	for {
		if j, err := c.jobOf(ctx, name); err != nil || j.id == "" || j.ended() {
			return
		}
		if pause(ctx, 100*time.Millisecond) != nil {
			return
		}
	}
}

// attend gives a node what it asks for and reads what it answers. Without an error and
// not done, nothing came of it: the end of srun says more.
func (p *performance) attend(t trial.Task, files []byte, told func(stage, machine string)) (result trial.TaskResult, done bool, err error) {
	need, ok := p.greeting()
	if !ok {
		return result, false, nil
	}
	queued := time.Since(p.began)
	told("running", p.machine)
	sent, err := p.send(need, files)
	if err != nil {
		return result, false, nil // the job has ended meanwhile
	}
	result, done, err = p.answer(t)
	result.Machine, result.Queued, result.Uploaded = p.machine, queued, sent
	return result, done, err
}

// greeting reads who the node is and whether it needs the base. What a prolog of the
// cluster prints comes before it.
func (p *performance) greeting() (need, ok bool) {
	for range 1000 {
		line, err := p.out.ReadString('\n')
		if err != nil {
			return false, false
		}
		_, rest, found := strings.Cut(line, "gitdd-task "+p.name+" ")
		f := strings.Fields(rest)
		if !found || len(f) != 3 {
			continue
		}
		p.machine, p.job = f[0], f[1]
		return f[2] == "1", true
	}
	return false, false
}

func (p *performance) send(need bool, files []byte) (int64, error) {
	size := int64(len(files))
	var common io.Reader = bytes.NewReader(nil)
	if need {
		common = io.NewSectionReader(p.base.tar, 0, p.base.size)
		size += p.base.size
		p.c.mu.Lock()
		p.c.nodes[p.machine] = true
		p.c.mu.Unlock()
	}
	return io.Copy(p.in, io.MultiReader(strings.NewReader(strconv.FormatInt(size, 10)+"\n"), common, bytes.NewReader(files)))
}

// answer reads the outputs and the outcome. An error is one of this machine.
func (p *performance) answer(t trial.Task) (result trial.TaskResult, done bool, err error) {
	var outcome []byte
	archive := tar.NewReader(p.out)
	for {
		h, err := archive.Next()
		if err != nil && !errors.Is(err, io.EOF) {
			return result, false, nil
		}
		if err != nil {
			break
		}
		dir, name := path.Split(path.Clean(h.Name))
		switch {
		case dir != "out/" || h.Typeflag != tar.TypeReg:
		case name == trial.OutcomeFile:
			if outcome, err = io.ReadAll(io.LimitReader(archive, 1<<16)); err != nil {
				return result, false, nil
			}
		case slices.Contains(trial.OutputNames, name):
			if broken, err := save(t.Output(name), archive); err != nil || broken {
				return result, false, err
			}
		}
	}
	if outcome == nil {
		return result, false, nil
	}
	if result, err = trial.ReadOutcome(outcome); err != nil {
		return result, false, lost(p.machine, "the node answered what is no outcome: %v", err)
	}
	return result, true, nil
}

// save writes an output to its file; broken = the stream has ended before.
func save(name string, from io.Reader) (broken bool, err error) {
	f, err := os.Create(name)
	if err != nil {
		return false, err
	}
	w := &writer{to: f}
	_, err = io.Copy(w, from)
	if e := f.Close(); w.err == nil {
		w.err = e
	}
	if w.err != nil {
		return false, fmt.Errorf("keep what a command printed: %w", w.err)
	}
	return err != nil, nil
}

// A writer tells an error of writing from one of reading.
type writer struct {
	to  io.Writer
	err error
}

func (w *writer) Write(text []byte) (n int, err error) {
	n, w.err = w.to.Write(text)
	return n, w.err
}

// A tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text...)
	if most := 16 << 10; len(t.text) > 2*most {
		t.text = slices.Clone(t.text[len(t.text)-most:])
	}
	return len(text), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
