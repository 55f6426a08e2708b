package main

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gitdd/gitdd/btor/hunt"
	"github.com/gitdd/gitdd/internal/doctor"
	"github.com/gitdd/gitdd/internal/events"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/listing"
	"github.com/gitdd/gitdd/internal/schema"
	"github.com/gitdd/gitdd/report"
)

// schemas are those of docs/schema, closed: what this gitdd writes has no other fields.
var schemas = sync.OnceValues(func() (*schema.Set, error) { return schema.Load("../../docs/schema", true) })

// sarifSchemas has that of SARIF, and sees what a program writes.
var sarifSchemas = sync.OnceValues(schema.SARIF)

// A manifestLine is what the manifest of a hunt has as a line.
type manifestLine struct {
	Sum       string          `json:"sum"`
	Header    *hunt.Header    `json:"header,omitempty"`
	Run       *hunt.Run       `json:"run,omitempty"`
	Reduction *hunt.Reduction `json:"reduction,omitempty"`
}

// Each field that is written is described, and nothing else is.
func TestSchemas(t *testing.T) {
	set, err := schemas()
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]struct {
		name string
		t    reflect.Type
	}{
		"result-1.json":      {report.Schema, reflect.TypeFor[report.Result]()},
		"results-1.json":     {report.ResultsSchema, reflect.TypeFor[report.Results]()},
		"reduction-1.json":   {report.ReductionSchema, reflect.TypeFor[report.Reduction]()},
		"story-1.json":       {report.StorySchema, reflect.TypeFor[report.Story]()},
		"changes-1.json":     {listing.Schema, reflect.TypeFor[listing.List]()},
		"doctor-1.json":      {doctor.Schema, reflect.TypeFor[doctor.Report]()},
		"explanation-1.json": {forms.ExplanationSchema, reflect.TypeFor[forms.Explanation]()},
		"event-1.json":       {events.Schema, reflect.TypeFor[events.Event]()},
		"hunt-1.json":        {"", reflect.TypeFor[manifestLine]()},
	}
	embedded := map[string]string{}
	for file, it := range types {
		if file == "explanation-1.json" {
			embedded = map[string]string{"reduction": "reduction-1.json", "result": "result-1.json"}
		}
		if file == "event-1.json" {
			embedded = map[string]string{"result": "result-1.json", "results": "results-1.json"}
		}
		for _, difference := range set.Differences(file, it.t, embedded) {
			t.Error(difference)
		}
		embedded = nil
		if it.name == "" {
			continue
		}
		if got := schema.Names(fmt.Appendf(nil, `{"schema":%q}`, it.name)); got != file {
			t.Errorf("%s is described in %s, want %s", it.name, got, file)
		}
	}
	files, err := os.ReadDir("../../docs/schema")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if _, ok := types[file.Name()]; !ok {
			t.Errorf("docs/schema/%s describes nothing", file.Name())
		}
	}
}

// What was promised when a schema was published stays required.
func TestSchemasPromised(t *testing.T) {
	set, err := schemas()
	if err != nil {
		t.Fatal(err)
	}
	required := set.Required("result-1.json")
	for _, key := range strings.Fields(promised) {
		if !slices.Contains(required, key) {
			t.Errorf("%s is promised, but not required", key)
		}
	}
}

// checkSchema holds a JSON text to the schema that it names.
func checkSchema(text []byte) error {
	if name := schema.Names(text); name != "" {
		set, err := schemas()
		if err != nil {
			return err
		}
		return set.Validate(name, text)
	}
	set, err := sarifSchemas()
	if err != nil {
		return err
	}
	return set.Validate(schema.SARIFName, text)
}

var manifestPattern = regexp.MustCompile(`^\{"sum":"([0-9a-f]{8})","[a-z]+":(.*)\}\n$`)

// checkManifest holds the manifest of a hunt to its schema, but for lines that a script
// has cut or damaged.
func checkManifest(text []byte) error {
	set, err := schemas()
	if err != nil {
		return err
	}
	for line := range bytes.Lines(text) {
		m := manifestPattern.FindSubmatch(line)
		if m == nil || fmt.Sprintf("%08x", crc32.Checksum(m[2], crc32.MakeTable(crc32.Castagnoli))) != string(m[1]) {
			continue
		}
		if err := set.Validate("hunt-1.json", line); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	return nil
}

// checkEvents holds each line of a stream of events to its schema, but for a last one that is not whole.
func checkEvents(text []byte) error {
	set, err := schemas()
	if err != nil {
		return err
	}
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		if err := set.Validate("event-1.json", line); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	return nil
}

// checkSchemas holds every JSON file to its schema that a script has left of gitdd's,
// those of its sessions included.
func checkSchemas(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !slices.Contains([]string{".json", ".jsonl", ".sarif"}, filepath.Ext(path)) {
			return nil // a script may take the right to look away
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		check := checkSchema
		switch {
		case filepath.Base(path) == "manifest.jsonl":
			check = checkManifest
		case filepath.Base(path) == events.File:
			check = checkEvents
		case schema.Names(text) == "" && filepath.Ext(path) != ".sarif":
			return nil // it is the script's own, or a journal
		}
		if err := check(text); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
}

// schemaCommand checks JSON that gitdd has written; of a result of one commit with at
// least one member of the cause also the order of the keys.
func schemaCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: schema FILE...")
	}
	for _, name := range args {
		text := ts.ReadFile(name)
		if err := checkSchema([]byte(text)); err != nil {
			ts.Fatalf("%s: %v\n%s", name, err, text)
		}
		if schema.Names([]byte(text)) != "result-1.json" {
			continue
		}
		result, err := report.ReadJSON(strings.NewReader(text))
		ts.Check(err)
		if result.Commit != nil && len(result.Cause) > 0 {
			ordered(ts, text)
		}
	}
}
