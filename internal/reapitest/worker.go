package reapitest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// A worker executes one action at a time, each in a new directory, unless the action
// wants a warm one.
type worker struct {
	name   string
	dir    string
	serial int
	warm   map[string]*warm // by the platform properties of the action
}

// perform executes the action of e. Its answer is that of the whole operation; when it
// has been told, the worker cleans up.
func (w *worker) perform(e *execution) (response *repb.ExecuteResponse, clean func()) {
	s := e.server
	e.set(func() {
		e.stage = repb.ExecutionStage_EXECUTING
		e.meta.Worker = w.name
		e.meta.WorkerStartTimestamp = timestamppb.Now()
	})
	place, err := w.place(e.job)
	if err != nil {
		return failed(err), func() {}
	}
	response, err = w.execute(e, place)
	if err != nil {
		if cause := context.Cause(e.ctx); cause != nil {
			return &repb.ExecuteResponse{Status: status.New(codes.Canceled, cause.Error()).Proto()}, place.leave
		}
		return failed(err), place.leave
	}
	if r := response.Result; response.Status == nil && r.ExitCode == 0 && !e.job.action.DoNotCache && e.ctx.Err() == nil &&
		!(s.o.WholeOnly && len(r.OutputFiles) < len(e.job.command.OutputPaths)) {
		s.cache.put(e.job.key, r)
	}
	if response.Result != nil && s.strikes(LostOutput, e.job.key.hash) {
		s.lose(response.Result)
	}
	return response, place.leave
}

// failed is the answer when the server could not execute the action.
func failed(err error) *repb.ExecuteResponse {
	return &repb.ExecuteResponse{Status: status.Convert(err).Proto(), Message: "reapitest: " + err.Error()}
}

// execute fetches the input, runs the command and stores its outputs.
func (w *worker) execute(e *execution, p *place) (*repb.ExecuteResponse, error) {
	s, j := e.server, e.job
	stamp := func(t **timestamppb.Timestamp) {
		e.mu.Lock()
		defer e.mu.Unlock()
		*t = timestamppb.Now()
	}
	stamp(&e.meta.InputFetchStartTimestamp)
	files, err := s.input(j)
	if err != nil {
		return nil, err
	}
	//lint:ignore SA1019 a client names them so where the server says that it is older than 2.1
	if err := p.show(e.ctx, s, files, slices.Concat(j.command.OutputPaths, j.command.OutputFiles)); err != nil {
		return nil, err
	}
	work := filepath.Join(p.root, filepath.FromSlash(j.command.WorkingDirectory))
	if info, err := os.Lstat(work); err != nil || !info.IsDir() {
		return nil, s.invalid("the working directory %q is not in the input root", j.command.WorkingDirectory)
	}
	if err := p.prepare(work, j.command.OutputPaths); err != nil {
		return nil, err
	}
	stamp(&e.meta.InputFetchCompletedTimestamp)

	if s.strikes(Straggler, j.key.hash) {
		if err := pause(e.ctx, s.o.Straggle); err != nil {
			return nil, err
		}
	}
	stamp(&e.meta.ExecutionStartTimestamp)
	c, err := s.start(e, p, work)
	if err != nil {
		return nil, err
	}
	if response := s.interrupt(e, c); response != nil {
		return response, nil
	}
	exit, late, err := c.wait(e.ctx, j.action.Timeout)
	if err != nil {
		return nil, err
	}
	stamp(&e.meta.ExecutionCompletedTimestamp)
	stamp(&e.meta.OutputUploadStartTimestamp)
	result, err := s.collect(p, work, j.command)
	if err != nil {
		return nil, err
	}
	stamp(&e.meta.OutputUploadCompletedTimestamp)
	stamp(&e.meta.WorkerCompletedTimestamp)
	result.ExitCode = int32(exit)
	e.mu.Lock()
	result.ExecutionMetadata = cloneMeta(e.meta)
	e.mu.Unlock()
	response := &repb.ExecuteResponse{Result: result}
	if late {
		response.Status = status.New(codes.DeadlineExceeded, "the action took longer than its timeout").Proto()
	} else if s.strikes(LostLater, j.key.hash) {
		return &repb.ExecuteResponse{Status: status.New(codes.Internal, "reapitest: the results were lost").Proto()}, nil
	}
	return response, nil
}

