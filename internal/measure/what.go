package measure

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// A What says which number of an execution is meant. The zero What is none.
type What struct {
	text string
	kind kind

	path       string         // of size, json and hyperfine; "-" is standard output
	pointer    []string       // of json: the reference tokens
	expression *regexp.Regexp // of regex, and of the names of go-bench; nil = any name
	unit       string         // of go-bench, as it stands behind the number
}

type kind uint8

const (
	none kind = iota
	wallTime
	cpuTime
	memory
	size
	matched
	pointed
	benchmarked
	hyperfine
	instructions
)

// kinds has a row for each number that can be had. An argument in brackets may be left out.
var kinds = []struct {
	kind                 kind
	name, argument, unit string
	about                string
}{
	{wallTime, "time", "", "s", "wall-clock time of the command"},
	{cpuTime, "cpu", "", "s", "processor time of the command and its children"},
	{memory, "memory", "", "bytes", "the most memory of the command and its children"},
	{size, "size", "PATH", "bytes", "bytes of a file or a folder after the command"},
	{matched, "regex", "RE", "", "a number in the output"},
	{pointed, "json", "FILE:POINTER", "", "a number in a JSON file"},
	{benchmarked, "go-bench", "[NAME[:UNIT]]", "ns/op", "a benchmark of Go"},
	{hyperfine, "hyperfine", "FILE", "s", "the median of a JSON export of hyperfine"},
	{instructions, "instructions", "", "instructions", "instructions in user space (Linux)"},
}

// A Kind is a number that can be had, for help and completion.
type Kind struct {
	Name     string // "size"
	Argument string // "PATH", "" = it has none; in brackets, if it may be left out
	About    string
}

// Kinds lists the numbers that can be had.
func Kinds() (list []Kind) {
	for _, k := range kinds {
		list = append(list, Kind{k.name, k.argument, k.about})
	}
	return list
}

// Parse reads what --measure names.
func Parse(text string) (What, error) {
	name, argument, given := strings.Cut(text, ":")
	for _, k := range kinds {
		if k.name != name {
			continue
		}
		w := What{text: text, kind: k.kind, unit: k.unit}
		switch {
		case k.argument == "" && given:
			return What{}, fmt.Errorf("%s takes no argument: want %s", name, name)
		case argument == "" && (given || k.argument != "") && k.kind != benchmarked, argument == "" && given:
			return What{}, fmt.Errorf("%s lacks its argument: want %s:%s", name, name, strings.TrimSuffix(strings.TrimPrefix(k.argument, "["), "]"))
		}
		if err := w.take(argument); err != nil {
			return What{}, fmt.Errorf("%s: %w", name, err)
		}
		return w, nil
	}
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return What{}, fmt.Errorf("want one of %s; see gitdd help measure", strings.Join(names, ", "))
}

// take reads the argument of a kind.
func (w *What) take(argument string) (err error) {
	switch w.kind {
	case size:
		w.path, err = local(argument)
	case matched:
		w.expression, err = regexp.Compile(argument)
	case pointed:
		w.path, w.pointer, err = parsePointed(argument)
	case hyperfine:
		w.path, err = fileOf(argument)
	case benchmarked:
		expression := argument
		if name, unit, ok := cutUnit(argument); ok {
			expression, w.unit = name, unit
		}
		if expression != "" {
			w.expression, err = regexp.Compile(expression)
		}
	}
	return err
}

// cutUnit takes the unit from behind the name of a benchmark: what follows the last colon, if it is a rate.
func cutUnit(text string) (name, unit string, ok bool) {
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return text, "", false
	}
	unit = text[at+1:]
	what, per, rate := strings.Cut(unit, "/")
	return text[:at], unit, rate && what != "" && (per == "op" || per == "s")
}

// parsePointed reads FILE:POINTER. The file may have a colon in its name.
func parsePointed(text string) (file string, pointer []string, err error) {
	const want = "want json:FILE:POINTER with a JSON pointer (RFC 6901), as json:result.json:/total/mean"
	file, rest, ok := strings.Cut(text, ":/")
	if !ok {
		if file, ok = strings.CutSuffix(text, ":"); !ok {
			return "", nil, errors.New(want)
		}
	} else {
		for token := range strings.SplitSeq(rest, "/") {
			if strings.Contains(strings.NewReplacer("~0", "", "~1", "").Replace(token), "~") {
				return "", nil, fmt.Errorf("%q has a ~ without a 0 or 1 behind it: ~0 stands for ~, and ~1 for /", token)
			}
			pointer = append(pointer, strings.NewReplacer("~0", "~", "~1", "/").Replace(token))
		}
	}
	if file == "" {
		return "", nil, errors.New(want)
	}
	file, err = fileOf(file)
	return file, pointer, err
}

// fileOf is local for a file that may be standard output.
func fileOf(name string) (string, error) {
	if name == Stdout {
		return name, nil
	}
	return local(name)
}

// Stdout stands for standard output in the place of a file.
const Stdout = "-"

// local refuses the path of what lies outside of the directory that it is relative to.
func local(name string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsRune(name, 0) {
		return "", fmt.Errorf("%q: want a path below the directory of the command, relative to it", name)
	}
	return path.Clean(filepath.ToSlash(name)), nil
}

// IsZero reports whether no number is meant.
func (w What) IsZero() bool { return w.kind == none }

// String returns the text that Parse reads as w, "" for none.
func (w What) String() string { return w.text }

// Unit is the unit of the number, as far as it is known before there is one: "s", "bytes", "instructions", what stands
// behind the number of a benchmark, or "".
func (w What) Unit() string { return w.unit }

// Deterministic reports whether equal files give equal numbers by the nature of what is measured, so that repeating a
// trial tells nothing.
func (w What) Deterministic() bool { return w.kind == size }

// Clock reports whether the number depends on what else the machine does: such trials must not run side by side.
func (w What) Clock() bool {
	switch w.kind {
	case wallTime, cpuTime, benchmarked, hyperfine:
		return true
	}
	return false
}

// File is the file or folder that the number is read from, relative to the directory of the command; "" if the number
// comes from somewhere else.
func (w What) File() string {
	if w.path == Stdout {
		return ""
	}
	return w.path
}

// Fresh reports whether File has to be written by the command: what was there before is of an earlier trial.
func (w What) Fresh() bool { return w.File() != "" && w.kind != size }

// Machine is what the machine itself has to measure while the command runs: "time", "cpu", "memory" or "instructions";
// "" if the number is read from what the command leaves behind.
func (w What) Machine() string {
	switch w.kind {
	case wallTime, cpuTime, memory, instructions:
		return w.text
	}
	return ""
}

// Format writes a number of this kind as people read it.
func (w What) Format(value float64) string { return Format(value, w.unit) }

// LessIsBetter reports whether a smaller number is the better one, whatever the command does: a time, say. Of a number
// that is found in the output nobody knows.
func (w What) LessIsBetter() bool {
	return w.kind != none && w.kind != matched && w.kind != pointed && !strings.HasSuffix(w.unit, "/s")
}
