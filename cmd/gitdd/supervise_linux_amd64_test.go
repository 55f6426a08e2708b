package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Faults come to gitdd from outside, at its system calls: nothing in gitdd knows
// of them. A process that testdata/supervised starts has a seccomp filter, which
// its children inherit, under which every call that changes a file waits until
// the test has decided what becomes of it (seccomp_unotify(2)). The listener of
// the filter also says when the last of these processes is gone, by whatever
// forks and sessions it tried to get away.

// changing are the calls that change a file or a directory, by what the
// arguments name.
var changing = map[uint64]struct {
	name string
	how  manner
}{
	unix.SYS_WRITE:     {"write", byFile},
	unix.SYS_PWRITE64:  {"write", byFile},
	unix.SYS_WRITEV:    {"write", byFile},
	unix.SYS_FSYNC:     {"sync", byFile},
	unix.SYS_FDATASYNC: {"sync", byFile},
	unix.SYS_FTRUNCATE: {"truncate", byFile},
	unix.SYS_FCHMOD:    {"chmod", byFile},
	unix.SYS_FLOCK:     {"lock", byFile},

	unix.SYS_OPEN:     {"open", byPath},
	unix.SYS_CREAT:    {"open", byPath},
	unix.SYS_MKDIR:    {"mkdir", byPath},
	unix.SYS_RMDIR:    {"rmdir", byPath},
	unix.SYS_UNLINK:   {"unlink", byPath},
	unix.SYS_TRUNCATE: {"truncate", byPath},
	unix.SYS_CHMOD:    {"chmod", byPath},
	unix.SYS_RENAME:   {"rename", byPaths},
	unix.SYS_LINK:     {"link", byPaths},
	unix.SYS_SYMLINK:  {"symlink", bySecondPath},

	unix.SYS_OPENAT:    {"open", byPathAt},
	unix.SYS_OPENAT2:   {"open", byPathAt},
	unix.SYS_MKDIRAT:   {"mkdir", byPathAt},
	unix.SYS_UNLINKAT:  {"unlink", byPathAt},
	unix.SYS_FCHMODAT:  {"chmod", byPathAt},
	unix.SYS_UTIMENSAT: {"utime", byPathAt},
	unix.SYS_RENAMEAT:  {"rename", byPathsAt},
	unix.SYS_RENAMEAT2: {"rename", byPathsAt},
	unix.SYS_LINKAT:    {"link", byPathsAt},
	unix.SYS_SYMLINKAT: {"symlink", bySecondPathAt},
}

// A manner says which arguments of a call name what it changes.
type manner uint8

const (
	byFile manner = iota
	byPath
	byPaths // from, to
	bySecondPath
	byPathAt
	byPathsAt
	bySecondPathAt
)

// filter lets calls wait that change files, if somebody is to decide about them. Opening
// for reading and writing to the standard files go by.
func filter(decided bool) []unix.SockFilter {
	const number, arch, args = 0, 4, 16 // offsets in struct seccomp_data
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	jump := func(op uint16, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | op | unix.BPF_K, K: k, Jt: yes, Jf: no}
	}
	end := func(verdict uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: verdict}
	}
	if !decided {
		return []unix.SockFilter{end(unix.SECCOMP_RET_ALLOW)} // its listener tells the end all the same
	}
	const writing = unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC
	f := []unix.SockFilter{
		load(arch), jump(unix.BPF_JEQ, unix.AUDIT_ARCH_X86_64, 1, 0), end(unix.SECCOMP_RET_ALLOW),
		load(number),
	}
	for nr, c := range changing {
		var test []unix.SockFilter
		switch {
		case nr == unix.SYS_OPEN:
			test = []unix.SockFilter{load(args + 8), jump(unix.BPF_JSET, writing, 1, 0), end(unix.SECCOMP_RET_ALLOW)}
		case nr == unix.SYS_OPENAT:
			test = []unix.SockFilter{load(args + 16), jump(unix.BPF_JSET, writing, 1, 0), end(unix.SECCOMP_RET_ALLOW)}
		case c.how == byFile:
			test = []unix.SockFilter{load(args), jump(unix.BPF_JGT, 2, 1, 0), end(unix.SECCOMP_RET_ALLOW)}
		}
		test = append(test, end(unix.SECCOMP_RET_USER_NOTIF))
		f = append(f, jump(unix.BPF_JEQ, uint32(nr), 0, uint8(len(test))))
		f = append(f, test...)
	}
	return append(f, end(unix.SECCOMP_RET_ALLOW))
}

// A call is a system call that is about to change a file.
type call struct {
	role string // who calls: gitdd, supervisor, git (of gitdd), or test
	name string // open, write, ...
	path string // what it changes
	to   string // of rename and link

	s    *supervisor
	tid  int
	args [6]uint64
}

