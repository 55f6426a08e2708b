package reduce

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

var (
	zero        = []byte("0")
	emptyString = [][]byte{[]byte(`""`)}
)

// parseJSON reads one value, or several that follow each other. It is for builds
// without grammars.
func parseJSON(content []byte) (*Tree, error) {
	skip := bom(content)
	p := jsonParser{text: content, at: skip, skip: skip}
	p.decoder = json.NewDecoder(bytes.NewReader(content[skip:]))
	p.decoder.UseNumber()
	values, err := p.values()
	if err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, notParsed(content, len(content), "the text ends within a value")
		}
		// Where the token begins that is none.
		at := skip + int(p.decoder.InputOffset())
		for at < len(content) && isSpace(content[at]) {
			at++
		}
		return nil, notParsed(content, at, "%v", err)
	}
	if len(values) == 0 {
		return nil, notParsed(content, 0, "no value")
	}
	if len(values) == 1 {
		values[0].Least = zero
	}
	return wholeTree(content, values), nil
}

type jsonParser struct {
	nodes
	text     []byte
	at, skip int // what was read; where the decoder began
	decoder  *json.Decoder
}

// An open object or array.
type jsonOpen struct {
	n    *Node
	pair *Node // the member that waits for its value
}

// valued ends the member whose value ends here.
func (o *jsonOpen) valued(to int) {
	if o.pair != nil {
		o.pair.To, o.pair = to, nil
	}
}

func (p *jsonParser) values() ([]*Node, error) {
	var top []*Node
	var stack []jsonOpen
	for {
		token, err := p.decoder.Token()
		if errors.Is(err, io.EOF) {
			if len(stack) > 0 {
				return nil, io.ErrUnexpectedEOF
			}
			return top, nil
		}
		if err != nil {
			return nil, err
		}
		var in *jsonOpen
		if len(stack) > 0 {
			in = &stack[len(stack)-1]
		}
		from, to := p.begin(in), p.skip+int(p.decoder.InputOffset())
		p.at = to
		delimiter, _ := token.(json.Delim)
		if delimiter == '}' || delimiter == ']' {
			last := p.node("close", from, to)
			last.Fixed = true
			in.n.Children = append(in.n.Children, last)
			in.n.To = to
			if stack = stack[:len(stack)-1]; len(stack) > 0 {
				stack[len(stack)-1].valued(to)
			}
			continue
		}
		if in != nil && in.n.Kind == "object" && in.pair == nil {
			key := p.node("key", from, to)
			key.Fixed = true
			in.pair = p.node("pair", from, to)
			in.pair.Children = []*Node{key}
			in.n.Children = append(in.n.Children, in.pair)
			continue
		}
		n := p.node("value", from, to)
		n.Sort = "value"
		switch token.(type) {
		case string:
			n.Kind, n.Or = "string", emptyString
		case json.Delim:
			n.Kind = "array"
			if delimiter == '{' {
				n.Kind = "object"
			}
			open := p.node("open", from, to)
			open.Fixed = true
			n.Children = []*Node{open}
		}
		switch {
		case in == nil:
			top = append(top, n)
		case in.pair != nil:
			n.Least = zero
			in.pair.Children = append(in.pair.Children, n)
			if n.Children == nil {
				in.valued(to)
			}
		default:
			in.n.Children = append(in.n.Children, n)
		}
		if n.Children != nil {
			stack = append(stack, jsonOpen{n: n})
		}
	}
}

// begin returns where the next token begins: behind white space, colon and comma.
// A comma becomes a node of its own.
func (p *jsonParser) begin(in *jsonOpen) int {
	for ; ; p.at++ {
		switch p.text[p.at] {
		case ' ', '\t', '\r', '\n', ':':
		case ',':
			n := p.node("separator", p.at, p.at+1)
			n.Separator = true
			in.n.Children = append(in.n.Children, n)
		default:
			return p.at
		}
	}
}

// looksJSON: an object or array, with a key or an element where one has to be.
func looksJSON(content []byte) bool {
	text := bytes.TrimLeft(content[bom(content):], " \t\r\n")
	if len(text) == 0 {
		return false
	}
	rest := bytes.TrimLeft(text[1:], " \t\r\n")
	switch {
	case len(rest) == 0:
		return false
	case text[0] == '{':
		return rest[0] == '"' || rest[0] == '}'
	case text[0] == '[':
		return bytes.IndexByte([]byte(`"{[]-0123456789tfn`), rest[0]) >= 0 && json.Valid(content[bom(content):])
	}
	return false
}
