package slurm

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gitdd/gitdd/trial"
)

//go:embed node.sh
var node string

// Run performs a task; it is a trial.Remote. What it needs beside the task's own time:
// some 40 ms of Slurm, the start of two dozen programs on the node, and with Task.Files a
// copy of them there.
func (c *Cluster) Run(ctx context.Context, t trial.Task) (trial.TaskResult, error) {
	told := func(state, machine string) {
		if t.Told != nil {
			t.Told(trial.TaskEvent{State: state, Machine: machine})
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
	var q queuing
	for n := 1; ; n++ {
		name := t.Name
		if n > 1 { // the controller may know the one before
			name += "-" + strconv.Itoa(n)
		}
		told("queued", "")
		result, err := c.once(ctx, t, name, b, files, told)
		var busy *busyError
		if !errors.As(err, &busy) {
			return result, err
		}
		if err := c.wait(ctx, &q, busy); err != nil {
			return trial.TaskResult{}, err
		}
	}
}

// once gives a task to the cluster. A *busyError is that it took none.
func (c *Cluster) once(ctx context.Context, t trial.Task, name string, b *base, files []byte, told func(state, machine string)) (trial.TaskResult, error) {
	p, err := c.begin(ctx, t, name, b)
	if err != nil {
		return trial.TaskResult{}, err
	}
	defer p.close()
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
		c.gone(p.name)
		return trial.TaskResult{}, ctx.Err()
	case err != nil:
		return trial.TaskResult{}, err
	case done && ended == nil:
		return result, c.starved(ctx, p, result)
	}
	completed, err := c.why(ctx, p, ended)
	if completed && done {
		return result, nil // only its srun has come to nothing
	}
	return trial.TaskResult{}, err
}

// A performance is a running srun.
type performance struct {
	c       *Cluster
	ctx     context.Context
	name    string
	base    *base
	cmd     *exec.Cmd
	in      io.WriteCloser
	from    *os.File      // our end of its output
	out     *bufio.Reader // of from
	said    tail
	began   time.Time
	machine string        // where it runs, once it has said so
	id      atomic.Value  // a string: its job or step, once it has said so
	node    string        // where it shall run; "" = Slurm chooses
	leave   func()        // that node
	done    chan struct{} // closed when srun has ended
	err     error         // of srun, when done
	once    sync.Once
	forget  func() bool // the end of ctx
}

// begin starts srun. When ctx ends its job is cancelled.
func (c *Cluster) begin(ctx context.Context, t trial.Task, name string, b *base) (*performance, error) {
	p := &performance{c: c, ctx: ctx, name: name, base: b, began: time.Now(), done: make(chan struct{}), leave: func() {}}
	common := ""
	if b != nil {
		common = b.name
	}
	var where []string
	switch {
	case c.within == nil:
		where = c.others(ctx, t.Avoid)
	case !c.within.own:
		p.node, p.leave = c.within.take(t.Avoid)
		where = []string{"--nodelist=" + p.node}
	}
	argv := c.command(name, where, "/bin/sh", "-c", node, "gitdd", name, common, c.opts.Dir)
	p.cmd = exec.Command(argv[0], argv[1:]...)
	p.cmd.Env = environ()
	p.cmd.Stderr = &p.said
	err := p.start()
	if err != nil {
		p.leave()
	}
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.ENOMEM) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return nil, &busyError{said: "start srun: " + err.Error()}
	}
	if err != nil {
		return nil, fmt.Errorf("start srun: %w", err)
	}
	p.forget = context.AfterFunc(ctx, p.cancel)
	return p, nil
}

// start starts srun with its streams.
func (p *performance) start() (err error) {
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	var write *os.File
	if p.from, write, err = os.Pipe(); err != nil {
		p.in.Close()
		return err
	}
	p.cmd.Stdout = write
	err = p.c.starter.start(p.cmd)
	write.Close()
	if err != nil {
		p.in.Close()
		p.from.Close()
		return err
	}
	p.out = bufio.NewReaderSize(p.from, 64<<10)
	go func() {
		p.err = p.cmd.Wait()
		// What has escaped on the node may hold the stream, but srun does not.
		p.from.SetReadDeadline(time.Now().Add(time.Minute))
		close(p.done)
	}()
	return nil
}

// close is for one whose srun has ended.
func (p *performance) close() {
	p.from.Close()
	p.leave()
	p.c.mu.Lock()
	p.c.past[p.name] = true
	p.c.mu.Unlock()
	select {
	case p.c.room <- struct{}{}:
	default:
	}
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
			began := time.Now()
			for wait := 50 * time.Millisecond; ; wait = min(2*wait, time.Second) {
				select {
				case <-p.done:
					return
				default:
				}
				err := p.end(time.Since(began) > 10*time.Second)
				if took := time.Since(began); took > 100*time.Second {
					p.cmd.Process.Kill()
				} else if err != nil {
					p.cmd.Process.Signal(syscall.SIGTERM) // then at least nobody waits for the job
				}
				select {
				case <-p.done:
					return
				case <-time.After(wait):
				}
			}
		}()
	})
}

// end asks for the end of the job once. While its number is not known it has only a name:
// to look for that costs the controller more.
func (p *performance) end(now bool) error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	id, _ := p.id.Load().(string)
	switch {
	case now && id != "":
		_, err := ask(ctx, "scancel", "--signal=KILL", id)
		return err
	case id != "":
		return p.c.cancel(ctx, id)
	case p.c.within != nil:
		return errors.New("a step that has no number")
	}
	jobs, err := p.c.jobOf(ctx, p.name)
	if err != nil || jobs.id == "" {
		return err
	}
	return p.c.cancel(ctx, jobs.id)
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
func (p *performance) attend(t trial.Task, files []byte, told func(state, machine string)) (result trial.TaskResult, done bool, err error) {
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
		p.machine = f[0]
		id := f[1]
		if p.c.within == nil {
			id, _, _ = strings.Cut(id, ".")
		}
		p.id.Store(id)
		p.c.mu.Lock()
		p.c.taken = time.Now()
		p.c.mu.Unlock()
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
