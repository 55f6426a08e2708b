package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/gitdd/gitdd/internal/seed"
)

var slow = flag.Bool("slow", false, "also run the sessions of documents whose scenes say that they are slow")

// top is the directory of the module, seen from the tests of this package.
const top = "../.."

// A document is a Markdown file of this module.
type document struct {
	name  string // below top
	lines []string
}

func documents(t *testing.T) []*document {
	t.Helper()
	var all []*document
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		paths, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, err := filepath.Rel(top, path)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, &document{filepath.ToSlash(name), strings.Split(string(text), "\n")})
		}
	}
	return all
}

// A session is what somebody types and sees: a fenced block of a document, below a
// comment that names its scene. A line that begins with "$ " is a command, those that
// follow are what it printed on its standard output, the last of them its exit status
// if that is not 0.
type session struct {
	scene    string
	from, to int // its lines, without the fences
}

var scenePattern = regexp.MustCompile(`^<!-- session: ([a-z0-9-]+) -->$`)

// sessions finds the sessions of a document, in order. A block with a command and no
// scene is an error: nobody would notice when it is no longer true.
func (d *document) sessions() (all []session, err error) {
	for i := 0; i < len(d.lines); i++ {
		if !strings.HasPrefix(d.lines[i], "```") {
			continue
		}
		from := i + 1
		for i++; i < len(d.lines) && !strings.HasPrefix(d.lines[i], "```"); i++ {
		}
		named := scenePattern.FindStringSubmatch(d.lines[max(0, from-2)])
		switch block := d.lines[from:min(i, len(d.lines))]; {
		case named != nil:
			all = append(all, session{named[1], from, i})
		case slices.ContainsFunc(block, func(line string) bool { return strings.HasPrefix(line, "$ ") }):
			return nil, fmt.Errorf("%s:%d: a session without a line <!-- session: SCENE --> above it", d.name, from)
		}
	}
	return all, nil
}

// TestSessions runs the sessions of the documents and compares what they show, but for
// times, memory and names of sessions. A scene is a file docs/scenes/NAME.txtar: its
// make.sh makes what the commands find, in the directory repo if it makes one. The sessions of
// one scene in one document go on in the same place. Lines of its comment:
//
//	needs: PROGRAM...  without one of these the session is not run
//	slow: WHY          it runs with -slow only (make docs)
//	env: NAME=VALUE    for the commands
//	varies: REGEXP     this may be other text on another machine
//
// make.sh ends with 125 where the scene cannot be made here.
func TestSessions(t *testing.T) {
	t.Parallel()
	for _, d := range documents(t) {
		sessions, err := d.sessions()
		if err != nil {
			t.Error(err)
		}
		var scenes []string
		for _, s := range sessions {
			if !slices.Contains(scenes, s.scene) {
				scenes = append(scenes, s.scene)
			}
		}
		t.Run(filepath.Base(d.name), func(t *testing.T) {
			var mu sync.Mutex
			shown := map[int][]string{} // by line of the session: what it shows now
			t.Cleanup(func() {
				if *update && len(shown) > 0 {
					d.rewrite(t, sessions, shown)
				}
			})
			for _, name := range scenes {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					if !*update && !seed.OneIn(t, 8) {
						t.Skip("takes long")
					}
					stage := newScene(t, name)
					for _, s := range sessions {
						if s.scene != name {
							continue
						}
						was := d.lines[s.from:s.to]
						now := stage.play(was)
						switch diff := cmp.Diff(stage.shapes(was), stage.shapes(now)); {
						case diff == "":
						case *update:
							mu.Lock()
							shown[s.from] = now
							mu.Unlock()
						default:
							t.Errorf("%s:%d shows (-) what is no longer so (+):\n%s\nMake it anew: go test ./cmd/gitdd -run 'TestSessions/%s/%s' -update -slow", d.name, s.from, diff, filepath.Base(d.name), name)
						}
					}
				})
			}
		})
	}
}

func (d *document) rewrite(t *testing.T, sessions []session, shown map[int][]string) {
	for _, s := range slices.Backward(sessions) {
		if now, ok := shown[s.from]; ok {
			d.lines = slices.Replace(d.lines, s.from, s.to, now...)
		}
	}
	if err := os.WriteFile(filepath.Join(top, d.name), []byte(strings.Join(d.lines, "\n")), 0o666); err != nil {
		t.Error(err)
	}
}

// A scene is a place where the commands of sessions run.
type scene struct {
	*field
	name   string         // the directory of the commands, in the field
	varies *regexp.Regexp // what varies from machine to machine; nil = nothing
}

