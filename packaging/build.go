package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// command runs a program in the source with the environment of this process
// and env, and returns what it printed. A failure has all that it printed: nfpm writes its errors to stdout.
func (r release) command(env []string, argv ...string) ([]byte, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = r.source
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, strings.TrimSpace(stderr.String()+string(out)))
	}
	return out, nil
}

// settings are what the go command is told, and nothing of what the user's
// environment says of compiling: the bytes would differ.
func settings(target string, cgo bool) []string {
	system, machine, _ := strings.Cut(target, "/")
	env := []string{
		"GOOS=" + system, "GOARCH=" + machine, "CGO_ENABLED=0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0",
	}
	if cgo {
		env = append(env, "CGO_ENABLED=1", "CGO_CFLAGS=-O2", "CGO_CPPFLAGS=", "CGO_CXXFLAGS=-O2", "CGO_LDFLAGS=")
	}
	return env
}

// build makes the gitdd of a target and returns it. What git says of the source
// is not put into it: a tarball of the source makes the same bytes, and the
// version has the commit where no tag names it.
func (r release) build(target, into string, env []string, flags ...string) ([]byte, error) {
	name := filepath.Join(into, "gitdd-"+strings.ReplaceAll(target, "/", "-"))
	argv := append([]string{"go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", fmt.Sprintf("-s -w -X main.version=%s -X main.epoch=%d", r.version, r.epoch.Unix())}, flags...)
	if _, err := r.command(env, append(argv, "-o", name, "./cmd/gitdd")...); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

// host is the system that this process runs on.
const host = runtime.GOOS + "/" + runtime.GOARCH

// Papers are what a gitdd says of itself.
type papers struct {
	pages       map[string][]byte            // the manual pages by their file names, as man1/gitdd.1
	completions map[string]map[string][]byte // by shell and then by command: gitdd, git-dd
}

// shells are those whose completion is packed, and whether git dd needs another
// script there than gitdd has.
var shells = map[string]bool{"bash": false, "zsh": true, "fish": false, "powershell": false}

// A build is what the archives and packages of several targets are made of.
type build struct {
	release
	scratch string // a directory of its own
	own     []byte // the gitdd of this machine, without cgo
	about   papers
	manuals []file
}

// begin builds the gitdd of this machine, and asks it for what it says of itself. It is an error if a target of the list is none of
// those that are known. The caller removes the scratch directory of the build.
func (r release) begin(list, known []string) (b build, err error) {
	for _, target := range list {
		if !slices.Contains(known, target) {
			return b, fmt.Errorf("target %q: want some of %s", target, strings.Join(known, " "))
		}
	}
	b.release = r
	if b.scratch, err = os.MkdirTemp("", "gitdd-packaging"); err != nil {
		return b, err
	}
	here := filepath.Join(b.scratch, "gitdd"+executable(host))
	if b.own, err = r.build(host, b.scratch, settings(host, false)); err == nil {
		err = os.WriteFile(here, b.own, 0o755)
	}
	if err == nil {
		b.about, err = r.papersOf(here, b.scratch)
	}
	if err == nil {
		b.manuals, err = r.manuals()
	}
	return b, err
}

// binary is the gitdd of a target, without cgo.
func (b build) binary(target string) ([]byte, error) {
	if target == host {
		return b.own, nil
	}
	return b.build(target, b.scratch, settings(target, false))
}

// papersOf asks a gitdd that runs here for its manual pages and completions.
func (r release) papersOf(gitdd, scratch string) (papers, error) {
	p := papers{pages: map[string][]byte{}, completions: map[string]map[string][]byte{}}
	env := []string{"SOURCE_DATE_EPOCH=" + fmt.Sprint(r.epoch.Unix()), "LC_ALL=C", "TZ=UTC"}
	dir := filepath.Join(scratch, "man")
	if _, err := r.command(env, gitdd, "man", dir); err != nil {
		return p, err
	}
	tree := os.DirFS(dir)
	names, err := fs.Glob(tree, "man?/*.?")
	if err != nil {
		return p, err
	}
	for _, name := range names {
		if p.pages[name], err = fs.ReadFile(tree, name); err != nil {
			return p, err
		}
	}
	// The name it is called by is how it is told whose completion is meant.
	dd := filepath.Join(scratch, "git-dd"+filepath.Ext(gitdd))
	if err := os.Link(gitdd, dd); err != nil {
		return p, err
	}
	for shell, another := range shells {
		p.completions[shell] = map[string][]byte{}
		for name, program := range map[string]string{"gitdd": gitdd, "git-dd": dd} {
			if name == "git-dd" && !another {
				continue
			}
			if p.completions[shell][name], err = r.command(env, program, "completion", shell); err != nil {
				return p, err
			}
		}
	}
	return p, nil
}