// A fate is what becomes of a call: 0 lets it happen, any other is the error
// that it returns instead.
type fate = syscall.Errno

// A supervisor decides about the calls of one process and all that it starts.
type supervisor struct {
	cmd      *exec.Cmd
	below    string           // only calls that change something there are of interest
	decide   func(*call) fate // called for one call at a time; nil = all calls go by
	pid      int
	listener int
	gone     chan struct{} // closed when the last supervised process is gone
	err      error         // set then

	doomed bool // whoever calls is killed
}

// supervise starts cmd supervised: nobody waits for a decision if decide is nil, so that
// only the end of all that cmd starts is told.
func supervise(cmd *exec.Cmd, below string, decide func(*call) fate) (*supervisor, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
	defer ours.Close()
	var program bytes.Buffer
	if err := binary.Write(&program, binary.LittleEndian, filter(decide != nil)); err != nil {
		return nil, err
	}
	if err := built(); err != nil {
		return nil, err
	}
	wrapper, err := exec.LookPath(unraced("supervised"))
	if err != nil {
		return nil, fmt.Errorf("it was not built: %w", err)
	}
	cmd.Args = append([]string{"supervised", hex.EncodeToString(program.Bytes()), cmd.Path}, cmd.Args...)
	cmd.Path = wrapper
	cmd.ExtraFiles = []*os.File{theirs}
	if decide != nil {
		// Without the flag for patience in testdata/supervised, the signals of Go's own
		// scheduler would let calls be made twice.
		cmd.Env = append(cmd.Env, "GODEBUG=asyncpreemptoff=1")
	}
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		return nil, err
	}
	s := &supervisor{cmd: cmd, below: below, decide: decide, pid: cmd.Process.Pid, gone: make(chan struct{})}
	if s.listener, err = receive(ours); err != nil {
		cmd.Process.Kill()
		return nil, errors.Join(err, cmd.Wait(), fmt.Errorf("%v", cmd.Stderr))
	}
	go s.serve()
	return s, nil
}

