package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	_ "embed"
)

// nfpm makes the packages. The go command runs it; this module does not depend on it, because it depends on hundreds of modules.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2"

// kinds are the kinds of packages that hold the gitdd of the archives, and packaged the systems they are made for.
var (
	kinds    = []string{"rpm", "apk", "archlinux"}
	packaged = []string{"linux/amd64", "linux/arm64"}
)

//go:embed nfpm.yaml
var nfpmConfig string

// packages makes a package of each kind for each target. They hold the gitdd of the archives, which needs no library of the system.
func (r release) packages(list []string) error {
	b, err := r.begin(list, packaged)
	defer os.RemoveAll(b.scratch)
	if err != nil {
		return err
	}
	for _, target := range list {
		binary, err := b.binary(target)
		if err != nil {
			return err
		}
		licences, err := r.licences(target)
		if err != nil {
			return err
		}
		files := append(shared(b.about, b.manuals),
			file{name: "usr/bin/gitdd", mode: 0o755, content: binary},
			file{name: "usr/share/licenses/gitdd/LICENSES.txt", mode: 0o644, content: notice(r.version, licences)})
		top := filepath.Join(b.scratch, strings.ReplaceAll(target, "/", "-"))
		for _, kind := range kinds {
			if err := r.pack(top+"-"+kind, kind, target, []string{"git"}, files); err != nil {
				return err
			}
		}
	}
	return nil
}

// shared are the files of a package beside the binary, where most distributions have them.
func shared(about papers, manuals []file) []file {
	var files []file
	for _, f := range installed(about, nil) {
		f.name = strings.Replace(f.name, "zsh/vendor-completions", "zsh/site-functions", 1) // the other name is Debian's
		files = append(files, f)
	}
	for _, f := range manuals {
		dir := "usr/share/doc/gitdd/"
		if f.name == "LICENSE" {
			dir = "usr/share/licenses/gitdd/"
		}
		f.name = dir + f.name
		files = append(files, f)
	}
	return files
}

// pack makes one package of files, which it writes below top.
func (r release) pack(top, kind, target string, depends []string, files []file) error {
	if err := r.place(top, files); err != nil {
		return err
	}
	type entry struct {
		Name, Link, Mode string
	}
	var entries []entry
	for _, f := range files {
		entries = append(entries, entry{f.name, f.link, fmt.Sprintf("0%o", f.mode.Perm())})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.Name, b.Name) })
	var config strings.Builder
	err := template.Must(template.New("").Parse(nfpmConfig)).Execute(&config, map[string]any{
		"Kind": kind, "Arch": strings.TrimPrefix(target, "linux/"), "Depends": depends, "Files": entries, "Top": top,
		"Version": r.version, "DebianVersion": debianVersion(r.version, r.epoch), "Time": r.epoch.UTC().Format(time.RFC3339),
		"Maintainer": maintainer, "Description": description,
	})
	if err != nil {
		return err
	}
	name := top + ".yaml"
	if err := os.WriteFile(name, []byte(config.String()), 0o644); err != nil {
		return err
	}
	argv := []string{"go", "run", nfpm}
	if r.nfpm != "" {
		argv = []string{r.nfpm}
	}
	env := []string{"SOURCE_DATE_EPOCH=" + strconv.FormatInt(r.epoch.Unix(), 10), "GOFLAGS=-mod=mod"}
	into := top + "-made"
	if err := os.Mkdir(into, 0o755); err != nil {
		return err
	}
	if _, err := r.command(env, append(argv, "package", "--config", name, "--packager", kind, "--target", into)...); err != nil {
		return err
	}
	made, err := filepath.Glob(filepath.Join(into, "*"))
	if err != nil || len(made) != 1 {
		return errors.Join(err, fmt.Errorf("nfpm made %d packages for %s", len(made), kind))
	}
	packed, err := os.ReadFile(made[0])
	if err == nil {
		err = r.write(filepath.Base(made[0]), packed)
	}
	return err
}

// place writes files below dir, with their modes whatever the umask, and the time
// of the release.
func (r release) place(dir string, files []file) error {
	for _, f := range ordered(".", files) {
		name := filepath.Join(dir, filepath.FromSlash(f.name))
		var err error
		switch {
		case f.mode.IsDir():
			err = os.MkdirAll(name, 0o755)
		case f.link != "":
			err = os.Symlink(f.link, name)
		default:
			err = os.WriteFile(name, f.content, 0o644)
		}
		if err == nil && f.link == "" {
			err = errors.Join(os.Chmod(name, f.mode.Perm()), os.Chtimes(name, r.epoch, r.epoch))
		}
		if err != nil {
			return err
		}
	}
	return os.Chmod(dir, 0o755)
}
