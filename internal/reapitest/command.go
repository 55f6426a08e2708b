package reapitest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
)

// A command is a running one.
type command struct {
	server *Server
	cmd    *exec.Cmd
	mark   string
	ended  chan struct{} // its first process has
}

// searchPath is where a command without a PATH is looked for.
const searchPath = "/usr/local/bin:/usr/bin:/bin"

// start runs the command of an action, with nothing of the environment of the test.
func (s *Server) start(e *execution, p *place, work string) (*command, error) {
	c := e.job.command
	env := append([]string{}, s.o.Env...)
	for _, v := range c.EnvironmentVariables {
		env = append(env, v.Name+"="+v.Value) // of two, the last one counts
	}
	program, err := s.program(c.Arguments[0], work, env)
	if err != nil {
		return nil, err
	}
	out, err := os.Create(p.out)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	errs, err := os.Create(p.err)
	if err != nil {
		return nil, err
	}
	defer errs.Close()
	cmd := &exec.Cmd{
		Path: program, Args: c.Arguments, Env: append(env, p.mark), Dir: work,
		Stdout: out, Stderr: errs, SysProcAttr: groupOfItsOwn(),
	}
	if err := cmd.Start(); err != nil {
		return nil, s.invalid("the command %q cannot be started: %v", c.Arguments[0], err)
	}
	s.active.Add(1)
	s.count.add(func(c *Counts) { c.Executions++ })
	running := &command{server: s, cmd: cmd, mark: p.mark, ended: make(chan struct{})}
	go func() {
		cmd.Wait() // its error is in ProcessState
		close(running.ended)
	}()
	return running, nil
}

// program resolves the first argument of a command.
func (s *Server) program(name, work string, env []string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	if strings.Contains(name, "/") {
		return filepath.Join(work, filepath.FromSlash(name)), nil
	}
	search := searchPath
	for _, v := range env {
		if value, ok := strings.CutPrefix(v, "PATH="); ok {
			search = value
		}
	}
	for _, dir := range filepath.SplitList(search) {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file, nil
		}
	}
	return "", s.invalid("the command %q is not in %s", name, search)
}

// wait waits for the end of the command, and ends what it left behind. It returns the
// exit status as a shell counts it, and whether the limit passed; the error is that of
// ctx.
func (c *command) wait(ctx context.Context, limit *durationpb.Duration) (exit int, late bool, err error) {
	var deadline <-chan time.Time
	if limit != nil {
		timer := time.NewTimer(limit.AsDuration())
		defer timer.Stop()
		deadline = timer.C
	}
	select {
	case <-c.ended:
		c.server.count.add(func(n *Counts) { n.Finished++ })
	case <-deadline:
		late = true
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	c.kill()
	state := c.cmd.ProcessState
	exit = state.ExitCode()
	if exit < 0 {
		exit = 128 + signalOf(state)
	}
	return exit, late, err
}

// kill ends the command with all its descendants, and waits until none is left.
func (c *command) kill() {
	defer c.server.active.Add(-1)
	killGroup(c.cmd.Process)
	<-c.ended
	// Invariant: who is left went to a group of its own, and has the mark.
	for until := time.Now().Add(patience); killMarked(c.mark); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			c.server.violate("%v", errStands) // not the client's fault, but nobody else hears of it
			return
		}
	}
}

// collect stores what the command printed and the outputs that it was to make.
func (s *Server) collect(p *place, work string, c *repb.Command) (*repb.ActionResult, error) {
	result := &repb.ActionResult{}
	for file, to := range map[string]**repb.Digest{p.out: &result.StdoutDigest, p.err: &result.StderrDigest} {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		d, _ := s.store.put(content)
		*to = d.proto()
	}
	paths := c.OutputPaths
	if len(paths) == 0 {
		//lint:ignore SA1019 a client sets it where the server says that it is older than 2.1
		paths = c.OutputFiles
	}
	for _, name := range paths {
		file := filepath.Join(work, filepath.FromSlash(name))
		info, err := os.Lstat(file)
		switch {
		case errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
			continue // an output that was not made is none
		case err != nil:
			return nil, err
		case info.Mode().IsRegular():
			content, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			d, _ := s.store.put(content)
			result.OutputFiles = append(result.OutputFiles,
				&repb.OutputFile{Path: name, Digest: d.proto(), IsExecutable: info.Mode()&0o100 != 0})
		case info.Mode()&os.ModeSymlink != 0:
			target, err := os.Readlink(file)
			if err != nil {
				return nil, err
			}
			result.OutputSymlinks = append(result.OutputSymlinks, &repb.OutputSymlink{Path: name, Target: target})
		case info.IsDir():
			tree := &repb.Tree{}
			root, err := s.gather(file, tree)
			if err != nil {
				return nil, err
			}
			tree.Root = root
			d, err := s.putMessage(tree)
			if err != nil {
				return nil, err
			}
			result.OutputDirectories = append(result.OutputDirectories,
				&repb.OutputDirectory{Path: name, TreeDigest: d.proto()})
		default:
			return nil, errors.New("output " + name + " is neither file, directory nor symbolic link")
		}
	}
	return result, nil
}

// gather stores a directory, and adds its subdirectories to tree.
func (s *Server) gather(dir string, tree *repb.Tree) (*repb.Directory, error) {
	entries, err := os.ReadDir(dir) // in the order of names
	if err != nil {
		return nil, err
	}
	folder := &repb.Directory{}
	for _, entry := range entries {
		file := filepath.Join(dir, entry.Name())
		switch {
		case entry.IsDir():
			sub, err := s.gather(file, tree)
			if err != nil {
				return nil, err
			}
			d, err := s.putMessage(sub)
			if err != nil {
				return nil, err
			}
			tree.Children = append(tree.Children, sub)
			folder.Directories = append(folder.Directories, &repb.DirectoryNode{Name: entry.Name(), Digest: d.proto()})
		case entry.Type()&os.ModeSymlink != 0:
			target, err := os.Readlink(file)
			if err != nil {
				return nil, err
			}
			folder.Symlinks = append(folder.Symlinks, &repb.SymlinkNode{Name: entry.Name(), Target: target})
		case entry.Type().IsRegular():
			info, err := entry.Info()
			if err != nil {
				return nil, err
			}
			content, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			d, _ := s.store.put(content)
			folder.Files = append(folder.Files,
				&repb.FileNode{Name: entry.Name(), Digest: d.proto(), IsExecutable: info.Mode()&0o100 != 0})
		}
	}
	return folder, nil
}

func (s *Server) putMessage(m proto.Message) (digest, error) {
	content, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return digest{}, err
	}
	d, _ := s.store.put(content)
	return d, nil
}

func cloneMeta(m *repb.ExecutedActionMetadata) *repb.ExecutedActionMetadata {
	return proto.Clone(m).(*repb.ExecutedActionMetadata)
}

// writeFile writes a file of an input. No process is begun meanwhile: it would inherit
// the open file for a moment, and who runs the file would be told that it is busy.
func writeFile(file string, content []byte, executable bool) error {
	mode := os.FileMode(0o644)
	if executable {
		mode = 0o755
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}
