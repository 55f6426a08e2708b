package main

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
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

// deb makes the Debian package of this machine's architecture and returns its
// name. It holds binary, if that is not "", else a gitdd that is built here: with
// cgo, so with all parsers.
func (r release) deb(binary string) (string, error) {
	scratch, err := os.MkdirTemp("", "gitdd-deb")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	if binary == "" {
		if _, err := r.build(host, scratch, settings(host, true), "-buildmode=pie"); err != nil {
			return "", err
		}
		binary = filepath.Join(scratch, "gitdd-"+strings.ReplaceAll(host, "/", "-"))
	}
	gitdd := filepath.Join(scratch, "gitdd") // by this name it is gitdd
	content, err := os.ReadFile(binary)
	if err == nil {
		err = os.WriteFile(gitdd, content, 0o755)
	}
	if err != nil {
		return "", err
	}
	about, err := r.papersOf(gitdd, scratch)
	if err != nil {
		return "", err
	}
	manuals, err := r.manuals()
	if err != nil {
		return "", err
	}
	licences, err := r.licences(host)
	if err != nil {
		return "", err
	}
	files := append(installed(about, manuals), file{name: "usr/bin/gitdd", mode: 0o755, content: content})
	files = append(files,
		file{name: "usr/share/doc/gitdd/copyright", mode: 0o644, content: copyright(manuals, licences)},
		file{name: "usr/share/doc/gitdd/changelog.Debian.gz", mode: 0o644, content: compressed([]byte(r.debianChangelog()))})
	control, err := r.control(content, files)
	if err != nil {
		return "", err
	}
	files = append(files,
		file{name: "DEBIAN/control", mode: 0o644, content: []byte(control)},
		file{name: "DEBIAN/md5sums", mode: 0o644, content: md5sums(files)})
	tree := filepath.Join(scratch, "tree")
	if err := r.place(tree, files); err != nil {
		return "", err
	}
	name := fmt.Sprintf("gitdd_%s_%s.deb", debianVersion(r.version, r.epoch), field(control, "Architecture"))
	made := filepath.Join(scratch, name)
	// What several threads compress depends on how many there are.
	env := []string{"SOURCE_DATE_EPOCH=" + strconv.FormatInt(r.epoch.Unix(), 10), "DPKG_DEB_THREADS_MAX=1"}
	if _, err := r.command(env, "dpkg-deb", "--root-owner-group", "-Zxz", "--build", tree, made); err != nil {
		return "", err
	}
	packed, err := os.ReadFile(made)
	if err == nil {
		err = r.write(name, packed)
	}
	return filepath.Join(r.into, name), err
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

func md5sums(files []file) []byte {
	var b bytes.Buffer
	for _, f := range ordered(".", files) {
		if f.link == "" && !f.mode.IsDir() {
			fmt.Fprintf(&b, "%x  %s\n", md5.Sum(f.content), f.name)
		}
	}
	return b.Bytes()
}

// control is the description of the package with the binary and files.
func (r release) control(binary []byte, files []file) (string, error) {
	program, err := elf.NewFile(bytes.NewReader(binary))
	if err != nil {
		return "", fmt.Errorf("a Debian package is made on Linux: %w", err)
	}
	architecture := map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64", elf.EM_RISCV: "riscv64", elf.EM_386: "i386"}[program.Machine]
	if architecture == "" {
		return "", fmt.Errorf("what Debian calls %v is not known here: name it in packaging/deb.go", program.Machine)
	}
	depends := "git (>= 1:2.36)"
	libc, err := neededLibc(program)
	if err != nil {
		return "", err
	}
	if libc != "" {
		depends += ", libc6 (>= " + libc + ")"
	}
	size := 0 // in KiB, as dpkg-gencontrol counts
	for _, f := range ordered(".", files) {
		size += max(1, (len(f.content)+1023)/1024)
	}
	return fmt.Sprintf(`Package: gitdd
Version: %s
Architecture: %s
Maintainer: %s
Installed-Size: %d
Depends: %s
Suggests: bash-completion
Section: vcs
Priority: optional
Homepage: https://github.com/gitdd/gitdd
Description: %s`, debianVersion(r.version, r.epoch), architecture, maintainer, size, depends, description), nil
}

// field returns the value of a field of a control file.
func field(control, name string) string {
	_, rest, _ := strings.Cut("\n"+control, "\n"+name+": ")
	value, _, _ := strings.Cut(rest, "\n")
	return value
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
