// Command packaging makes the release archives and the packages of gitdd:
//
//	go run ./packaging archives -version v1.2.3 -into dist linux/amd64 windows/arm64
//	go run ./packaging deb -version v1.2.3 -into dist
//	go run ./packaging packages -version v1.2.3 -into dist linux/amd64
//
// The same source, SOURCE_DATE_EPOCH and Go make the same bytes, whatever the
// directory, the clock, the umask or the machine. It is a program of this module
// for go run, and no script: the zip and the tar of all systems are written by one
// piece of code, on any of them, and the rules of this module hold for it. nfpm makes the packages; make dist,
// make deb and make packages call this program.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "packaging: %v\n", err)
		os.Exit(1)
	}
}

// A release is what is packed, and where to.
type release struct {
	version string    // as gitdd version says it
	epoch   time.Time // of every file
	source  string    // the top of the source
	into    string
	nfpm    string // the program that makes packages; "" = the go command brings it
}

// targets are the systems that archives are made for, as GOOS/GOARCH.
var targets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func run(args []string) error {
	usage := errors.New("usage: packaging archives|deb|packages -version VERSION [-into DIR] [-gitdd FILE] [-nfpm FILE] [GOOS/GOARCH...]")
	if len(args) == 0 {
		return usage
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	version := flags.String("version", "", "what gitdd version says")
	into := flags.String("into", "dist", "directory for what is made")
	binary := flags.String("gitdd", "", "deb: pack this gitdd instead of building one")
	tool := flags.String("nfpm", "", "deb, packages: run this nfpm instead of bringing one")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	r, err := newRelease(".", *version, *into)
	if err != nil {
		return err
	}
	r.nfpm = *tool
	switch args[0] {
	case "archives":
		list := flags.Args()
		if len(list) == 0 {
			list = targets
		}
		return r.archives(list)
	case "packages":
		list := flags.Args()
		if len(list) == 0 {
			list = packaged
		}
		return r.packages(list)
	case "deb":
		if flags.NArg() > 0 {
			return usage
		}
		return r.deb(*binary)
	}
	return usage
}

// plain is what a version may be made of: it goes into file names.
var plain = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+_-]*$`)

func newRelease(source, version, into string) (r release, err error) {
	if !plain.MatchString(version) {
		return r, fmt.Errorf("version %q: want letters, digits, and . + _ -; make passes VERSION", version)
	}
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil || seconds < 0 {
		return r, fmt.Errorf("SOURCE_DATE_EPOCH is %q: want seconds since 1970; make takes the time of the commit", os.Getenv("SOURCE_DATE_EPOCH"))
	}
	r = release{version: version, epoch: time.Unix(seconds, 0).UTC()}
	if r.source, err = filepath.Abs(source); err != nil {
		return r, err
	}
	if r.into, err = filepath.Abs(into); err != nil {
		return r, err
	}
	return r, os.MkdirAll(r.into, 0o777)
}

// A file of a package.
type file struct {
	name    string // with slashes, relative
	mode    fs.FileMode
	content []byte
	link    string // of a symbolic link its target; then there is no content
}

// manuals are what a package has to read beside the manual pages.
func (r release) manuals() ([]file, error) {
	names := []string{"README.md", "LICENSE", "CHANGELOG.md"}
	err := fs.WalkDir(os.DirFS(r.source), "docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var files []file
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(r.source, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: name, mode: 0o644, content: text})
	}
	return files, nil
}

// write puts what was made into the directory of the release, whole or not at all.
func (r release) write(name string, content []byte) error {
	temporary := filepath.Join(r.into, "."+name)
	err := os.WriteFile(temporary, content, 0o644)
	if err == nil {
		err = os.Rename(temporary, filepath.Join(r.into, name))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(temporary))
	}
	fmt.Println(strings.TrimPrefix(filepath.Join(r.into, name), r.source+string(filepath.Separator)))
	return nil
}
