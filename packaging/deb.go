package main

import (
	"bytes"
	"compress/gzip"
	"debug/elf"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const maintainer = "The gitdd authors <gitdd@users.noreply.github.com>"

const description = `isolate the changes that broke a test
 gitdd takes the difference of a passing and a failing revision, cuts it into
 changes, groups them by file and identifier, and searches their subsets by
 delta debugging until the changes that break the test stand alone. It bisects
 the commits first and goes on where git bisect stops: one huge commit, a
 squashed merge, revisions that do not build, changes that only break things
 together. It minimises failing inputs, too.
`

// deb makes the Debian package of this machine's architecture. It holds binary, if that is not "", else a gitdd that is built here:
// with cgo, so with all parsers.
func (r release) deb(binary string) error {
	scratch, err := os.MkdirTemp("", "gitdd-deb")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if binary == "" {
		if _, err := r.build(host, scratch, settings(host, true), "-buildmode=pie"); err != nil {
			return err
		}
		binary = filepath.Join(scratch, "gitdd-"+strings.ReplaceAll(host, "/", "-"))
	}
	gitdd := filepath.Join(scratch, "gitdd") // by this name it is gitdd
	content, err := os.ReadFile(binary)
	if err == nil {
		err = os.WriteFile(gitdd, content, 0o755)
	}
	if err != nil {
		return err
	}
	about, err := r.papersOf(gitdd, scratch)
	if err != nil {
		return err
	}
	manuals, err := r.manuals()
	if err != nil {
		return err
	}
	licences, err := r.licences(host)
	if err != nil {
		return err
	}
	program, err := elf.NewFile(bytes.NewReader(content))
	if err != nil {
		return fmt.Errorf("a Debian package is made on Linux: %w", err)
	}
	libc, err := neededLibc(program)
	if err != nil {
		return err
	}
	depends := []string{"git (>= 1:2.36)"}
	if libc != "" {
		depends = append(depends, "libc6 (>= "+libc+")")
	}
	files := append(installed(about, manuals),
		file{name: "usr/bin/gitdd", mode: 0o755, content: content},
		file{name: "usr/share/doc/gitdd/copyright", mode: 0o644, content: copyright(manuals, licences)},
		file{name: "usr/share/doc/gitdd/changelog.Debian.gz", mode: 0o644, content: compressed([]byte(r.debianChangelog()))})
	return r.pack(filepath.Join(scratch, "tree"), "deb", host, depends, files)
}

// installed are the manual pages, completions and documents where Debian has them.
func installed(about papers, manuals []file) []file {
	files := []file{
		{name: "usr/bin/git-dd", mode: 0o777, link: "gitdd"},
		{name: "usr/share/bash-completion/completions/gitdd", mode: 0o644, content: about.completions["bash"]["gitdd"]},
		{name: "usr/share/bash-completion/completions/git-dd", mode: 0o777, link: "gitdd"},
		{name: "usr/share/zsh/vendor-completions/_gitdd", mode: 0o644, content: about.completions["zsh"]["gitdd"]},
		{name: "usr/share/zsh/vendor-completions/_git-dd", mode: 0o644, content: about.completions["zsh"]["git-dd"]},
		{name: "usr/share/fish/vendor_completions.d/gitdd.fish", mode: 0o644, content: about.completions["fish"]["gitdd"]},
		{name: "usr/share/fish/vendor_completions.d/git-dd.fish", mode: 0o777, link: "gitdd.fish"},
	}
	for name, page := range about.pages {
		files = append(files, file{name: "usr/share/man/" + name + ".gz", mode: 0o644, content: compressed(page)})
	}
	for _, f := range manuals {
		switch f.name {
		case "LICENSE": // is the copyright file
		case "CHANGELOG.md":
			files = append(files, file{name: "usr/share/doc/gitdd/changelog.gz", mode: 0o644, content: compressed(f.content)})
		default:
			files = append(files, file{name: "usr/share/doc/gitdd/" + f.name, mode: 0o644, content: f.content})
		}
	}
	return files
}

// compressed is text as gzip -9n makes it: with no name and no time.
func compressed(text []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(text)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		panic(err) // a buffer takes all
	}
	return b.Bytes()
}

