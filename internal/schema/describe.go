package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Differences says where a schema of the set and the Go type that is written for it
// differ: a field that is not described, a description without a field, another type,
// a promise that is not kept (required, though the field may be left out), and what has
// no words. embedded are the schemas that fields of type json.RawMessage hold, by name of
// the field.
func (s *Set) Differences(name string, t reflect.Type, embedded map[string]string) []string {
	d := &differences{set: s, root: s.documents[name], embedded: embedded, seen: map[string]bool{}}
	if d.root == nil {
		return []string{"there is no schema " + name}
	}
	d.compare(strings.TrimSuffix(name, ".json"), d.root, t)
	defs, _ := d.root["$defs"].(map[string]any)
	for def := range defs {
		if !d.seen["#/$defs/"+def] {
			d.add("$defs", "%s is used nowhere", def)
		}
	}
	slices.Sort(d.list)
	return d.list
}

type differences struct {
	set      *Set
	root     map[string]any
	embedded map[string]string
	seen     map[string]bool
	list     []string
}

func (d *differences) add(place, format string, args ...any) {
	d.list = append(d.list, place+": "+fmt.Sprintf(format, args...))
}

// compare looks at the value of a type, at a place that is told.
func (d *differences) compare(place string, schema map[string]any, t reflect.Type) {
	if ref, ok := schema["$ref"].(string); ok {
		if d.set.documents[ref] != nil {
			return // whoever describes that document compares it
		}
		again := d.seen[ref]
		d.seen[ref] = true
		target := d.resolve(ref)
		if target == nil {
			d.add(place, "%s leads nowhere", ref)
			return
		}
		if !again {
			d.compare(place, target, t)
			return
		}
		// It was looked at for another field; but was it the same type?
		schema = target
		if t.Kind() == reflect.Struct {
			d.fields(place, schema, t, false)
			return
		}
	}
	if either, ok := schema["anyOf"].([]any); ok && t.Kind() == reflect.Pointer {
		d.described(place, schema)
		if len(either) != 2 || either[1].(map[string]any)["type"] != "null" {
			d.add(place, "a pointer is something or null")
			return
		}
		d.compare(place, either[0].(map[string]any), t.Elem())
		return
	}
	d.described(place, schema)
	want := ""
	if t == reflect.TypeFor[time.Time]() {
		if schema["type"] != "string" || schema["format"] != "date-time" {
			d.add(place, "a time is written as date-time")
		}
		return
	}
	switch t.Kind() {
	case reflect.String:
		want = "string"
	case reflect.Bool:
		want = "boolean"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		want = "integer"
	case reflect.Float64:
		want = "number"
	case reflect.Map, reflect.Struct:
		want = "object"
	case reflect.Slice, reflect.Array:
		want = "array"
		if t.Elem().Kind() == reflect.Uint8 {
			want = "string"
			if schema["contentEncoding"] != "base64" {
				d.add(place, "bytes are written in base64")
			}
		}
	}
	if zero, ok := reflect.Zero(t).Interface().(json.Marshaler); ok && t.Kind() != reflect.Pointer {
		if text, err := zero.MarshalJSON(); err == nil && string(text) == "null" {
			if got := fmt.Sprint(schema["type"]); got != fmt.Sprint([]string{want, "null"}) {
				d.add(place, "type %v, but %s is written as %s or null", got, t, want)
			}
			return
		}
	}
	if got := schema["type"]; got != want && !(schema["const"] != nil && got == nil) {
		d.add(place, "type %v, but %s is written as %s", got, t, want)
		return
	}
	switch {
	case want == "array":
		items, ok := schema["items"].(map[string]any)
		if !ok {
			d.add(place, "nothing is said of its items")
			return
		}
		if items["type"] == "object" || items["$ref"] != nil {
			d.compare(place+"[]", items, t.Elem())
		} else {
			d.compare(place+"[]", withWords(items), t.Elem())
		}
	case t.Kind() == reflect.Struct:
		d.fields(place, schema, t, true)
	}
}

// withWords lets simple items do without words of their own.
func withWords(items map[string]any) map[string]any {
	if items["description"] != nil {
		return items
	}
	told := map[string]any{"description": "an item"}
	maps.Copy(told, items)
	return told
}

// fields compares the properties of an object with the fields of a struct, and those
// in turn if deep.
func (d *differences) fields(place string, schema map[string]any, t reflect.Type, deep bool) {
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	known := map[string]bool{}
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue // it is not for readers of JSON
		}
		if name == "" {
			d.add(place, "field %s has no name in JSON", t.Field(i).Name)
			continue
		}
		known[name] = true
		property, ok := properties[name].(map[string]any)
		if !ok {
			d.add(place, "%s is not described", name)
			continue
		}
		if strings.Contains(options, "omitempty") && slices.Contains(required, any(name)) {
			d.add(place, "%s is required, but left out when it is empty", name)
		}
		if file, ok := d.embedded[name]; ok {
			if !refers(property, file) {
				d.add(place, "%s does not refer to %s", name, file)
			}
			continue
		}
		if deep {
			value := t.Field(i).Type
			if value.Kind() == reflect.Pointer && strings.Contains(options, "omitempty") {
				value = value.Elem() // it is never null
			}
			d.compare(place+"."+name, property, value)
		}
	}
	for name := range properties {
		if !known[name] {
			d.add(place, "%s is described, but not written", name)
		}
	}
	for _, name := range required {
		if !known[name.(string)] {
			d.add(place, "%s is required, but not written", name)
		}
	}
}

// refers reports whether a property is what a file describes, or null.
func refers(property map[string]any, file string) bool {
	if property["$ref"] == file {
		return true
	}
	either, _ := property["anyOf"].([]any)
	return len(either) == 2 && either[0].(map[string]any)["$ref"] == file
}

func (d *differences) described(place string, schema map[string]any) {
	if text, _ := schema["description"].(string); !strings.HasSuffix(text, ".") {
		if _, ok := schema["$ref"]; !ok && text != "an item" {
			d.add(place, "description %q is no sentence", text)
		}
	}
}

func (d *differences) resolve(ref string) map[string]any {
	file, name, ok := strings.Cut(ref, "#/$defs/")
	if !ok {
		return nil
	}
	root := d.root
	if file != "" {
		root = d.set.documents[file]
	}
	defs, _ := root["$defs"].(map[string]any)
	target, _ := defs[name].(map[string]any)
	return target
}

// Required are the keys that a schema promises, those of objects and of the items of
// arrays below their key ("cause.id").
func (s *Set) Required(name string) []string {
	d := &differences{set: s, root: s.documents[name]}
	var list []string
	var walk func(above string, schema map[string]any)
	walk = func(above string, schema map[string]any) {
		if either, ok := schema["anyOf"].([]any); ok {
			schema = either[0].(map[string]any)
		}
		if items, ok := schema["items"].(map[string]any); ok {
			schema = items
		}
		if ref, ok := schema["$ref"].(string); ok {
			schema = d.resolve(ref)
		}
		required, _ := schema["required"].([]any)
		properties, _ := schema["properties"].(map[string]any)
		for _, key := range required {
			path := strings.TrimPrefix(above+"."+key.(string), ".")
			list = append(list, path)
			walk(path, properties[key.(string)].(map[string]any))
		}
	}
	walk("", d.root)
	return list
}
