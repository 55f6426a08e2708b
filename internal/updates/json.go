package updates

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxDepth is how deep a JSON text may be.
const maxDepth = 200

// A value is a JSON value with the lines that it has.
type value struct {
	key      string  // in an object
	text     string  // of a string
	number   float64 // of a number
	children []value // of an object or array
	object   bool
	from, to int  // lines: from the one of its key, to behind its end
	end      int  // the offset behind it
	alone    bool // no other value has a part of these lines, but for what the value is in
}

// parseJSON reads a JSON text, which has to be an object. Where a key comes twice, both are children.
func parseJSON(text []byte) (*value, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	r := jsonReader{decoder: d, text: text, starts: lineStarts(text)}
	v, err := r.value(0)
	if err == nil && !v.object {
		err = errors.New("want an object")
	}
	if err == nil {
		if _, err = d.Token(); err == io.EOF {
			return &v, nil
		}
		err = cmp.Or(err, errors.New("there is more behind the end of the object"))
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	at := d.InputOffset() // of a token that is wrong
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		at = max(at, syntax.Offset-1) // of a character in one
	}
	return nil, atLine(lineAt(r.starts, max(min(int(at), len(text)-1), 0)), "%v", err)
}

type jsonReader struct {
	decoder *json.Decoder
	text    []byte
	starts  []int
}

// next returns the next token, and where it starts and ends.
func (r *jsonReader) next() (t json.Token, from, to int, err error) {
	from = int(r.decoder.InputOffset())
	t, err = r.decoder.Token()
	for from < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,:"), r.text[from]) >= 0 {
		from++
	}
	return t, from, int(r.decoder.InputOffset()), err
}

func (r *jsonReader) value(depth int) (v value, err error) {
	t, from, to, err := r.next()
	if err != nil {
		return v, err
	}
	switch t := t.(type) {
	case string:
		v.text = t
	case float64:
		v.number = t
	case json.Delim:
		if depth == maxDepth {
			return v, fmt.Errorf("more than %d levels", maxDepth)
		}
		v.object = t == '{'
		for r.decoder.More() {
			key, at := "", -1
			if v.object {
				k, from, _, err := r.next()
				if err != nil {
					return v, err
				}
				key, at = k.(string), from
			}
			child, err := r.value(depth + 1)
			if err != nil {
				return v, err
			}
			if child.key = key; at >= 0 {
				child.from = lineAt(r.starts, at)
				child.alone = r.first(at) && r.last(child.end)
			}
			v.children = append(v.children, child)
		}
		if _, _, to, err = r.next(); err != nil {
			return v, err
		}
	}
	v.from, v.to, v.end = lineAt(r.starts, from), lineAt(r.starts, to-1)+1, to
	v.alone = r.first(from) && r.last(to)
	return v, nil
}

// first reports whether only white space is before an offset on its line.
func (r *jsonReader) first(offset int) bool {
	return len(bytes.TrimSpace(r.text[r.starts[lineAt(r.starts, offset)]:offset])) == 0
}

// last reports whether only a comma and white space are behind an offset on its line.
func (r *jsonReader) last(offset int) bool {
	rest := bytes.TrimSpace(r.text[offset:r.starts[lineAt(r.starts, offset-1)+1]])
	return len(rest) == 0 || len(rest) == 1 && rest[0] == ','
}

// get returns the value at a path of keys; nil if there is none.
func (v *value) get(keys ...string) *value {
	for _, key := range keys {
		if v == nil {
			return nil
		}
		var next *value
		for i := range v.children {
			if v.object && v.children[i].key == key {
				next = &v.children[i]
			}
		}
		v = next
	}
	return v
}

// string is the text at a path; "" if there is none.
func (v *value) string(keys ...string) string {
	if v = v.get(keys...); v == nil {
		return ""
	}
	return v.text
}

// all are the children at a path.
func (v *value) all(keys ...string) []value {
	if v = v.get(keys...); v == nil {
		return nil
	}
	return v.children
}

// entry places an entry on the lines of a value. It has no lines, so that the text is refused, if it shares one
// with another value.
func (v *value) entry(e Entry) Entry {
	e.From, e.To = v.from, v.from
	if v.alone {
		e.To = v.to
	}
	return e
}

// known says why the number at a key is no version of a lock file that is known.
func (v *value) known(key string, from, to float64) error {
	n := v.get(key)
	if n == nil {
		return fmt.Errorf("it has no %s", key)
	}
	if n.number < from || n.number > to {
		return atLine(n.from, "%s %v is not known: %v to %v are", key, n.number, from, to)
	}
	return nil
}
