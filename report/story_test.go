package report

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// filledStory has a value other than the zero value in each field.
func filledStory() Story {
	var s Story
	n := 0
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		n++
		switch v.Kind() {
		case reflect.String:
			v.SetString("<text & " + strings.Repeat("x", n%7) + ">\n")
		case reflect.Int, reflect.Int64:
			v.SetInt(int64(n))
		case reflect.Float64:
			v.SetFloat(float64(n) / 8)
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fallthrough
		case reflect.Array:
			for i := range v.Len() {
				fill(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i))
			}
		default:
			panic(v.Kind())
		}
	}
	fill(reflect.ValueOf(&s).Elem())
	s.Schema = StorySchema
	return s
}

func TestStoryJSON(t *testing.T) {
	for name, s := range map[string]Story{"filled": filledStory(), "empty": {Schema: StorySchema}} {
		var text bytes.Buffer
		if err := StoryJSON(&text, s); err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text.Bytes(), []byte("null")) || !bytes.HasSuffix(text.Bytes(), []byte("]}\n")) {
			t.Errorf("%s: an array is null, or it does not end:\n%s", name, text.Bytes())
		}
		// The line a struct's own encoding has is that of ours, fields in their order.
		s.fillArrays()
		plain, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var compact, escaped bytes.Buffer
		if err := json.Compact(&compact, text.Bytes()); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text.Bytes())
		}
		json.HTMLEscape(&escaped, compact.Bytes())
		if escaped.String() != string(plain) {
			t.Errorf("%s: written as\n%s\nwant\n%s", name, escaped.Bytes(), plain)
		}
		read, err := ReadStory(bytes.NewReader(text.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(read, s) {
			t.Errorf("%s: read as\n%+v\nwant\n%+v", name, read, s)
		}
	}
}

func TestReadStory(t *testing.T) {
	for text, want := range map[string]string{
		``:                                "read story: it is empty",
		`{"schema": "gitdd.result/1"}`:    `read story: it has schema "gitdd.result/1", this gitdd reads "gitdd.story/1"`,
		`{"schema": "gitdd.story/1"} {}`:  "read story: there is more after its end",
		`{"schema": "gitdd.story/1", "x"`: "read story: unexpected EOF",
		`{"schema": "gitdd.story/1", "later": {"field": 1}, "trials": [{"number": 3, "later": []}]}`: "",
	} {
		s, err := ReadStory(strings.NewReader(text))
		switch {
		case want == "" && (err != nil || len(s.Trials) != 1 || s.Trials[0].Number != 3 || s.Stages == nil):
			t.Errorf("%s: read as %+v, %v", text, s, err)
		case want != "" && (err == nil || err.Error() != want):
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