// interrupt is the faults that befall a running command. It returns the answer if one did.
func (s *Server) interrupt(e *execution, c *command) *repb.ExecuteResponse {
	subject := e.job.key.hash
	ended := func(code codes.Code, why string) *repb.ExecuteResponse {
		c.kill()
		return &repb.ExecuteResponse{Status: status.New(code, "reapitest: "+why).Proto()}
	}
	switch {
	case s.strikes(LostWorker, subject):
		return ended(codes.Unavailable, "the worker was lost")
	case s.strikes(LostOperation, subject):
		response := ended(codes.Unavailable, "the scheduler was lost")
		s.forget(e)
		return response
	case s.strikes(Preempted, subject):
		return ended(codes.Canceled, "the worker is needed elsewhere")
	case s.strikes(Deadline, subject):
		return ended(codes.DeadlineExceeded, "the action took too long")
	case s.strikes(Memory, subject):
		c.kill()
		return &repb.ExecuteResponse{
			Result:  &repb.ActionResult{ExitCode: 137, ExecutionMetadata: &repb.ExecutedActionMetadata{Worker: e.worker()}},
			Message: "reapitest: out of memory",
		}
	}
	return nil
}

func (e *execution) worker() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.meta.Worker
}

// An input is the input root of an action, laid out flat. Parents stand before what is
// in them.
type input struct {
	folders []string // slash-separated; the root is not named
	files   []inputFile
	links   []inputLink
}

type inputFile struct {
	path       string
	digest     digest
	executable bool
}

type inputLink struct{ path, target string }

// input reads the tree of an action. The error says all the blobs that are missing.
func (s *Server) input(j *job) (*input, error) {
	if s.strikes(Vanished, j.key.hash) {
		s.vanish(j)
	}
	in := &input{}
	var gone []digest
	var walk func(d digest, at string) error
	walk = func(d digest, at string) error {
		if !s.store.has(d) {
			gone = append(gone, d)
			return nil
		}
		folder, err := s.directory(d)
		if err != nil {
			return err
		}
		for _, f := range folder.Files {
			d := digest{f.Digest.Hash, f.Digest.SizeBytes}
			if !s.store.has(d) {
				gone = append(gone, d)
			}
			in.files = append(in.files, inputFile{at + f.Name, d, f.IsExecutable})
		}
		for _, l := range folder.Symlinks {
			in.links = append(in.links, inputLink{at + l.Name, l.Target})
		}
		for _, sub := range folder.Directories {
			in.folders = append(in.folders, at+sub.Name)
			if err := walk(digest{sub.Digest.Hash, sub.Digest.SizeBytes}, at+sub.Name+"/"); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(j.root, ""); err != nil {
		return nil, err
	}
	if len(gone) > 0 {
		return nil, missing(gone).Err()
	}
	return in, nil
}

// vanish drops one of the blobs of an input, always the same of the same.
func (s *Server) vanish(j *job) {
	all := []digest{j.root}
	var walk func(d digest)
	walk = func(d digest) {
		folder, err := s.directory(d)
		if err != nil {
			return // it is told where it is fetched
		}
		for _, f := range folder.Files {
			all = append(all, digest{f.Digest.Hash, f.Digest.SizeBytes})
		}
		for _, sub := range folder.Directories {
			d := digest{sub.Digest.Hash, sub.Digest.SizeBytes}
			all = append(all, d)
			walk(d)
		}
	}
	walk(j.root)
	h := fnv.New32a()
	h.Write([]byte(j.key.hash))
	s.store.drop(all[int(h.Sum32())%len(all)])
}

// A place is a directory in which an action is performed.
type place struct {
	root     string // the input root
	out, err string // files for stdout and stderr
	mark     string // NAME=value in the environment of its processes
	had      map[string]held
	warm     *warm // nil = cold
}

// A warm place is there again for the next action with the same platform properties.
type warm struct {
	root string
	had  map[string]held // what the last action was shown, by path
}

// held is what a path held: a file, a link or a folder.
type held struct {
	digest     digest
	executable bool
	target     string
	folder     bool
}

// place makes one. The platform properties recycle-runner=true and
// preserve-workspace=true ask for a warm one, by the names that BuildBuddy gave them.
func (w *worker) place(j *job) (*place, error) {
	w.serial++
	base := filepath.Join(w.dir, fmt.Sprint(w.serial))
	p := &place{
		root: filepath.Join(base, "root"), out: filepath.Join(base, "stdout"), err: filepath.Join(base, "stderr"),
		mark: fmt.Sprintf("REAPITEST_ACTION=%s/%d", w.dir, w.serial), had: map[string]held{},
	}
	if err := os.MkdirAll(base, 0o777); err != nil {
		return nil, err
	}
	var key strings.Builder
	asks := 0
	for _, q := range j.properties {
		fmt.Fprintf(&key, "%q=%q ", q.Name, q.Value)
		name := strings.ToLower(q.Name) // it takes any case
		if (name == "recycle-runner" || name == "preserve-workspace") && q.Value == "true" {
			asks++
		}
	}
	if asks == 2 {
		if w.warm[key.String()] == nil {
			w.warm[key.String()] = &warm{root: filepath.Join(w.dir, fmt.Sprintf("warm-%d", w.serial)), had: map[string]held{}}
		}
		p.warm = w.warm[key.String()]
		p.root, p.had = p.warm.root, p.warm.had
	}
	return p, os.MkdirAll(p.root, 0o777)
}

// leave removes what need not stay.
func (p *place) leave() {
	if p.warm == nil {
		removeAll(p.root)
	}
	os.Remove(p.out)
	os.Remove(p.err)
	os.Remove(filepath.Dir(p.out))
}

// removeAll removes a directory also where an action took its rights away.
func removeAll(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o777)
		}
		return nil
	})
	os.RemoveAll(dir)
}

