package schema_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/schema"
)

type basket struct {
	Schema string            `json:"schema"`
	Fruit  []fruit           `json:"fruit"`
	Best   *fruit            `json:"best"`
	Weight float64           `json:"weight,omitempty"`
	Names  map[string]string `json:"names"`
	More   json.RawMessage   `json:"more"`
	Raw    []byte            `json:"raw,omitempty"`
	Since  time.Time         `json:"since"`
	Worst  *fruit            `json:"worst,omitempty"`
}

type fruit struct {
	Name string `json:"name"`
	Ripe bool   `json:"ripe"`
}

const described = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "https://example.com/basket-1.json",
  "description": "A basket.",
  "type": "object",
  "properties": {
    "schema": {"description": "Names this shape.", "const": "test.basket/1"},
    "fruit": {"description": "What is in it.", "type": "array", "items": {"$ref": "#/$defs/fruit"}},
    "best": {"description": "The best of it.", "anyOf": [{"$ref": "#/$defs/fruit"}, {"type": "null"}]},
    "weight": {"description": "In kilograms.", "type": "number"},
    "names": {"description": "Of those who eat it.", "type": "object", "additionalProperties": {"type": "string"}},
    "more": {"description": "What goes with it.", "$ref": "more-1.json"},
    "raw": {"description": "A picture.", "type": "string", "contentEncoding": "base64"},
    "since": {"description": "When it was filled.", "type": "string", "format": "date-time"},
    "worst": {"description": "The worst of it; absent if all are good.", "$ref": "#/$defs/fruit"}
  },
  "required": ["schema", "fruit"],
  "additionalProperties": true,
  "$defs": {
    "fruit": {"description": "A fruit.", "type": "object", "properties": {
      "name": {"description": "Its name.", "type": "string"},
      "ripe": {"description": "It may be eaten.", "type": "boolean"}
    }, "required": ["name"]}
  }
}`

const more = `{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.com/more-1.json", "description": "More.", "type": ["integer", "null"]}`

// load makes a set of the description with something in it replaced.
func load(t *testing.T, closed bool, replace ...string) *schema.Set {
	t.Helper()
	dir := t.TempDir()
	text := strings.NewReplacer(replace...).Replace(described)
	if len(replace) > 0 && text == described {
		t.Fatalf("nothing to replace: %q", replace)
	}
	for name, text := range map[string]string{"basket-1.json": text, "more-1.json": more} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	set, err := schema.Load(dir, closed)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestDifferences(t *testing.T) {
	tests := []struct {
		name    string
		replace []string
		want    []string
	}{
		{"none", nil, nil},
		{"not described", []string{`"ripe": {`, `"sweet": {`}, []string{"basket-1.best: ripe is not described", "basket-1.best: sweet is described, but not written",
			"basket-1.fruit[]: ripe is not described", "basket-1.fruit[]: sweet is described, but not written",
			"basket-1.worst: ripe is not described", "basket-1.worst: sweet is described, but not written"}},
		{"left out", []string{`["schema", "fruit"]`, `["schema", "weight"]`}, []string{"basket-1: weight is required, but left out when it is empty"}},
		{"required", []string{`["name"]`, `["size"]`}, []string{"basket-1.best: size is required, but not written", "basket-1.fruit[]: size is required, but not written", "basket-1.worst: size is required, but not written"}},
		{"type", []string{`"type": "boolean"`, `"type": "string"`}, []string{"basket-1.fruit[].ripe: type string, but bool is written as boolean"}},
		{"type of an array", []string{`"type": "array"`, `"type": "object"`}, []string{"basket-1.fruit: type object, but []schema_test.fruit is written as array"}},
		{"items", []string{`"items": {`, `"contains": {`}, []string{"basket-1.fruit: nothing is said of its items"}},
		{"words", []string{`Its name.`, `Its name`}, []string{`basket-1.fruit[].name: description "Its name" is no sentence`}},
		{"bytes", []string{`, "contentEncoding": "base64"`, ``}, []string{"basket-1.raw: bytes are written in base64"}},
		{"time", []string{`, "format": "date-time"`, ``}, []string{"basket-1.since: a time is written as date-time"}},
		{"pointer", []string{`{"type": "null"}`, `{"type": "string"}`}, []string{"basket-1.best: a pointer is something or null"}},
		{"nowhere", []string{`"items": {"$ref": "#/$defs/fruit"}`, `"items": {"$ref": "#/$defs/vegetable"}`}, []string{"basket-1.fruit[]: #/$defs/vegetable leads nowhere"}},
		{"other file", []string{`"$ref": "more-1.json"`, `"$ref": "basket-1.json"`}, []string{"basket-1: more does not refer to more-1.json"}},
	}
	for _, tt := range tests {
		got := load(t, false, tt.replace...).Differences("basket-1.json", reflect.TypeFor[basket](), map[string]string{"more": "more-1.json"})
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: differences (-want +got):\n%s", tt.name, diff)
		}
	}
	if got := load(t, false).Differences("other.json", reflect.TypeFor[basket](), nil); !slices.Equal(got, []string{"there is no schema other.json"}) {
		t.Errorf("of no schema: %q", got)
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		text         string
		open, closed bool // valid as published; valid if nothing else may be there
	}{
		{`{"schema": "test.basket/1", "fruit": [{"name": "fig", "ripe": true}], "best": null, "more": 3}`, true, true},
		{`{"schema": "test.basket/1", "fruit": [], "later": true}`, true, false},
		{`{"schema": "test.basket/1", "fruit": [{"name": "fig", "sort": "blue"}]}`, true, false},
		{`{"schema": "test.basket/1", "fruit": [], "names": {"a": "b"}}`, true, true},
		{`{"schema": "test.basket/2", "fruit": []}`, false, false},
		{`{"schema": "test.basket/1", "fruit": null}`, false, false},
		{`{"schema": "test.basket/1"}`, false, false},
		{`{"schema": "test.basket/1", "fruit": [], "more": "x"}`, false, false},
		{`{"schema": "test.basket/1", "fruit": [], "raw": "%"}`, false, false},
		{`{`, false, false},
	}
	open, closed := load(t, false), load(t, true)
	for _, tt := range tests {
		if err := open.Validate("basket-1.json", []byte(tt.text)); (err == nil) != tt.open {
			t.Errorf("%s: %v", tt.text, err)
		}
		if err := closed.Validate("basket-1.json", []byte(tt.text)); (err == nil) != tt.closed {
			t.Errorf("closed, %s: %v", tt.text, err)
		}
	}
	if err := open.Validate("other.json", []byte("{}")); err == nil {
		t.Error("valid by a schema that is not there")
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		`{"schema":"gitdd.result/1"}`: "result-1.json", `{"schema":"other/1"}`: "", `{"schema":3}`: "", `[1]`: "", ``: "", `{}`: "",
	} {
		if got := schema.Names([]byte(text)); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestRequired(t *testing.T) {
	want := []string{"schema", "fruit", "fruit.name"}
	if got := load(t, false).Required("basket-1.json"); !slices.Equal(got, want) {
		t.Errorf("required %q, want %q", got, want)
	}
}

// Tests that run beside each other share a set.
func TestValidateTogether(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		text := fmt.Sprintf(`{"$id": "https://example.com/%s", "type": "object", "properties": {"x": {"type": "integer"}}}`, name)
		if err := os.WriteFile(filepath.Join(dir, name+".json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	set, err := schema.Load(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			if err := set.Validate([]string{"a.json", "b.json"}[i%2], []byte(`{"x": 1}`)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
