package measure_test

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/measure"
)

func what(t testing.TB, text string) measure.What {
	t.Helper()
	w, err := measure.Parse(text)
	if err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	return w
}

// printed is a run that has printed this.
func printed(stdout, stderr string) measure.Run {
	open := func(text string) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	}
	return measure.Run{Outputs: [2]func() (io.ReadCloser, error){open(stdout), open(stderr)}}
}

// A reading is what comes of an output: a number, or the reason why there is none.
type reading struct {
	what, stdout, stderr string
	value                float64
	unit                 string
	absent               string // part of the reason
}

func (r reading) check(t *testing.T, run measure.Run) {
	t.Helper()
	n, err := what(t, r.what).Number(run)
	var none *measure.AbsentError
	switch {
	case r.absent == "" && err != nil:
		t.Errorf("%s of %.80q: %v", r.what, r.stdout, err)
	case r.absent == "" && (math.Abs(n.Value-r.value) > 1e-12*math.Abs(r.value) || n.Unit != r.unit):
		t.Errorf("%s of %.80q: got %v %q, want %v %q", r.what, r.stdout, n.Value, n.Unit, r.value, r.unit)
	case r.absent != "" && (!errors.As(err, &none) || !strings.Contains(none.Reason, r.absent)):
		t.Errorf("%s of %.80q: got %v (%v), want no number: %s", r.what, r.stdout, n, err, r.absent)
	}
}

func TestRegex(t *testing.T) {
	const took = `regex:took ([0-9.]+)`
	for _, r := range []reading{
		{what: took, stdout: "took 12.5\n", value: 12.5},
		{what: took, stdout: "took 12.5", value: 12.5}, // a line that does not end
		{what: took, stderr: "took 12.5\r\n", value: 12.5},
		{what: took, stdout: "\x1b[1mtook\x1b[0m \x1b[32m12.5\x1b[0m\n", value: 12.5},
		{what: took, stdout: "0%\r50%\rtook 3\r\n", value: 3},
		{what: took, stdout: "took 900ms\n", value: 900, unit: "ms"},
		{what: took, stdout: "took 900 ms, all\n", value: 900, unit: "ms"},
		{what: took, stdout: "took 900 msgs\n", value: 900},
		{what: took, stdout: "took 5 s/op\n", value: 5}, // that is another unit
		{what: took, stdout: "took \xff\n", absent: "no line of the output matches took"},
		{what: took, stdout: "", absent: "no line"},
		{what: took, stdout: "took 1\ntook 1\n", absent: `more than one match of took ([0-9.]+): "took 1" and "took 1"`},
		{what: took, stdout: "took 1 took 2\n", absent: "more than one"},
		{what: took, stdout: "took 1\n", stderr: "took 2\n", absent: "more than one"},
		{what: took, stdout: "took .\n", absent: `"." is not a number`},
		{what: took, stdout: "took 1.2.3\n", absent: `"1.2.3" is not a number`},
		{what: took, stdout: "took 14,203\n", absent: `"14" is only a part of "14,203"`},
		{what: took, stdout: "took 14'203\n", absent: "only a part"},
		{what: took, stdout: "took 14\u202f203\n", absent: "only a part"},
		{what: took, stdout: "took 1.5e-3\n", absent: `"1.5" is only a part of "1.5e-3"`},
		{what: took, stdout: "took 1:02.3\n", absent: "only a part"},
		{what: took + ":", stdout: "took 1:02.3\n", value: 1}, // the colon is meant
		{what: `regex:([0-9]+) s$`, stdout: "1.25 s\n", absent: `"25" is only a part of "1.25"`},
		{what: `regex:([0-9]+) s$`, stdout: "-25 s\n", absent: "only a part"},
		{what: `regex:([0-9]+) s$`, stdout: "14,203 s\n", absent: "only a part"},
		{what: `regex:([0-9]+) s$`, stdout: "v-25 s\n", value: 25, unit: "s"},
		{what: `regex:,([0-9]+),`, stdout: "7,250,9\n", value: 250},
		{what: `regex:^\S+$`, stdout: "1e308\n", value: 1e308},
		{what: `regex:^\S+$`, stdout: "-.5\n", value: -.5},
		{what: `regex:^\S+$`, stdout: "1e999\n", absent: "out of range"},
		{what: `regex:^\S+$`, stdout: "1e308min\n", absent: "not finite"},
		{what: `regex:^\S+$`, stdout: "NaN\n", absent: "not finite"},
		{what: `regex:^\S+$`, stdout: "-Inf\n", absent: "not finite"},
		{what: `regex:^\S+$`, stdout: "0x1p-2\n", absent: "not a number"},
		{what: `regex:^\S+$`, stdout: "1_000\n", absent: "one number or another"},
		{what: `regex:^\S+$`, stdout: "14,203\n", absent: "one number or another"},
		{what: `regex:^\S+$`, stdout: "1.250,5\n", absent: "not a number"},
		{what: `regex:^\S+$`, stdout: "3,5\n", absent: "one number or another"},
		{what: `regex:^\S+$`, stdout: "٣\n", absent: "not a number"},
		{what: `regex:^\S+$`, stdout: strings.Repeat("9", 400) + "\n", absent: "out of range"},
		{what: `regex:^.+$`, stdout: "1.2s\n", value: 1.2, unit: "s"},
		{what: `regex:^.+$`, stdout: "900 ms\n", value: 0.9, unit: "s"},
		{what: `regex:^.+$`, stdout: "1m30.5s\n", value: 90.5, unit: "s"},
		{what: `regex:^.+$`, stdout: "3 KiB\n", value: 3072, unit: "bytes"},
		{what: `regex:^.+$`, stdout: "3 apples\n", absent: `"apples" is no unit`},
		{what: `regex:a(b)?`, stdout: "a\n", absent: "took no part"},
		{what: `regex:x*`, stdout: "1\n", absent: "more than one match"},
	} {
		r.check(t, printed(r.stdout, r.stderr))
	}
}

