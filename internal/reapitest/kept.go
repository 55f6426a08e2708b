package reapitest

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Linked says how workers give the files of an input to an action.
type Linked int

const (
	Copies        Linked = iota // each action gets its own
	LinkedFiles                 // hard links to files that nobody may write to, as by Buildbarn and NativeLink
	LinkedFolders               // and symbolic links to such folders, where no output is below, as by Buildfarm
)

// kept is what workers have of inputs, to give it to one action after another. But for
// root, nobody may write there.
type kept struct {
	dir   string
	store *store

	mu      sync.Mutex
	entries map[string]int // of the folders, all that is below
}

// file links a file of an input to where it shall be.
func (k *kept) file(f inputFile, to string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.link(f, to)
}

func (k *kept) link(f inputFile, to string) error {
	name, mode := filepath.Join(k.dir, "files", f.digest.hash), os.FileMode(0o444)
	if f.executable {
		name, mode = name+"-x", 0o555
	}
	if _, err := os.Lstat(name); err != nil {
		content, ok := k.store.get(f.digest)
		if !ok {
			return missing([]digest{f.digest}).Err()
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := writeFile(name, content, f.executable); err != nil {
			return err
		}
		if err := os.Chmod(name, mode); err != nil {
			return err
		}
	}
	return os.Link(name, to)
}

// folders replaces the highest folders of an input by links to such as are kept, where
// they have no output below.
func (k *kept) folders(in *input, outputs []string) (*input, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	rest := &input{}
	linked := map[string]*input{}
	for _, f := range in.folders {
		if strings.Contains(f, "/") || slices.ContainsFunc(outputs, func(o string) bool { return strings.HasPrefix(o, f+"/") }) {
			continue
		}
		linked[f] = &input{}
	}
	// part is that of the input in which a path lies, and the path there.
	part := func(path string) (*input, string) {
		if first, below, _ := strings.Cut(path, "/"); linked[first] != nil {
			return linked[first], below
		}
		return rest, path
	}
	for _, f := range in.folders {
		if p, path := part(f); path != "" {
			p.folders = append(p.folders, path)
		}
	}
	for _, f := range in.files {
		p, path := part(f.path)
		p.files = append(p.files, inputFile{path, f.digest, f.executable})
	}
	for _, l := range in.links {
		p, path := part(l.path)
		p.links = append(p.links, inputLink{path, l.target})
	}
	for f, p := range linked {
		name, err := k.folder(p)
		if err != nil {
			return nil, err
		}
		rest.links = append(rest.links, inputLink{f, name})
	}
	return rest, nil
}

// folder is one that holds this.
func (k *kept) folder(in *input) (string, error) {
	name := filepath.Join(k.dir, "folders", fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%#v", *in))))
	if k.entries[name] != 0 {
		return name, nil
	}
	if err := k.fill(name, in); err != nil {
		removeAll(name)
		return "", err
	}
	k.entries[name] = entries(name)
	return name, nil
}

func (k *kept) fill(name string, in *input) error {
	for _, f := range append([]string{"."}, in.folders...) {
		if err := os.MkdirAll(filepath.Join(name, f), 0o777); err != nil {
			return err
		}
	}
	for _, f := range in.files {
		if err := k.link(f, filepath.Join(name, f.path)); err != nil {
			return err
		}
	}
	for _, l := range in.links {
		if err := os.Symlink(l.target, filepath.Join(name, l.path)); err != nil {
			return err
		}
	}
	for _, f := range append([]string{"."}, in.folders...) {
		if err := os.Chmod(filepath.Join(name, f), 0o555); err != nil {
			return err
		}
	}
	return nil
}

// entries counts what is in a folder, with itself.
func entries(dir string) int {
	n := 0
	filepath.WalkDir(dir, func(string, os.DirEntry, error) error { n++; return nil })
	return n
}

// spoiled says what actions have changed there; "" = nothing.
func (k *kept) spoiled() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	names, _ := os.ReadDir(filepath.Join(k.dir, "files"))
	for _, n := range names {
		content, err := os.ReadFile(filepath.Join(k.dir, "files", n.Name()))
		if hash := fmt.Sprintf("%x", sha256.Sum256(content)); err != nil || hash != strings.TrimSuffix(n.Name(), "-x") {
			return fmt.Sprintf("a file that workers keep became %q", content)
		}
	}
	for name, had := range k.entries {
		if n := entries(name); n != had {
			return fmt.Sprintf("a folder that workers keep had %d entries, and has %d", had, n)
		}
	}
	return ""
}
