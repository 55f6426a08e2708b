package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// JSON writes r indented, with a final newline. Equal results give equal
// bytes.
func JSON(w io.Writer, r Result) error {
	fillArrays(&r)
	return writeJSON(w, r)
}

// ReadJSON reads one result written by [JSON], of this or any later version:
// fields it does not know are ignored.
func ReadJSON(r io.Reader) (Result, error) {
	var res Result
	if err := readJSON(r, "result", &res, &res.Schema, Schema); err != nil {
		return Result{}, err
	}
	fillArrays(&res)
	res.Minimal = res.Minimal && len(res.Unproven) == 0 // older versions left these out
	for i := range res.Further {
		f := &res.Further[i]
		f.Minimal = f.Minimal && len(f.Unproven) == 0
	}
	return res, nil
}

func writeJSON(w io.Writer, result any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // code is full of < and &
	e.SetIndent("", "  ")
	if err := e.Encode(result); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}

// readJSON reads all there is to read as one value, which says in the field at names
// that its schema is want. what is what errors call it.
func readJSON(r io.Reader, what string, value any, names *string, want string) error {
	d := json.NewDecoder(r)
	if err := d.Decode(value); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("it is empty")
		}
		return fmt.Errorf("read %s: %w", what, err)
	}
	if *names != want {
		return fmt.Errorf("read %s: it has schema %q, this gitdd reads %q", what, *names, want)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("read %s: there is more after its end", what)
	}
	return nil
}

// fillArrays makes no array null that has a place in the JSON of the struct v points to. The caller may share what that
// struct has: slices, and structs it points to, are copied where something within them may have to change.
func fillArrays(v any) { fill(reflect.ValueOf(v).Elem()) }

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for field, value := range v.Fields() {
			if isWritten(field) {
				fill(value)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() && hasArrays(v.Type().Elem()) {
			own := reflect.New(v.Type().Elem())
			own.Elem().Set(v.Elem())
			v.Set(own)
			fill(own.Elem())
		}
	case reflect.Slice:
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		if v.IsNil() {
			v.Set(own)
		} else if hasArrays(v.Type().Elem()) {
			reflect.Copy(own, v)
			v.Set(own)
			for i := range own.Len() {
				fill(own.Index(i))
			}
		}
	}
}

// isWritten reports whether a field is always there in JSON.
func isWritten(f reflect.StructField) bool {
	tag := f.Tag.Get("json")
	return tag != "" && tag != "-" && !strings.HasSuffix(tag, ",omitempty")
}

// hasArrays reports whether a value of type t may have an array in its JSON.
func hasArrays(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice:
		return true
	case reflect.Pointer:
		return hasArrays(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if isWritten(f) && hasArrays(f.Type) {
				return true
			}
		}
	}
	return false
}