func TestJSON(t *testing.T) {
	deep := strings.Repeat("[", 100_000)
	for _, r := range []reading{
		{what: "json:-:/a/1/b~1c~0", stdout: `{"x":[{}, {"a":1}], "a":[0,{"b/c~":2.5e1}]}` + "\n", value: 25},
		{what: "json:-:", stdout: " 7 ", value: 7},
		{what: "json:-:/", stdout: `{"":3}`, value: 3},
		{what: "json:-:/0", stdout: `{"0":3}`, value: 3},
		{what: "json:-:/a", stdout: `{"a":3,"a":3}`, absent: `"a" is there twice`},
		{what: "json:-:/a/b", stdout: `{"a":{"b":3},"a":{"b":4}}`, absent: `"b" is there twice`},
		{what: "json:-:/b", stdout: `{"a":3}`, absent: `there is no "b"`},
		{what: "json:-:/a/-", stdout: `{"a":[1]}`, absent: `there is no "-"`},
		{what: "json:-:/a/00", stdout: `{"a":[1]}`, absent: `there is no "00"`},
		{what: "json:-:/a/b", stdout: `{"a":3}`, absent: `the pointer leads on at "b", which is the number`},
		{what: "json:-:/a", stdout: `{"a":"3"}`, absent: `the string "3", and not a number`},
		{what: "json:-:/a", stdout: `{"a":{}}`, absent: "an object, and not a number"},
		{what: "json:-:/a", stdout: `{"a":null}`, absent: "null, and not"},
		{what: "json:-:/a", stdout: `{"a":1e999}`, absent: "out of range"},
		{what: "json:-:/a", stdout: `{"a":NaN}`, absent: "it is no JSON at byte"},
		{what: "json:-:/a", stdout: `{"a":1`, absent: "ends in the middle"},
		{what: "json:-:/a", stdout: `{"a":1} {"a":2}`, absent: "more than one JSON value"},
		{what: "json:-:/a", stdout: "warning: slow\n{}", absent: "it is no JSON at byte"},
		{what: "json:-:/a", stdout: "", absent: "standard output: it is empty"},
		{what: "json:-:/a", stdout: `{"b":` + deep, absent: "nested more than 10,000 deep"},
		{what: "json:-:/a", stdout: `{"a":` + deep, absent: "an array, and not"},
		{what: "hyperfine:-", stdout: `{"results":[{"command":"a","mean":2,"median":1.5,"times":[1,2]}]}`, value: 1.5, unit: "s"},
		{what: "hyperfine:-", stdout: `{"results":[{"median":1},{"median":2}]}`, absent: "the results of 2 commands: want one"},
		{what: "hyperfine:-", stdout: `{"results":[{"mean":1}]}`, absent: "no median"},
		{what: "hyperfine:-", stdout: `{"results":[{"median":1e999}]}`, absent: "out of range"},
		{what: "hyperfine:-", stdout: `{"results":[{"median":"1"}]}`, value: 1, unit: "s"},
		{what: "hyperfine:-", stdout: `{"results":[{"median":{}}]}`, absent: "no export of hyperfine"},
		{what: "hyperfine:-", stdout: `[]`, absent: "no export of hyperfine"},
		{what: "hyperfine:-", stdout: `{}`, absent: "no results"},
		{what: "hyperfine:-", stdout: `{"results":[`, absent: "ends in the middle"},
	} {
		r.check(t, printed(r.stdout, r.stderr))
	}
}