// receive takes the listener from the supervised process.
func receive(from *os.File) (int, error) {
	c, err := net.FileConn(from)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	var data [1]byte
	oob := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := c.(*net.UnixConn).ReadMsgUnix(data[:], oob)
	if err != nil {
		return 0, err
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil || len(messages) == 0 {
		return 0, fmt.Errorf("no listener came: %w", err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return 0, err
	}
	return fds[0], nil
}

// The structs of linux/seccomp.h.
type (
	notice struct {
		id    uint64
		tid   uint32
		flags uint32
		nr    int32
		arch  uint32
		ip    uint64
		args  [6]uint64
	}
	response struct {
		id    uint64
		val   int64
		error int32
		flags uint32
	}
)

func (s *supervisor) serve() {
	defer close(s.gone)
	defer unix.Close(s.listener)
	for {
		wait := []unix.PollFd{{Fd: int32(s.listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(wait, -1); err == unix.EINTR {
			continue
		} else if err != nil {
			s.err = err
			return
		}
		if wait[0].Revents&unix.POLLIN == 0 { // POLLHUP: nobody is left
			return
		}
		var n notice
		if err := s.ioctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); err == unix.EINTR || err == unix.ENOENT {
			continue // who called was killed meanwhile
		} else if err != nil {
			s.err = err
			return
		}
		r := response{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		if err := s.judge(&n); err != 0 {
			r.flags, r.error = 0, -int32(err)
		}
		if err := s.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r)); err != nil && err != unix.ENOENT && err != unix.EINTR {
			s.err = err
			return
		}
	}
}

func (s *supervisor) ioctl(request uintptr, arg unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(s.listener), request, uintptr(arg)); errno != 0 {
		return errno
	}
	return nil
}

func (s *supervisor) judge(n *notice) fate {
	c := call{s: s, tid: int(n.tid), args: n.args}
	if !c.resolve(uint64(n.nr)) {
		return 0
	}
	c.role = s.role(c.tid)
	if s.doomed {
		c.kill()
		return unix.EINTR
	}
	return s.decide(&c)
}

// resolve finds out what the call changes, and reports whether that is of
// interest.
func (c *call) resolve(nr uint64) bool {
	kind := changing[nr]
	c.name = kind.name
	a := &c.args
	cwd := uint64(unix.AT_FDCWD & (1<<64 - 1))
	switch kind.how {
	case byFile:
		c.path, _ = os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", c.tid, int32(a[0])))
	case byPath:
		c.path = c.named(cwd, a[0])
	case byPaths:
		c.path, c.to = c.named(cwd, a[0]), c.named(cwd, a[1])
	case bySecondPath:
		c.path = c.named(cwd, a[1])
	case byPathAt:
		c.path = c.named(a[0], a[1])
	case byPathsAt:
		c.path, c.to = c.named(a[0], a[1]), c.named(a[2], a[3])
	case bySecondPathAt:
		c.path = c.named(a[1], a[2])
	}
	c.path = strings.TrimSuffix(c.path, " (deleted)")
	return strings.HasPrefix(c.path, c.s.below+"/") || c.to != "" && strings.HasPrefix(c.to, c.s.below+"/")
}

// named returns the absolute name of the path at address, relative to dir.
func (c *call) named(dir, address uint64) string {
	text := c.memory(address, unix.PathMax)
	name, _, ok := bytes.Cut(text, []byte{0})
	if !ok {
		return ""
	}
	if filepath.IsAbs(string(name)) {
		return filepath.Clean(string(name))
	}
	link := fmt.Sprintf("/proc/%d/fd/%d", c.tid, int32(dir))
	if int32(dir) == unix.AT_FDCWD {
		link = fmt.Sprintf("/proc/%d/cwd", c.tid)
	}
	at, _ := os.Readlink(link)
	return filepath.Join(at, string(name))
}

// memory reads at most n bytes of the caller's memory.
func (c *call) memory(address uint64, n int) []byte {
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", c.tid))
	if err != nil {
		return nil
	}
	defer f.Close()
	text := make([]byte, n)
	// Up to the end of the page first: the next one may not be there.
	page := os.Getpagesize()
	first := min(n, page-int(address%uint64(page)))
	got, err := f.ReadAt(text[:first], int64(address))
	if err == nil && got == first && first < n {
		more, _ := f.ReadAt(text[first:], int64(address)+int64(first))
		got += more
	}
	return text[:got]
}

// role says what a thread is to gitdd, by its ancestors.
func (s *supervisor) role(tid int) string {
	if _, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", s.pid, tid)); err == nil {
		return "gitdd"
	}
	for id, first := tid, true; id > 1; first = false {
		words, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", id))
		if bytes.HasPrefix(words, []byte("gitdd-supervisor\x00")) {
			if first {
				return "supervisor"
			}
			return "test"
		}
		if id = parent(id); id == s.pid {
			break
		}
	}
	return "git"
}

// half makes the first half of a write, in the place of the caller.
func (c *call) half() error {
	if c.name != "write" {
		return fmt.Errorf("%s is no write", c.name)
	}
	text := c.memory(c.args[1], int(c.args[2]))
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/%d", c.tid, int32(c.args[0])), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(text[:len(text)/2])
	return errors.Join(err, f.Close())
}

// kill ends gitdd with SIGKILL; its other processes are left to themselves.
func (s *supervisor) kill() { unix.Kill(s.pid, unix.SIGKILL) }

// kill ends the process that calls.
func (c *call) kill() { unix.Kill(leader(c.tid), unix.SIGKILL) }

// killAll ends gitdd and all that it started, as the end of a container does.
func (s *supervisor) killAll() fate {
	s.doomed = true // who forks just now ends at its next call
	for _, pid := range append(descendants(s.pid), s.pid) {
		unix.Kill(pid, unix.SIGKILL)
	}
	return unix.EINTR
}

// leader is the process that a thread belongs to.
func leader(tid int) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid))
	_, after, _ := bytes.Cut(status, []byte("\nTgid:"))
	word, _, _ := bytes.Cut(after, []byte("\n"))
	pid, err := strconv.Atoi(string(bytes.TrimSpace(word)))
	if err != nil {
		return tid
	}
	return pid
}

// descendants are the processes below one, by what /proc says just now.
func descendants(pid int) (below []int) {
	names, _ := filepath.Glob("/proc/[0-9]*")
	children := map[int][]int{}
	for _, name := range names {
		child, _ := strconv.Atoi(filepath.Base(name))
		children[parent(child)] = append(children[parent(child)], child)
	}
	for next := []int{pid}; len(next) > 0; next = next[1:] {
		below = append(below, children[next[0]]...)
		next = append(next, children[next[0]]...)
	}
	return below
}

// parent is the process that a process or thread was started by, 0 if that is
// not known.
func parent(id int) int {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	fields := strings.Fields(string(line[bytes.LastIndexByte(line, ')')+1:]))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pid, _ := strconv.Atoi(fields[1])
	return pid
}

// supervisable says why this machine does not let calls be supervised, nil if it
// does.
var supervisable = sync.OnceValue(func() error {
	cmd := exec.Command("true")
	cmd.Env = os.Environ()
	var said bytes.Buffer
	cmd.Stderr = &said
	s, err := supervise(cmd, "/nosuch", func(*call) fate { return 0 })
	if err != nil {
		return fmt.Errorf("%w: %s", err, said.String())
	}
	err = cmd.Wait()
	select {
	case <-s.gone:
		return errors.Join(err, s.err)
	case <-time.After(10 * time.Second):
		return errors.New("the end of a supervised process is not told")
	}
})
