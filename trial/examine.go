package trial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/process"
	"github.com/gitdd/gitdd/internal/prose"
)

// An Examination says what of this machine a search would use.
type Examination struct {
	Root       string // where its session would be, see [Root]; need not exist
	Work       string // where its workspaces would be, an existing directory; "" = in the session
	Shared     bool   // Work is meant to be on a file system that other machines have, too
	Checkout   int64  // bytes of the files of a workspace; 0 = not known
	Workspaces int    // that there would be at a time
}

// Examine looks whether trials can be expected to work on this machine: directories,
// locks, room, clocks, and that nothing which a command starts outlives it. What it
// makes is gone when it returns. Cost: some ten files, one process, half a second.
func Examine(ctx context.Context, e Examination) []Finding {
	undo, err := MakeDir(e.Root)
	defer undo()
	if err != nil {
		return append(unwritable(e.Root, err), examineProcesses(ctx)...)
	}
	found := examinePlace("sessions", e.Root, "set "+CacheVariable+" to a directory of yours on another disk", false)
	work := e.Root
	if e.Work != "" {
		work = e.Work
		found = append(found, examinePlace("workspaces", e.Work, "name another directory that you may write to", e.Shared)...)
	}
	if e.Checkout > 0 {
		found = append(found, examineRoom(e, work))
	}
	return append(append(found, examineClock(work)), examineProcesses(ctx)...)
}

// MakeDir makes a directory for temporary use. undo removes those directories of its path that MakeDir
// has made, if they are empty. undo may be called after an error, too.
func MakeDir(dir string) (undo func(), err error) {
	var made []string
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, at)
	}
	return func() {
		for _, at := range made {
			_ = os.Remove(at)
		}
	}, os.MkdirAll(dir, 0o777)
}

func unwritable(dir string, err error) []Finding {
	do := "set " + CacheVariable + " to a directory that can be written"
	if disk.Full(err) {
		do = "make room there, or set " + CacheVariable + " to a directory on another disk"
	}
	return []Finding{{Check: "sessions", Saw: fmt.Sprintf("%s cannot be written: %v", dir, cause(err)), Do: do}}
}

// cause is an error without the name of the file, which was said before.
func cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// examinePlace looks whether files can be written in a directory and outlive a crash,
// and whether its locks keep others out.
func examinePlace(check, dir, otherwise string, shared bool) []Finding {
	trouble := func(saw string) []Finding { return []Finding{{Check: check, Saw: dir + " " + saw, Do: otherwise}} }
	scratch, err := os.MkdirTemp(dir, ".doctor-")
	if err != nil {
		return trouble(fmt.Sprintf("cannot be written: %v", cause(err)))
	}
	defer os.RemoveAll(scratch)
	if err := errors.Join(disk.WriteFile(filepath.Join(scratch, "file"), []byte("text\n")), disk.SyncDir(scratch)); err != nil {
		return trouble(fmt.Sprintf("cannot be written: %v", cause(err)))
	}
	if err := os.Symlink("file", filepath.Join(scratch, "link")); err != nil && runtime.GOOS != "windows" {
		return trouble("cannot hold symbolic links")
	}
	held, err := locksHold(filepath.Join(scratch, lockFile))
	switch {
	case err != nil:
		return trouble(fmt.Sprintf("has no locks (%v): two gitdd could write one session", err))
	case !held:
		return trouble("has locks that keep nobody out: two gitdd could write one session")
	}
	network := networkName(dir)
	if network != "" && !shared {
		return trouble("is on a network (" + network + "): slow, and a break of it ends the search")
	}
	saw := dir + " can be written and locked"
	if network != "" {
		saw += ", by " + network
	}
	return []Finding{{Check: check, OK: true, Saw: saw}}
}

// locksHold reports whether a lock on a file keeps a second one out.
func locksHold(name string) (bool, error) {
	first, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return false, err
	}
	defer first.Close()
	if had, err := tryLock(first, true); err != nil || !had {
		return false, err
	}
	second, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	defer second.Close()
	had, err := tryLock(second, true)
	return !had, err
}