func TestGoBench(t *testing.T) {
	const two = "goos: linux\npkg: x/y\nBenchmarkParse-8 \t 1000\t 120.5 ns/op\t 48 B/op\t 2 allocs/op\r\nBenchmarkParseAll-8 \t 10\t 7 ns/op\nPASS\n"
	for _, r := range []reading{
		{what: "go-bench:^Parse$", stdout: two, value: 120.5, unit: "ns/op"},
		{what: "go-bench:^BenchmarkParse-8$", stdout: two, value: 120.5, unit: "ns/op"},
		{what: "go-bench:^Parse$:B/op", stdout: two, value: 48, unit: "B/op"},
		{what: "go-bench:^Parse$:allocs/op", stdout: two, value: 2, unit: "allocs/op"},
		{what: "go-bench:All", stdout: two, value: 7, unit: "ns/op"},
		{what: "go-bench:All:B/op", stdout: two, absent: `"BenchmarkParseAll-8" has no B/op`},
		{what: "go-bench", stdout: two, absent: "several benchmarks that match"},
		{what: "go-bench:Write", stdout: two, absent: "no result of a benchmark that matches Write"},
		{what: "go-bench", stdout: "PASS\n", absent: "go test -bench"},
		{what: "go-bench", stdout: "BenchmarkA\nBenchmarkA-2 1 3 ns/op\nBenchmarkA-2 1 1 ns/op\nBenchmarkA-2 1 9 ns/op\n", value: 3, unit: "ns/op"},
		{what: "go-bench", stdout: "BenchmarkA 1 3 ns/op\nBenchmarkA 1 4 ns/op\n", value: 3.5, unit: "ns/op"},
		{what: "go-bench", stdout: "pkg: a\nBenchmarkA 1 3 ns/op\npkg: b\nBenchmarkA 1 4 ns/op\n", absent: "several benchmarks that match"},
		{what: "go-bench", stdout: "BenchmarkA 1 3 ns/op\nBenchmarkA-2 1 4 ns/op\n", absent: "several benchmarks that match"},
		{what: "go-bench", stdout: "Benchmarks take long\nBenchmarkA 1 3 ns/op\n", value: 3, unit: "ns/op"},
		{what: "go-bench", stdout: "BenchmarkA 1 3 ns/op\nBenchmarkA 1 1e999 ns/op\n", absent: "cannot be read"},
		{what: "go-bench", stdout: "BenchmarkA 1 NaN ns/op\n", absent: "not finite"},
		{what: "go-bench", stdout: "BenchmarkA 1 1,5 ns/op\n", absent: "cannot be read"},
		{what: "go-bench", stdout: "BenchmarkA 1 3\n", absent: "cannot be read"},
		{what: "go-bench", stdout: "BenchmarkA-2 \t log of the benchmark\n  100 3 ns/op\n", absent: "no result of a benchmark"},
		{what: "go-bench:A:MB/s", stdout: "BenchmarkA 1 3 ns/op 20.5 MB/s\n", value: 20.5, unit: "MB/s"},
		{what: "go-bench:A/(?:a|b):c", stdout: "BenchmarkA/b:c-2 1 3 ns/op\n", value: 3, unit: "ns/op"},
	} {
		r.check(t, printed(r.stdout, r.stderr))
	}
}

// A repeated reads as a text that is there so often that it has left bytes.
type repeated struct {
	text     string
	at, left int
}