// show makes the place hold the input: in a warm one, only what differs is written, and
// what an earlier action was shown beyond it is gone.
func (p *place) show(ctx context.Context, s *Server, in *input, outputs []string) error {
	if s.o.Linked == LinkedFolders {
		var err error
		if in, err = s.kept.folders(in, outputs); err != nil {
			return err
		}
	}
	now := map[string]held{}
	for _, f := range in.folders {
		now[f] = held{folder: true}
	}
	for _, f := range in.files {
		now[f.path] = held{digest: f.digest, executable: f.executable}
	}
	for _, l := range in.links {
		now[l.path] = held{target: l.target}
	}
	for path, was := range p.had {
		if now[path] != was {
			if err := os.RemoveAll(p.at(path)); err != nil {
				return err
			}
			delete(p.had, path)
		}
	}
	for _, f := range in.folders {
		if err := os.MkdirAll(p.at(f), 0o777); err != nil {
			return err
		}
	}
	for _, f := range in.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if p.had[f.path] == now[f.path] {
			continue
		}
		if s.o.Linked != Copies {
			if err := s.kept.file(f, p.at(f.path)); err != nil {
				return err
			}
			continue
		}
		content, ok := s.store.get(f.digest)
		if !ok {
			return missing([]digest{f.digest}).Err()
		}
		if err := writeFile(p.at(f.path), content, f.executable); err != nil {
			return err
		}
	}
	for _, l := range in.links {
		if p.had[l.path] == now[l.path] {
			continue
		}
		if err := os.Symlink(l.target, p.at(l.path)); err != nil {
			return err
		}
	}
	clear(p.had)
	maps.Copy(p.had, now)
	return nil
}

func (p *place) at(path string) string { return filepath.Join(p.root, filepath.FromSlash(path)) }

// prepare makes the folders of the outputs, and takes away outputs of an earlier action.
func (p *place) prepare(work string, outputs []string) error {
	for _, o := range outputs {
		file := filepath.Join(work, filepath.FromSlash(o))
		if p.warm != nil {
			removeAll(file)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
	}
	return nil
}

// Timings are of no use where the machine is shared by tests; this one only keeps a
// broken instrument from standing still for ever.
const patience = 2 * time.Minute

var errStands = errors.New("reapitest: processes of the action do not end")