// roomBeside is what a session takes beside its workspaces, and a build some more.
const roomBeside = 64 << 20

// examineRoom compares what is free with what the workspaces take, one more to
// confirm the answer in.
func examineRoom(e Examination, dir string) Finding {
	f := Finding{Check: "disk"}
	free, err := disk.Free(dir)
	if err != nil {
		f.OK, f.Saw = true, fmt.Sprintf("%s does not say what is free", dir)
		return f
	}
	n := int64(max(e.Workspaces, 1)) + 1
	need := n*e.Checkout + roomBeside
	f.OK = free >= uint64(need)
	f.Saw = fmt.Sprintf("%s free in %s; %d workspaces, one to confirm the answer in, take %s and what is built", prose.Size(int64(free)), dir, n, prose.Size(n*e.Checkout))
	if !f.OK {
		f.Do = "make room in " + dir + ", take fewer workers (-j), or another disk by --workspace-root"
	}
	return f
}

// clockLimit is how far two clocks may be apart. Builds compare times of files with
// each other, and mostly to the second.
const clockLimit = 2 * time.Second

// examineClock compares the times that files get with this machine's.
func examineClock(dir string) Finding {
	f := Finding{Check: "clock"}
	before := time.Now()
	at, err := timeOfFile(dir)
	after := time.Now()
	if err != nil {
		f.Saw, f.Do = fmt.Sprintf("a file in %s has no time: %v", dir, cause(err)), "name another directory"
		return f
	}
	switch off := max(before.Sub(at), at.Sub(after)); {
	case off > clockLimit:
		f.Saw = fmt.Sprintf("the file system of %s is %s from this machine's clock", dir, off.Round(time.Second))
		f.Do = "set the clocks (NTP): builds that go by the times of files take old ones for new"
	default:
		f.OK, f.Saw = true, "files get this machine's time, "+after.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	return f
}

// timeOfFile is the time that a file gets which is written now.
func timeOfFile(dir string) (time.Time, error) {
	file, err := os.CreateTemp(dir, ".doctor-")
	if err != nil {
		return time.Time{}, err
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString("text\n")
	if err := errors.Join(err, file.Close()); err != nil {
		return time.Time{}, err
	}
	info, err := os.Stat(file.Name())
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// examineProcesses runs a command that leaves a process behind, under a supervisor.
func examineProcesses(ctx context.Context) []Finding {
	var k process.Runner
	defer k.Close()
	f := Finding{Check: "processes"}
	x, err := k.Run(ctx, process.Command{Argv: []string{shellProgram(), "-c", "sleep 600 & exit 3"}, Dir: os.TempDir(), Timeout: time.Minute})
	switch {
	case err != nil:
		f.Saw, f.Do = err.Error(), "let gitdd start itself again: it runs each command under a process of its own"
	case !x.Started:
		f.Saw, f.Do = "there is no shell: "+x.Error, "put sh on PATH: --build, --setup and other command lines need it"
	case x.Code != 3:
		f.Saw, f.Do = fmt.Sprintf("a command that ends with 3 ended with %d", x.Code), "look what ends processes on this machine"
	case x.Leftovers == 0:
		f.Saw, f.Do = "what a command leaves running is not found", "take care that the command ends all that it starts"
	default:
		f.OK, f.Saw = true, "what a command leaves running is found and ended"
		if runtime.GOOS != "linux" && runtime.GOOS != "windows" {
			f.Saw += ", but for daemons that leave its process group"
		}
	}
	return []Finding{f, examineMemory()}
}

// examineMemory says whether trials can be kept from taking all of it.
func examineMemory() Finding {
	f := Finding{Check: "memory", OK: true}
	if runtime.GOOS != "linux" {
		f.Saw = "no limit can be kept on this system: --max-memory is refused"
		return f
	}
	if !process.SeesMemory() {
		return Finding{Check: "memory", Saw: "/proc does not tell what processes take: --max-memory would end nothing", Do: "mount /proc"}
	}
	f.Saw = "what trials take is seen: --max-memory can be kept"
	if free := freeMemory(); free > 0 {
		f.Saw = prose.Size(free) + " free; " + f.Saw
	}
	return f
}