// neededLibc returns the oldest version of glibc that has all that program wants
// of it, "" if it is linked with no library.
func neededLibc(program *elf.File) (string, error) {
	symbols, err := program.DynamicSymbols()
	if errors.Is(err, elf.ErrNoSymbols) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	versions := map[string]bool{}
	for _, s := range symbols {
		if version, ok := strings.CutPrefix(s.Version, "GLIBC_"); ok && s.Section == elf.SHN_UNDEF {
			versions[version] = true
		}
	}
	return newest(slices.Collect(maps.Keys(versions))), nil
}

// newest returns the greatest of versions such as 2.34 and 2.2.5.
func newest(versions []string) string {
	best := ""
	for _, v := range versions {
		if best == "" || slices.Compare(numbers(v), numbers(best)) > 0 {
			best = v
		}
	}
	return best
}

func numbers(version string) (list []int) {
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part)
		list = append(list, n)
	}
	return list
}

// described is what git describe says: a tag with its prerelease, and the commits
// since.
var described = regexp.MustCompile(`^v?(\d+(?:\.\d+)+)(?:-([0-9A-Za-z.]+?))??(?:-(\d+)-g([0-9a-f]+))?(-dirty)?$`)

// debianVersion makes of a version one that Debian orders as it is meant: a
// prerelease before its release, commits since a tag behind it, and what has no
// tag yet before all, by its time.
func debianVersion(version string, at time.Time) string {
	m := described.FindStringSubmatch(version)
	if m == nil {
		return "0~" + at.Format("20060102.150405") + "+" + strings.NewReplacer("-", ".", "_", ".").Replace(version) + "-1"
	}
	v := m[1]
	if m[2] != "" {
		v += "~" + m[2]
	}
	if m[3] != "" {
		v += "+" + m[3] + "." + m[4]
	}
	if m[5] != "" {
		v += "+dirty"
	}
	return v + "-1"
}

func (r release) debianChangelog() string {
	return fmt.Sprintf("gitdd (%s) unstable; urgency=medium\n\n  * gitdd %s. What is new is in changelog.gz.\n\n -- %s  %s\n",
		debianVersion(r.version, r.epoch), r.version, maintainer, r.epoch.Format(time.RFC1123Z))
}

// apache is how the text of a licence begins that each Debian has.
var apache = regexp.MustCompile(`(?s)^\s*Apache License\s+Version 2\.0, January 2004\s`)

// owner is a line that says whose something is.
var owner = regexp.MustCompile(`(?m)^\s*(Copyright (?:\(c\) )?\d{4}.*)$`)

// copyright is the file that Debian wants: the licences of gitdd and of all that
// is linked into it.
func copyright(manuals []file, list []licence) []byte {
	var b bytes.Buffer
	b.WriteString("gitdd comes from https://github.com/gitdd/gitdd and is under this licence:\n\n")
	for _, f := range manuals {
		if f.name == "LICENSE" {
			b.Write(bytes.TrimSpace(f.content))
		}
	}
	b.WriteString("\n\nWhat is linked into it, or what its tables are made of, is under these:\n")
	for _, l := range list {
		fmt.Fprintf(&b, "\n%s\n%s: %s\n%s\n\n", strings.Repeat("=", 78), l.of, path.Base(l.file), strings.Repeat("=", 78))
		text := strings.ReplaceAll(string(l.text), "\r\n", "\n")
		if apache.MatchString(text) {
			for _, m := range owner.FindAllStringSubmatch(text, -1) {
				b.WriteString(m[1] + "\n")
			}
			text = "Apache License, Version 2.0: on Debian it is in\n/usr/share/common-licenses/Apache-2.0."
		}
		b.WriteString(strings.TrimRight(text, "\n \t") + "\n")
	}
	return b.Bytes()
}
