package process

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gitdd/gitdd/internal/git"
)

// executable is the program that runs now, even when its file has been replaced
// since: a trial may well rebuild gitdd itself.
func executable() (string, error) { return "/proc/self/exe", nil }

// adopt makes this process the parent of all orphans below it.
func adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("adopt orphaned processes: %w", err)
	}
	return nil
}

// unblockSignals clears the signal mask that gitdd may have inherited. Fork
// passes on the mask of the thread, hence the lock.
func unblockSignals() error {
	runtime.LockOSThread()
	return unix.PthreadSigmask(unix.SIG_SETMASK, &unix.Sigset_t{}, nil)
}

// reap collects what has exited and reports whether the family is empty. No
// child left means no descendant left, because orphans become children; that
// is one system call when the command left nothing.
func (f *family) reap() (empty bool) {
	for {
		var status unix.WaitStatus
		var usage unix.Rusage
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG|unix.WALL, &usage)
		if err == nil && pid > 0 {
			f.maxrss = max(f.maxrss, usage.Maxrss<<10)
			f.spent(usage)
		}
		switch {
		case err == unix.EINTR:
		case err != nil: // ECHILD
			return true
		case pid == 0:
			return false
		case pid == f.pid && !f.exited:
			f.waited(status)
		}
	}
}

// terminate asks each process once to end; a second SIGTERM often means "at
// once". One that forks just now may go unasked and is killed later.
func (f *family) terminate() {
	group := 0
	if !f.exited { // not reaped, so the number of the group is still its own
		group = f.pid
		unix.Kill(-group, unix.SIGTERM)
		unix.Kill(-group, unix.SIGCONT)
	}
	for _, d := range f.descendants() {
		if d.group != group {
			unix.Kill(d.pid, unix.SIGTERM)
			unix.Kill(d.pid, unix.SIGCONT) // a stopped process cannot hear
		}
	}
}

// kill kills what is there now.
func (f *family) kill() {
	if !f.exited {
		unix.Kill(-f.pid, unix.SIGKILL) // atomic, so no fork in the group gets away
	}
	// Between reading /proc and the signal a process id would have to wrap
	// around to hit a stranger; children cannot even then, they stay ours until
	// they are reaped.
	for _, d := range f.descendants() {
		unix.Kill(d.pid, unix.SIGKILL)
	}
}

// survivors names the processes that are left.
func (f *family) survivors() string {
	var names []string
	for _, d := range f.descendants() {
		names = append(names, fmt.Sprintf("%d (%s, state %c)", d.pid, d.name, d.state))
	}
	return strings.Join(names, ", ")
}

// descendants lists the living processes below this one, and counts them as
// leftovers once the command has exited.
func (f *family) descendants() []stat {
	all := processes()
	below := map[int]bool{os.Getpid(): true}
	var found []stat
	// Invariant: below holds this process and the found ones. /proc is not
	// sorted by age, so passes go on until one finds nothing new.
	for grown := true; grown; {
		grown = false
		for _, s := range all {
			if !below[s.pid] && below[s.parent] {
				below[s.pid], grown = true, true
				if !s.dead() {
					found = append(found, s)
				}
			}
		}
	}
	if f.exited {
		for _, s := range found {
			f.counted[s.identity] = true
		}
	}
	return found
}

// largest returns the most memory that a single process of the family took, and
// each of its children that it waited for; 0 if that is no more than what every
// child of the supervisor has from it before it executes its program.
func (f *family) largest() int64 {
	var own unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &own); err != nil || f.maxrss <= own.Maxrss<<10 {
		return 0
	}
	return f.maxrss
}

// memory returns how much memory the family takes if that is more than seen:
// what several processes share is counted once. Cost: some 20 µs for each of its
// processes, and where it may be more than seen, 1 ms for each 100 MB.
func (f *family) memory(seen int64) int64 {
	family := f.processIDs()
	resident := int64(0) // what is shared is counted for each: no less than what is looked for
	for _, pid := range family {
		all, _ := statm(pid)
		resident += all
	}
	if resident <= seen {
		return 0
	}
	sum := int64(0)
	for _, pid := range family {
		sum += proportional(pid)
	}
	return sum
}

