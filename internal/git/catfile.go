package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// catFile reads objects through one long-lived `git cat-file --batch-command`.
// It starts with the first question and is started again when it has died.
type catFile struct {
	at      place
	turn    chan struct{} // holds one token: whoever has it may use process
	process *catProcess   // nil before the first question and after a death
	closed  bool
}

var catFileArgs = []string{"cat-file", "--batch-command"}

func newCatFile(at place) *catFile {
	c := &catFile{at: at, turn: make(chan struct{}, 1)}
	c.turn <- struct{}{}
	return c
}

func (c *catFile) read(ctx context.Context, id ID) (kind string, content []byte, err error) {
	err = c.ask(ctx, func(p *catProcess) (err error) {
		var size int64
		if kind, size, err = p.header("contents", id); err == nil {
			content, err = p.content(size)
		}
		return err
	})
	return kind, content, err
}

func (c *catFile) size(ctx context.Context, id ID) (kind string, size int64, err error) {
	err = c.ask(ctx, func(p *catProcess) (err error) {
		kind, size, err = p.header("info", id)
		return err
	})
	return kind, size, err
}

// ask lets question talk to the process, one at a time. A process that was
// already running may have died meanwhile, so a new one is asked once more.
func (c *catFile) ask(ctx context.Context, question func(*catProcess) error) error {
	select {
	case <-c.turn:
		defer func() { c.turn <- struct{}{} }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if c.closed {
		return errors.New("the repository is closed")
	}
	for {
		started := c.process == nil
		if started {
			var err error
			// It outlives the question that starts it, hence no context of one.
			if c.process, err = startCatFile(context.Background(), c.at, catFileArgs); err != nil {
				return err
			}
		}
		process := c.process
		release := context.AfterFunc(ctx, process.kill)
		err := question(process)
		if !release() {
			c.process = nil
			_ = process.end()
			return context.Cause(ctx)
		}
		if err == nil || errors.Is(err, errMissing) {
			return err // the conversation is in step
		}
		c.process = nil
		if death := process.end(); death != nil {
			err = death // says more than a broken pipe
		}
		if started {
			return err
		}
	}
}

func (c *catFile) close() error {
	<-c.turn
	defer func() { c.turn <- struct{}{} }()
	c.closed = true
	if c.process == nil {
		return nil
	}
	err := c.process.end()
	c.process = nil
	return err
}

// catProcess is one conversation with cat-file.
type catProcess struct {
	at     place
	args   []string
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

func startCatFile(ctx context.Context, at place, args []string) (*catProcess, error) {
	p := &catProcess{at: at, args: args, cmd: at.command(ctx, args)}
	p.cmd.Stderr = &p.stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	p.in, p.out = in, bufio.NewReaderSize(out, 64<<10)
	if err := start(p.cmd); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	return p, nil
}

// header sends one request and reads the first line of the answer.
func (p *catProcess) header(request string, id ID) (kind string, size int64, err error) {
	if _, err := fmt.Fprintf(p.in, "%s %s\n", request, id); err != nil {
		return "", 0, err
	}
	return p.answer(id)
}

// answer reads the first line of an answer: "<id> <kind> <size>" or "<id> missing".
func (p *catProcess) answer(id ID) (kind string, size int64, err error) {
	line, err := p.out.ReadString('\n')
	if err != nil {
		return "", 0, err
	}
	fields := strings.Fields(line)
	if len(fields) == 2 && fields[1] == "missing" {
		return "", 0, errMissing
	}
	if len(fields) == 3 && fields[0] == string(id) {
		if size, err := strconv.ParseInt(fields[2], 10, 64); err == nil && size >= 0 {
			return fields[1], size, nil
		}
	}
	return "", 0, fmt.Errorf("git cat-file answers %q", line)
}

// content reads the size bytes of an object and the newline after them.
func (p *catProcess) content(size int64) ([]byte, error) {
	// A damaged object may claim any size; beyond this only what really arrives
	// takes memory.
	const trusted = 64 << 20
	var content []byte
	if size <= trusted {
		content = make([]byte, size)
		if _, err := io.ReadFull(p.out, content); err != nil {
			return nil, err
		}
	} else {
		var b bytes.Buffer
		if _, err := io.CopyN(&b, p.out, size); err != nil {
			return nil, err
		}
		content = b.Bytes()
	}
	if end, err := p.out.ReadByte(); err != nil {
		return nil, err
	} else if end != '\n' {
		return nil, fmt.Errorf("git cat-file sent more than the %d bytes it announced", size)
	}
	return content, nil
}

// kill ends the process at once; whoever reads from it gets an error.
func (p *catProcess) kill() { _ = p.cmd.Cancel() }

// end lets the process finish and returns how it died, nil if in peace.
func (p *catProcess) end() error {
	_ = p.in.Close()
	err := wait(p.cmd)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return p.at.failed(p.args, exit, p.stderr.String())
	}
	return err
}
