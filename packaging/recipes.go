package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"text/template"

	_ "embed"
)

// A recipe tells another package manager how to install the archives: the text/template of a file that is written beside them.
type recipe struct{ name, text string }

//go:embed gitdd.rb.tmpl
var homebrew string

//go:embed gitdd.nix.tmpl
var nix string

var recipes = []recipe{{"gitdd.rb", homebrew}, {"gitdd.nix", nix}}

// released are the archives that recipes install. Its methods are called by templates, with a system as archives name it.
type released struct {
	version string
	sums    map[string]string // by the names of the archives
}

// Plain is the version as package managers write it.
func (r released) Plain() string { return strings.TrimPrefix(r.version, "v") }

func (r released) archive(system string) string {
	return fmt.Sprintf("gitdd-%s-%s.tar.gz", r.version, system)
}

func (r released) URL(system string) string {
	return fmt.Sprintf("https://github.com/gitdd/gitdd/releases/download/%s/%s", r.version, r.archive(system))
}

func (r released) Sum(system string) (string, error) {
	sum, ok := r.sums[r.archive(system)]
	if !ok {
		return "", fmt.Errorf("there is no archive for %s", system)
	}
	return sum, nil
}

// recipes writes the recipes, if the archives of all systems but Windows were made. sums is the text of SHA256SUMS.
func (r release) recipes(list []string, sums string) error {
	for _, target := range targets {
		if !strings.HasPrefix(target, "windows/") && !slices.Contains(list, target) {
			return nil
		}
	}
	of := released{r.version, map[string]string{}}
	for line := range strings.Lines(sums) {
		if sum, name, ok := strings.Cut(strings.TrimSpace(line), "  "); ok {
			of.sums[name] = sum
		}
	}
	for _, one := range recipes {
		t, err := template.New(one.name).Parse(one.text)
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := t.Execute(&text, of); err != nil {
			return err
		}
		if err := r.write(one.name, text.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
