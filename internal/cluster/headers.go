package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Headers are the values of --remote-header. A session keeps K=@FILE as it is; of K=V it keeps K alone,
// because V may be a secret.
type Headers struct {
	// NotKept are the names of headers whose values were given to the command that began the
	// session, and are not kept by it.
	NotKept []string

	list  []header
	wrong error // the first invalid value: pflag's own error would repeat the value
}

// A header is one of them: it has a value, or a file that holds it.
type header struct{ name, value, file string }

// Set adds a header, given as K=V or K=@FILE, with its name in lower case. It never returns an error, because
// pflag would print the value with it: Options.Check returns the first error.
func (h *Headers) Set(text string) error {
	if err := h.add(text); err != nil && h.wrong == nil {
		h.wrong = fmt.Errorf("--remote-header: %w", err)
	}
	return nil
}

func (h *Headers) add(text string) error {
	name, value, ok := strings.Cut(text, "=")
	name = strings.ToLower(name)
	file, inFile := strings.CutPrefix(value, "@")
	one := header{name: name, value: value}
	if inFile {
		one = header{name: name, file: file}
	}
	switch {
	case !ok || name == "" || value == "" || inFile && file == "":
		return errors.New("want K=V, or K=@FILE") // the text may be a secret, as far as its own equals sign
	case strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "": // "Authorization: SECRET="
		return errors.New("what is before the equals sign is no name of a header, of letters, digits and -_. alone: want K=V, or K=@FILE")
	case strings.HasPrefix(name, "grpc-"):
		return fmt.Errorf("%s is no name of a header that can be set", name)
	case !inFile && !sendable(value):
		return fmt.Errorf("%s: a value is printable ASCII", name)
	}
	h.list = append(h.list, one)
	return nil
}

// sendable: a value can be that of a header.
func sendable(value string) bool {
	return value != "" && !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' })
}

func (h *Headers) Type() string { return "K=V" }

// String is for help alone, which shows no default.
func (h *Headers) String() string { return "" }

// Append, Replace and GetSlice make a list of the flag: of what a session may keep.
func (h *Headers) Append(text string) error { return h.Set(text) }

func (h *Headers) Replace(list []string) error {
	h.list = nil
	for _, text := range list {
		if err := h.Set(text); err != nil {
			return err
		}
	}
	return nil
}

func (h *Headers) GetSlice() []string {
	var kept []string
	for _, one := range h.list {
		if one.file != "" {
			kept = append(kept, one.name+"=@"+one.file)
		}
	}
	return kept
}

// SecretNames are the names of those whose values a session does not keep.
func (h *Headers) SecretNames() []string {
	var names []string
	for _, one := range h.list {
		if one.file == "" && !slices.Contains(names, one.name) {
			names = append(names, one.name)
		}
	}
	return names
}

// again takes those that were given once more: they are in the place of those of before.
func (h *Headers) again(more Headers) {
	given := func(name string) bool {
		return slices.ContainsFunc(more.list, func(one header) bool { return one.name == name })
	}
	h.list = slices.DeleteFunc(h.list, func(one header) bool { return given(one.name) })
	h.list = append(h.list, more.list...)
	h.NotKept = slices.DeleteFunc(h.NotKept, given)
}

// missing is an error that names what was given to the command that began the session,
// and was not given again.
func (h *Headers) missing() error {
	if len(h.NotKept) == 0 {
		return nil
	}
	var words []string
	for _, name := range h.NotKept {
		words = append(words, "--remote-header "+name+"=V")
	}
	one := "its value is"
	if len(words) > 1 {
		one = "their values are"
	}
	return fmt.Errorf("the session was begun with %s, and %s not kept: give %s again, or @FILE in the place of V",
		strings.Join(words, " "), one, map[bool]string{true: "them", false: "it"}[len(words) > 1])
}

// read returns names and values, those of files read now.
func (h *Headers) read() ([][2]string, error) {
	var all [][2]string
	for _, one := range h.list {
		if one.file == "" {
			all = append(all, [2]string{one.name, one.value})
			continue
		}
		text, err := os.ReadFile(one.file)
		if err != nil {
			return nil, fmt.Errorf("--remote-header %s: %w", one.name, err)
		}
		value := strings.TrimRight(string(text), "\r\n")
		if !sendable(value) {
			return nil, fmt.Errorf("--remote-header %s=@%s: want one line of printable ASCII in the file", one.name, one.file)
		}
		all = append(all, [2]string{one.name, value})
	}
	return all, nil
}

func (h *Headers) absolute() error {
	for i := range h.list {
		if name := &h.list[i].file; *name != "" {
			abs, err := filepath.Abs(*name)
			if err != nil {
				return err
			}
			*name = abs
		}
	}
	return nil
}
