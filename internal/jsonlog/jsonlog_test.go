package jsonlog

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type value struct {
	N    int    `json:"n"`
	Text string `json:"text,omitempty"`
}

func lines(t *testing.T, values ...value) []byte {
	t.Helper()
	var text []byte
	for i, v := range values {
		line, err := Encode([]string{"header", "record"}[min(i, 1)], v)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, line...)
	}
	return text
}

// read returns the values of a log, with its kinds.
func read(text []byte) (kinds []string, values []string, whole int64, err error) {
	whole, err = Read(bytes.NewReader(text), func(number int, line []byte) (string, error) {
		kind, value, problem := Decode(line)
		if problem == "" && kind != []string{"header", "record"}[min(number-1, 1)] {
			problem = "of another kind" // which the checksum does not cover
		}
		if problem == "" {
			kinds, values = append(kinds, kind), append(values, string(value))
		}
		return problem, nil
	})
	return kinds, values, whole, err
}

// A log is cut, and then damaged, at every byte.
func TestReadDamaged(t *testing.T) {
	text := lines(t, value{N: 1}, value{N: 2, Text: "<&>\u2028 \"x\"\n"}, value{N: 3})
	kinds, values, whole, err := read(text)
	if err != nil || whole != int64(len(text)) || strings.Join(kinds, " ") != "header record record" || values[2] != `{"n":3}` {
		t.Fatalf("read %v %v, %d bytes of %d, error %v", kinds, values, whole, len(text), err)
	}
	first := bytes.IndexByte(text, '\n') + 1
	for cut := range len(text) {
		_, got, whole, err := read(text[:cut])
		var damage *DamageError
		if cut < first {
			if !errors.As(err, &damage) || damage.Line != 1 || damage.Problem != "the header is cut" {
				t.Errorf("cut at %d: %v", cut, err)
			}
			continue
		}
		n := bytes.Count(text[:cut], []byte("\n"))
		if err != nil || len(got) != n || whole != int64(bytes.LastIndexByte(text[:cut], '\n')+1) {
			t.Errorf("cut at %d: %d values, %d bytes, error %v", cut, len(got), whole, err)
		}
		for _, b := range []byte{'x', '\n', 0} {
			bad := bytes.Clone(text)
			if bad[cut] == b {
				continue
			}
			bad[cut] = b
			_, got, whole, err := read(bad)
			if !errors.As(err, &damage) && (whole == int64(len(bad)) || len(got) == 3) {
				t.Errorf("damaged by %q at %d: read %q", b, cut, got)
			}
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	good := string(bytes.TrimSuffix(lines(t, value{N: 1}), []byte("\n")))
	for line, want := range map[string]string{
		"":                                   "not a line of a log (EOF)",
		"[]":                                 "not a line of a log (json: ",
		good + good:                          "not one line of a log",
		`{"header":{"n":1}}`:                 "not a line of a log (want a checksum and a value)",
		`{"sum":1,"header":{"n":1}}`:         "not a line of a log (want a checksum and a value)",
		good[:len(good)-1] + `,"more":1}`:    "not a line of a log (want a checksum and a value)",
		`{"sum":"00000000","header":{}}`:     `damaged: checksum `,
		strings.Replace(good, "1}", "2}", 1): `damaged: checksum `,
	} {
		if _, _, problem := Decode([]byte(line)); !strings.HasPrefix(problem, want) {
			t.Errorf("%s: %q, want %q", line, problem, want)
		}
	}
}

// The first write that does not succeed is the last one.
func TestWriter(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w := &Writer{File: f}
	wrap := func(err error) error { return errors.Join(errors.New("wrapped"), err) }
	if err := w.Write([]byte("one\n"), nil, wrap); err != nil {
		t.Fatal(err)
	}
	full := errors.New("full")
	syncs := 0
	err = w.Write([]byte("two\n"), func(*os.File) error { syncs++; return full }, wrap)
	if !errors.Is(err, full) || !strings.HasPrefix(err.Error(), "wrapped") || syncs != 1 {
		t.Errorf("a failed sync is %v", err)
	}
	if again := w.Write([]byte("three\n"), nil, wrap); again != err {
		t.Errorf("after it: %v", again)
	}
	f.Close()
	if text, _ := os.ReadFile(name); string(text) != "one\ntwo\n" {
		t.Errorf("written is %q", text)
	}
}
