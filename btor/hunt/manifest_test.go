//go:build unix

package hunt

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/jsonlog"
)

var header = Header{Version: "1", Started: time.Unix(1, 0).UTC(), Command: []string{"solver", "{}"}, Settings: []string{"--timeout=1s", "-s=3"}, Generator: "; generator 1"}

func records() []Record {
	f := Failure{Class: Caught, Exit: 11, Seen: "caught signal", Line: "[x] CAUGHT SIGNAL 11 \"<\u2028>"}
	return []Record{
		{Run: &Run{Seed: 3, Answers: []Answer{Sat, Unknown}, Nodes: 20, Seconds: 0.5}},
		{Run: &Run{Seed: 1<<64 - 1, Answers: []Answer{}, Nodes: 1, Failure: &f}},
		{Reduction: &Reduction{Seed: 1<<64 - 1, Status: "reduced", Failure: &f, Nodes: 4, Shape: "-write", Minimal: true, Trials: 7, Seconds: 1}},
	}
}

// opened opens a hunt, writes some records and closes it.
func opened(t *testing.T, dir string, h Header, more ...Record) []Record {
	t.Helper()
	m, known, err := Open(dir, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range more {
		if err := m.Record(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	return known
}

func TestManifest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "hunt")
	all := records()
	if known := opened(t, dir, header, all[0]); len(known) > 0 {
		t.Errorf("known %v", known)
	}
	later := header
	later.Version, later.Started = "2", time.Now()
	if known := opened(t, dir, later, all[1:]...); !reflect.DeepEqual(known, all[:1]) {
		t.Errorf("known %v", known)
	}
	if known := opened(t, dir, header); !reflect.DeepEqual(known, all) {
		t.Errorf("known %v", known)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 || left[0].Name() != "lock" || left[1].Name() != manifestFile {
		t.Errorf("left %v, %v", left, err)
	}
}

// However a manifest is cut, all records before that are known, and the next one
// stands behind them.
func TestManifestCut(t *testing.T) {
	dir := t.TempDir()
	all := records()
	opened(t, dir, header, all...)
	name := filepath.Join(dir, manifestFile)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	first := strings.IndexByte(string(text), '\n') + 1
	for cut := first; cut < len(text); cut += 7 {
		if err := os.WriteFile(name, text[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		whole := strings.Count(string(text[:cut]), "\n") - 1
		if known := opened(t, dir, header, all[0]); len(known) != whole || whole > 0 && !reflect.DeepEqual(known, all[:whole]) {
			t.Fatalf("cut at %d: known %v", cut, known)
		}
		if known := opened(t, dir, header); len(known) != whole+1 || !reflect.DeepEqual(known[whole], all[0]) {
			t.Fatalf("cut at %d, and one more: known %v", cut, known)
		}
	}
}

func TestManifestDamaged(t *testing.T) {
	dir := t.TempDir()
	opened(t, dir, header, records()...)
	name := filepath.Join(dir, manifestFile)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ from, to, want string }{
		{`"nodes":20`, `"nodes":21`, manifestFile + ":2: damaged: checksum "},
		{`{"sum"`, `"sum"`, manifestFile + ":1: "},
		{`"run"`, `"ran"`, manifestFile + ":2: "},
		{`"format":1`, `"format":9`, "checksum"},
		{string(text[strings.IndexByte(string(text), '\n'):]), "", "the header is cut"},
	} {
		damage := strings.Replace(string(text), test.from, test.to, 1)
		if damage == string(text) {
			t.Fatalf("no %q", test.from)
		}
		if err := os.WriteFile(name, []byte(damage), 0o666); err != nil {
			t.Fatal(err)
		}
		if m, _, err := Open(dir, header); m != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q for %q: %v", test.to, test.from, err)
		}
	}
}

func TestManifestOfAnotherHunt(t *testing.T) {
	dir := t.TempDir()
	opened(t, dir, header, records()[0])
	for _, test := range []struct {
		change func(*Header)
		then   string
		now    string
	}{
		{func(h *Header) { h.Command = []string{"solver {}"} }, `["solver" "{}"]`, `["solver {}"]`},
		{func(h *Header) { h.Settings = []string{"--timeout=2s", "-s=3"} }, "--timeout=1s", "--timeout=2s"},
		{func(h *Header) { h.Settings = h.Settings[:1] }, "-s=3", "no more settings"},
		{func(h *Header) { h.Generator = "; generator 2" }, "the generator of gitdd 1", "one that makes other files"},
	} {
		h := header
		test.change(&h)
		m, _, err := Open(dir, h)
		var other *MismatchError
		if !errors.As(err, &other) || m != nil || other.Then != test.then || other.Now != test.now || !strings.Contains(err.Error(), "-o") {
			t.Errorf("%+v: %v", h, err)
		}
	}
	opened(t, dir, header) // it is not locked any more
}

// A hunt that knows nothing yet becomes another one.
func TestManifestOfNothing(t *testing.T) {
	dir := t.TempDir()
	opened(t, dir, header)
	other := header
	other.Command = []string{"resolver", "{}"}
	opened(t, dir, other, records()[0])
	if known := opened(t, dir, other); !reflect.DeepEqual(known, records()[:1]) {
		t.Errorf("known %v", known)
	}
	if _, _, err := Open(dir, header); err == nil {
		t.Error("the settings it had first are taken again")
	}
}

func TestManifestFormat(t *testing.T) {
	dir := t.TempDir()
	h := header
	h.Format = 9
	value := `{"format":9,"version":"77"}`
	text := `{"sum":"` + jsonlog.Checksum([]byte(value)) + `","header":` + value + "}\n"
	if err := os.WriteFile(filepath.Join(dir, manifestFile), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(dir, h); err == nil || !strings.Contains(err.Error(), "format 9, this gitdd reads 1: it is of gitdd 77") {
		t.Errorf("%v", err)
	}
}

// A hunt takes no directory that holds something else, and none that another one has.
func TestForeign(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.tex"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(dir, header); err == nil || !strings.Contains(err.Error(), "holds thesis.tex") {
		t.Errorf("%v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left %v", left)
	}
	// A directory of the user's may be called work, too.
	dir = t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "work", "thesis"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(dir, header); err == nil || !strings.Contains(err.Error(), "holds work/thesis") {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "work")); err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
	// That of a hunt that was killed before it had a manifest is no obstacle.
	dir = t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "work"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "work", "new-1"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	opened(t, dir, header)
	dir = t.TempDir()
	m, _, err := Open(dir, header)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(dir, header); err == nil || !strings.Contains(err.Error(), "in use by process") {
		t.Errorf("%v", err)
	}
	if err := m.Keep(3, ".btor", []byte("1 var 1\n")); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "seed-3.btor")); err != nil || string(text) != "1 var 1\n" {
		t.Errorf("%q, %v", text, err)
	}
}