func (r *repeated) Read(p []byte) (n int, err error) {
	for n < len(p) && r.left > 0 {
		m := copy(p[n:min(len(p), n+r.left)], r.text[r.at:])
		n, r.left, r.at = n+m, r.left-m, (r.at+m)%len(r.text)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// An output of 100 MB takes little memory, whatever its lines are.
func TestLargeOutput(t *testing.T) {
	for _, test := range []struct{ what, text, tail, absent string }{
		{"regex:took ([0-9]+)", "nothing to see\n", "took 7\n", ""},
		{"regex:took ([0-9]+)", "0", "\ntook 7\n", ""},
		{"regex:taken ([0-9]+)", "0", "\ntook 7\n", "1 line of more than 1.0 MiB"},
		{"go-bench:^A$", "0", "\nBenchmarkA 1 7 ns/op\n", ""},
		{"go-bench:^A$", "BenchmarkB-2 1 3 ns/op 4 B/op\n", "BenchmarkA 1 7 ns/op\n", ""},
		{"json:-:/a", " ", "", "more than 64.0 MiB"},
		{"json:-:/a", "[", "", "nested more than 10,000 deep"},
		{"json:-:/a", "[1,", "", "nested more than 10,000 deep"},
		{"hyperfine:-", "[", "", "no JSON"},
	} {
		run := printed("", test.tail)
		run.Outputs[0] = func() (io.ReadCloser, error) {
			return io.NopCloser(&repeated{text: test.text, left: 100 << 20}), nil
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		n, err := what(t, test.what).Number(run)
		runtime.ReadMemStats(&after)
		switch {
		case test.absent == "" && (err != nil || n.Value != 7):
			t.Errorf("%s of %q: %v, %v", test.what, test.text, n, err)
		case test.absent != "" && (err == nil || !strings.Contains(err.Error(), test.absent)):
			t.Errorf("%s of %q: %v, %v, want %s", test.what, test.text, n, err, test.absent)
		}
		if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 40<<20 && test.text != " " {
			t.Errorf("%s of %q: the heap has grown by %d MB", test.what, test.text, grown>>20)
		}
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(dir, "secret.json")
	top := filepath.Join(dir, "top")
	for name, text := range map[string]string{
		"a.json": `{"x":5}`, "sub/a.json": `{"x":6}`, "sub/out/b": "12345", "sub/out/deep/c": "123", "sub/out/.git/d": "123456789", "../secret.json": `{"x":666}`,
	} {
		path := filepath.Join(top, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"sub/out/away": outside, "sub/link.json": "a.json", "sub/folder": "../..", "sub/abs": dir} {
		if err := os.Symlink(target, filepath.Join(top, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	run := printed("", "")
	run.Root, run.Dir = root, "sub"
	for _, r := range []reading{
		{what: "size:a.json", value: 7, unit: "bytes"},
		{what: "size:out", value: 8, unit: "bytes"},
		{what: "size:out/deep/", value: 3, unit: "bytes"},
		{what: "size:out/none", absent: "there is no out/none"},
		{what: "size:link.json", absent: "link.json is a symbolic link"},
		{what: "size:folder/secret.json", absent: "path escapes"},
		{what: "size:abs/secret.json", absent: "path escapes"},
		{what: "json:a.json:/x", value: 6},
		{what: "json:link.json:/x", absent: "no regular file"},
		{what: "json:out:/x", absent: "no regular file"},
		{what: "json:folder/secret.json:/x", absent: "path escapes"},
		{what: "json:out/away:/x", absent: "no regular file"},
		{what: "json:none:/x", absent: "there is no file none"},
		{what: "hyperfine:a.json", absent: "a.json: it has no results"},
	} {
		r.check(t, run)
	}
	if run.Before, err = root.Lstat("sub/a.json"); err != nil {
		t.Fatal(err)
	}
	reading{what: "json:a.json:/x", absent: "a.json was there before, and the command did not write it"}.check(t, run)
	reading{what: "size:a.json", value: 7, unit: "bytes"}.check(t, run) // a build may well leave it
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(top, "sub/a.json"), later, later); err != nil {
		t.Fatal(err)
	}
	reading{what: "json:a.json:/x", value: 6}.check(t, run)
	run.Root = nil
	reading{what: "json:a.json:/x", absent: "on another machine"}.check(t, run)
	reading{what: "size:a.json", absent: "on another machine"}.check(t, run)
}

func TestMachine(t *testing.T) {
	run := measure.Run{Wall: 1500 * time.Millisecond, CPU: 30 * time.Millisecond, Memory: 3 << 20, Instructions: 14203}
	for _, r := range []reading{
		{what: "time", value: 1.5, unit: "s"},
		{what: "cpu", value: 0.03, unit: "s"},
		{what: "memory", value: 3 << 20, unit: "bytes"},
		{what: "instructions", value: 14203, unit: "instructions"},
	} {
		r.check(t, run)
	}
	for _, r := range []reading{
		{what: "cpu", absent: "processor time is not known"},
		{what: "memory", absent: "memory was not seen"},
		{what: "instructions", absent: "no instructions were counted"},
	} {
		r.check(t, measure.Run{Wall: 1})
	}
}