// statm reads how much memory of a process is resident, and how much of that is
// shared with others or with files.
func statm(pid int) (resident, shared int64) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0, 0
	}
	field := strings.Fields(string(text))
	if len(field) < 3 {
		return 0, 0
	}
	resident, _ = strconv.ParseInt(field[1], 10, 64)
	shared, _ = strconv.ParseInt(field[2], 10, 64)
	page := int64(os.Getpagesize())
	return resident * page, shared * page
}

// SeesMemory reports whether the memory of a command is seen on this machine, as Command.Memory needs it.
func SeesMemory() bool {
	resident, _ := statm(os.Getpid())
	return resident > 0
}

// proportional reads the share that a process has of the memory it uses. Where
// that cannot be seen (a process of another user), it is what the process has
// for itself.
func proportional(pid int) int64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
	if err == nil {
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
				if n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64); err == nil {
					return n << 10
				}
			}
		}
	}
	resident, shared := statm(pid)
	return resident - shared
}

// processIDs lists the processes below this one. Where the kernel lists children
// that costs little on a machine with many processes.
func (f *family) processIDs() []int {
	if _, err := os.Stat("/proc/self/task/" + strconv.Itoa(os.Getpid()) + "/children"); err != nil {
		var pids []int
		for _, d := range f.descendants() {
			pids = append(pids, d.pid)
		}
		return pids
	}
	var pids []int
	at := []int{os.Getpid()}
	for len(at) > 0 {
		dir := "/proc/" + strconv.Itoa(at[0]) + "/task/"
		tasks, _ := os.ReadDir(dir)
		at = at[1:]
		for _, task := range tasks {
			text, _ := os.ReadFile(dir + task.Name() + "/children")
			for _, word := range strings.Fields(string(text)) {
				if pid, err := strconv.Atoi(word); err == nil {
					pids, at = append(pids, pid), append(at, pid)
				}
			}
		}
	}
	return pids
}

// endOrphans kills what a supervisor that died has left to gitdd: the children in
// another session than gitdd's, but for the supervisors and git. No other child of
// gitdd has a session of its own, and a process cannot come back to one it left.
func endOrphans(supervisors map[int]bool) error {
	own, err := unix.Getsid(0)
	if err != nil {
		return err
	}
	self := os.Getpid()
	for deadline := time.Now().Add(killLimit); ; time.Sleep(time.Millisecond) {
		var left []string
		for _, s := range processes() {
			if s.parent != self || s.session == own || supervisors[s.pid] || git.IsRunning(s.pid) {
				continue
			}
			left = append(left, fmt.Sprintf("%d (%s)", s.pid, s.name))
			unix.Kill(s.pid, unix.SIGKILL)
			unix.Wait4(s.pid, nil, unix.WNOHANG|unix.WALL, nil)
		}
		if len(left) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("processes of the command are still there: %s", strings.Join(left, ", "))
		}
	}
}

// An identity names a process for good: process ids are used again.
type identity struct {
	pid   int
	start uint64 // in clock ticks since boot
}

// A stat is a line of /proc/PID/stat (proc(5)), as far as it matters here.
type stat struct {
	identity
	name                   string
	state                  byte
	parent, group, session int
	threads                int
}

// dead reports whether only the exit status is left. The state alone does not
// say: it is that of the first thread, which may end before the others.
func (s stat) dead() bool { return s.state == 'X' || s.state == 'Z' && s.threads <= 1 }

// processes lists all processes that this one may see. Cost: about 10 µs each.
func processes() []stat {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var all []stat
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if line, err := os.ReadFile("/proc/" + name + "/stat"); err == nil {
			if s, ok := parseStat(pid, line); ok {
				all = append(all, s)
			}
		}
	}
	return all
}

// parseStat reads "PID (NAME) STATE PPID PGRP SESSION ...". The name may hold
// anything, parentheses too, so it ends at the last one.
func parseStat(pid int, line []byte) (stat, bool) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return stat{}, false
	}
	field := strings.Fields(string(line[end+1:])) // field[0] is the third of proc(5)
	if len(field) < 20 || len(field[0]) != 1 {
		return stat{}, false
	}
	s := stat{name: string(line[open+1 : end]), state: field[0][0]}
	s.pid = pid
	var err error
	for i, number := range map[int]*int{1: &s.parent, 2: &s.group, 3: &s.session, 17: &s.threads} {
		if *number, err = strconv.Atoi(field[i]); err != nil {
			return stat{}, false
		}
	}
	if s.start, err = strconv.ParseUint(field[19], 10, 64); err != nil {
		return stat{}, false
	}
	return s, true
}