func newScene(t *testing.T, name string) *scene {
	t.Helper()
	path := filepath.Join(top, "docs/scenes", name+".txtar")
	script, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{field: newField(t)}
	source, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "LC_ALL=C.UTF-8", "TZ=UTC", "TERM=xterm", "NO_COLOR=", "SOURCE="+source)
	if modules, err := exec.Command("go", "env", "GOMODCACHE").Output(); err == nil {
		s.env = append(s.env, "GOMODCACHE="+strings.TrimSpace(string(modules)))
	}
	for line := range strings.Lines(string(script.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "needs":
			for program := range strings.FieldsSeq(value) {
				if !present(program) {
					t.Skipf("%s needs %s", path, program)
				}
			}
		case "slow":
			if !*slow {
				t.Skipf("%s is slow, and there is no -slow: %s", path, value)
			}
		case "env":
			s.env = append(s.env, value)
		case "varies":
			if s.varies, err = regexp.Compile(value); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
		}
	}
	for _, file := range script.Files {
		if err := os.MkdirAll(filepath.Dir(s.path(file.Name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.path(file.Name), file.Data, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if status, said := s.shell("", 5*time.Minute, s.t.Skipf, "sh -eu make.sh 2>&1"); status == 125 && !*update {
		t.Skipf("%s cannot be made here:\n%s", path, said)
	} else if status != 0 {
		t.Fatalf("%s: make.sh ends with %d:\n%s", path, status, said)
	}
	if _, err := os.Stat(s.path("repo")); err == nil {
		s.name = "repo"
	}
	return s
}

// present says whether a program is on PATH; PROGRAM:VERSION is one whose -V says so.
func present(program string) bool {
	program, version, ok := strings.Cut(program, ":")
	if !ok {
		_, err := exec.LookPath(program)
		return err == nil
	}
	out, err := exec.Command(program, "-V").Output()
	return err == nil && strings.TrimSpace(string(out)) == version
}

// shell runs a command line and returns its exit status and what it printed on its
// standard output; late says so if that was not done in time. Errors go to the log.
func (s *scene) shell(name string, limit time.Duration, late func(format string, args ...any), command string) (status int, stdout string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir, cmd.Env = s.path(name), s.env
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		late("%s: not done after %v", command, limit)
	case errors.As(err, &exit):
		s.t.Logf("%s: %v\n%s", command, err, said.String())
	case err != nil:
		s.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// play runs the commands of a session and returns what it shows now.
func (s *scene) play(lines []string) (now []string) {
	s.t.Helper()
	for i := 0; i < len(lines); i++ {
		if !strings.HasPrefix(lines[i], "$ ") {
			continue // what a command printed when the document was made
		}
		from := i
		for i+1 < len(lines) && strings.HasSuffix(lines[i], `\`) {
			i++
		}
		command := strings.TrimPrefix(strings.Join(lines[from:i+1], "\n"), "$ ")
		status, out := s.shell(s.name, 10*time.Minute, s.t.Fatalf, command)
		now = append(now, lines[from:i+1]...)
		if out = strings.TrimRight(out, "\n"); out != "" {
			now = append(now, strings.Split(out, "\n")...)
		}
		if status != 0 {
			now = append(now, fmt.Sprintf("[exit status %d]", status))
		}
	}
	return now
}

var (
	namedSession = regexp.MustCompile(`\b\d{8}-\d{6}-[0-9a-f]{6}\b`)
	timeTaken    = regexp.MustCompile(`\b(\d[\d,]* (h|min)( \d+ (min|s))?|\d+(\.\d+)? m?s)\b`)
	memoryUsed   = regexp.MustCompile(`^used +.* of memory`)
)

// shapes is the lines of a session without what differs from run to run. A line with a
// time may go on in the next: it is longer where the machine is slow. The memory of the
// trials is shown only where one of them ran long enough to be measured.
func shapes(lines []string) (all []string) {
	for _, line := range lines {
		if last := len(all) - 1; last >= 0 && strings.HasPrefix(all[last], "trials ") && strings.HasPrefix(line, "          ") {
			all[last] += " " + strings.TrimLeft(line, " ")
		} else {
			all = append(all, line)
		}
	}
	for i, line := range all {
		line = namedSession.ReplaceAllString(line, "SESSION")
		all[i] = timeTaken.ReplaceAllString(line, "TIME")
	}
	return slices.DeleteFunc(all, memoryUsed.MatchString)
}

// shapes is the shapes of lines without what varies from machine to machine in this scene.
func (s *scene) shapes(lines []string) []string {
	all := shapes(lines)
	if s.varies != nil {
		for i, line := range all {
			all[i] = s.varies.ReplaceAllString(line, "VARIES")
		}
	}
	return all
}

func TestShapes(t *testing.T) {
	for _, slow := range []string{
		"trials    327 run, 120 cached: 49 still fail, 30 do not, 248 unresolved;\n          1 min 6 s",
		"trials    327 run, 120 cached: 49 still fail, 30 do not, 248 unresolved; 1 min\n          6 s",
	} {
		quick := []string{"trials    327 run, 120 cached: 49 still fail, 30 do not, 248 unresolved; 3.4 s", "next      gitdd log"}
		used := "used      208 MiB of memory at most in a trial, 8.3 MiB of disk"
		if got := shapes(append(strings.Split(slow, "\n"), used, quick[1])); !slices.Equal(got, shapes(quick)) {
			t.Errorf("%q is %q", slow, got)
		}
	}
	for _, row := range [][2]string{
		{"trials    14 run, 5 cached: 8 pass, 6 fail, 0 unresolved; 1 min 6 s", "trials    14 run, 5 cached: 8 pass, 6 fail, 0 unresolved; TIME"},
		{"trials    1 run; 2 h", "trials    1 run; TIME"},
		{"session   20261122-093929-853e52", "session   SESSION"},
		{"boolector  unsat  exit 20, 0 ms", "boolector  unsat  exit 20, TIME"},
		{"37 suspects in 14 runs", "37 suspects in 14 runs"},
	} {
		if got := shapes(row[:1])[0]; got != row[1] {
			t.Errorf("%q is %q, want %q", row[0], got, row[1])
		}
	}
}
