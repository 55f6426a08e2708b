package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A licence of something that is linked into gitdd.
type licence struct {
	of   string // the module and its version, or Go itself
	file string // relative to the module
	text []byte
}

// legal is what files with licences, and with what has to be told of them, are called.
var legal = regexp.MustCompile(`(?i)^(licen[cs]es?|copying|notice|copyright|patents|unlicense)([._-].*)?$`)

// licences are those of all modules that the gitdd of a target is made of, by
// their names, and of Go. The grammars count without cgo, too: the tables of
// internal/syntax are made of them. The modules are those the go command has to
// build with, so nothing is fetched for it.
func (r release) licences(target string) ([]licence, error) {
	env := append(settings(target, true), "GOFLAGS=-mod=readonly")
	out, err := r.command(env, "go", "list", "-deps",
		"-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}\t{{$.Dir}}\t{{len $.CgoFiles}}{{end}}{{end}}", "./cmd/gitdd")
	if err != nil {
		return nil, err
	}
	found := map[string]licence{} // by the name of the file
	modules := map[string]int{}   // how many files each has
	for line := range strings.Lines(string(out)) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		fields := strings.Split(strings.TrimSpace(line), "\t")
		module, top, dir := fields[0], fields[1], fields[2]
		modules[module] += 0
		collect := func(name string) error {
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			relative, err := filepath.Rel(top, name)
			if _, known := found[name]; !known {
				modules[module]++
			}
			found[name] = licence{of: module, file: filepath.ToSlash(relative), text: text}
			return err
		}
		if err := above(dir, top, collect); err != nil {
			return nil, err
		}
		if fields[3] != "0" { // its C sources may lie anywhere below, with licences of their own
			if err := below(dir, collect); err != nil {
				return nil, err
			}
		}
	}
	for module, files := range modules {
		if files == 0 {
			return nil, fmt.Errorf("module %s has no file with its licence: look at it, and name it in packaging/licences.go", module)
		}
	}
	own, err := r.licenceOfGo()
	if err != nil {
		return nil, err
	}
	list := []licence{own}
	for _, l := range found {
		list = append(list, l)
	}
	slices.SortFunc(list[1:], func(a, b licence) int {
		return strings.Compare(a.of+"\x00"+a.file, b.of+"\x00"+b.file)
	})
	return list, nil
}

// above collects the licences in dir and in all directories up to top.
func above(dir, top string, collect func(name string) error) error {
	for {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Type().IsRegular() && legal.MatchString(e.Name()) && !strings.HasSuffix(e.Name(), ".go") {
				if err := collect(filepath.Join(dir, e.Name())); err != nil {
					return err
				}
			}
		}
		if dir == top || len(dir) <= len(top) {
			return nil
		}
		dir = filepath.Dir(dir)
	}
}

// below collects the licences in all directories below dir.
func below(dir string, collect func(name string) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() || !legal.MatchString(d.Name()) || strings.HasSuffix(d.Name(), ".go") {
			return nil
		}
		return collect(path)
	})
}

// licenceOfGo is that of the standard library and the runtime, which are linked too.
func (r release) licenceOfGo() (licence, error) {
	out, err := r.command([]string{"GOFLAGS="}, "go", "env", "GOROOT", "GOVERSION")
	if err != nil {
		return licence{}, err
	}
	root, version, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	for _, dir := range []string{root, filepath.Dir(root)} { // Homebrew keeps it above
		text, err := os.ReadFile(filepath.Join(dir, "LICENSE"))
		if err == nil {
			return licence{of: "Go, its standard library and runtime, " + strings.TrimSpace(version), file: "LICENSE", text: text}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return licence{}, err
		}
	}
	return licence{}, fmt.Errorf("no LICENSE in %s: build with a Go as go.dev has it", root)
}

// notice is the text that goes with the binary.
func notice(version string, list []licence) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "gitdd %s is under the MIT licence, see LICENSE. What is linked into it, or what\nits tables are made of, is under the licences below.\n", version)
	for _, l := range list {
		fmt.Fprintf(&b, "\n%s\n%s: %s\n%s\n\n", strings.Repeat("=", 78), l.of, l.file, strings.Repeat("=", 78))
		b.Write(bytes.TrimRight(bytes.ReplaceAll(l.text, []byte("\r\n"), []byte("\n")), "\n \t"))
		b.WriteByte('\n')
	}
	return b.Bytes()
}
