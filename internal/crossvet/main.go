// Command crossvet vets all packages of the module in this directory, and their tests, for
// systems other than this one:
//
//	go run ./internal/crossvet windows/amd64 darwin/arm64
//
// It finds what GOOS=windows go vet ./... finds, since it runs the same analyzers. The
// difference is in what both have to know of the packages that are imported: go vet
// compiles these for the system, which takes minutes when the cache of the go command is
// empty; crossvet type-checks their sources, which takes seconds. As in an archive of a
// release there is no cgo.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: crossvet GOOS/GOARCH...")
		os.Exit(2)
	}
	status := 0
	for _, target := range os.Args[1:] {
		found, err := check(target)
		if err != nil {
			fmt.Fprintf(os.Stderr, "crossvet: %s: %v\n", target, err)
		}
		if found > 0 || err != nil {
			status = 1
		}
	}
	os.Exit(status)
}

// check prints what is wrong with the packages on one system, and returns how much it found.
func check(target string) (found int, err error) {
	system, machine, ok := strings.Cut(target, "/")
	if !ok {
		return 0, errors.New("not a GOOS/GOARCH")
	}
	pkgs, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax,
		Tests: true,
		Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+machine, "CGO_ENABLED=0"),
	}, "./...")
	if err != nil {
		return 0, err
	}
	if len(pkgs) == 0 {
		return 0, errors.New("no packages")
	}
	if found = packages.PrintErrors(pkgs); found > 0 {
		return found, nil // the analyzers want packages that type-check
	}
	graph, err := checker.Analyze(vet.Suite, pkgs, nil)
	if err != nil {
		return found, err
	}
	for _, action := range graph.Roots {
		found += len(action.Diagnostics)
		if action.Err != nil {
			found++
		}
	}
	if found > 0 {
		fmt.Fprintf(os.Stderr, "%s:\n", target)
	}
	return found, graph.PrintText(os.Stderr, -1)
}
