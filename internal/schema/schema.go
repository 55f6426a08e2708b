package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A Set is the schema files of a directory, by their base name ("result-1.json"). Many
// goroutines may validate by it at once.
type Set struct {
	compiling sync.Mutex // a compiler is for one goroutine at a time
	compiler  *jsonschema.Compiler
	documents map[string]map[string]any
	ids       map[string]string
}

// Load reads the schema files of a directory, which may refer to each other by name.
// Where closed, an object has none but the properties that its schema describes: what
// this gitdd writes is held to that, what later ones write is not.
func Load(dir string, closed bool) (*Set, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	s := newSet()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			err = s.add(filepath.Base(file), text, closed)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return s, nil
}

func newSet() *Set {
	s := &Set{compiler: jsonschema.NewCompiler(), documents: map[string]map[string]any{}, ids: map[string]string{}}
	s.compiler.AssertFormat()
	s.compiler.AssertContent()
	return s
}

func (s *Set) add(name string, text []byte, closed bool) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	document, ok := value.(map[string]any)
	if !ok {
		return errors.New("it is no object")
	}
	if closed {
		shut(document)
	}
	id, ok := document["$id"].(string)
	if !ok {
		id, ok = document["id"].(string) // of draft 4
	}
	if !ok {
		return errors.New("it has no id")
	}
	s.documents[name], s.ids[name] = document, id
	return s.compiler.AddResource(id, document)
}

// shut lets each object that says which properties it has have no others.
func shut(value any) {
	switch value := value.(type) {
	case map[string]any:
		if _, ok := value["properties"]; ok {
			value["additionalProperties"] = false
		}
		for _, v := range value {
			shut(v)
		}
	case []any:
		for _, v := range value {
			shut(v)
		}
	}
}

// Validate holds a JSON text to a schema of the set.
func (s *Set) Validate(name string, text []byte) error {
	id, ok := s.ids[name]
	if !ok {
		return fmt.Errorf("there is no schema %s", name)
	}
	schema, err := s.compile(id)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

func (s *Set) compile(id string) (*jsonschema.Schema, error) {
	s.compiling.Lock()
	defer s.compiling.Unlock()
	return s.compiler.Compile(id)
}

// Names returns the file of the schema that a JSON text of gitdd names, as
// "result-1.json" for "gitdd.result/1", and "" if it names none.
func Names(text []byte) string {
	var head struct {
		Schema string `json:"schema"`
	}
	if json.Unmarshal(text, &head) != nil {
		return ""
	}
	name, ok := strings.CutPrefix(head.Schema, "gitdd.")
	if !ok {
		return ""
	}
	return strings.ReplaceAll(name, "/", "-") + ".json"
}
