package measure

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"github.com/gitdd/gitdd/internal/prose"
)

// pointedAt reads the number in a JSON text that a JSON pointer (RFC 6901) leads to. It holds no more of the text than
// its longest string.
func pointedAt(r io.Reader, pointer []string) (float64, error) {
	d := json.NewDecoder(r)
	d.UseNumber()
	p := pointing{Decoder: d}
	value, err := p.follow(pointer)
	if err == nil && p.found != 1 {
		err = absent("the pointer leads nowhere: there is no %s", strconv.Quote(p.missing))
	}
	if err != nil {
		return 0, notRead(d, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		if err == nil {
			err = absent("there is more than one JSON value")
		}
		return 0, notRead(d, err)
	}
	return value, nil
}

// notRead is the error of a JSON text that a decoder stopped at.
func notRead(d *json.Decoder, err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return absent("it is no JSON at byte %s: %v", prose.Number(int(d.InputOffset())), syntax)
	case errors.Is(err, io.EOF) && d.InputOffset() == 0:
		return absent("it is empty")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return absent("it ends in the middle of the JSON, after %s", prose.Count(int(d.InputOffset()), "byte"))
	}
	return err
}

// A pointing follows a pointer through the tokens of a JSON text.
type pointing struct {
	*json.Decoder
	found   int    // how many values were at the pointer: an object may have a name twice
	missing string // the name or the index that was not there
}

// follow reads the next value, and returns the number that the pointer leads to from there.
func (p *pointing) follow(pointer []string) (value float64, err error) {
	token, err := p.Token()
	if err != nil {
		return 0, err
	}
	if len(pointer) == 0 {
		return p.number(token)
	}
	open, ok := token.(json.Delim)
	if !ok {
		return 0, absent("the pointer leads on at %s, which is %s", strconv.Quote(pointer[0]), typeOf(token))
	}
	there := false
	for i := 0; p.More(); i++ {
		name := strconv.Itoa(i) // which no name with a zero before it is
		if open == '{' {
			key, err := p.Token()
			if err != nil {
				return 0, err
			}
			name, _ = key.(string)
		}
		if name != pointer[0] {
			if err := p.skip(); err != nil {
				return 0, err
			}
			continue
		}
		there = true
		if value, err = p.follow(pointer[1:]); err != nil {
			return 0, err
		}
		if p.found > 1 {
			return 0, absent("%s is there twice", strconv.Quote(name))
		}
	}
	if !there {
		p.missing = pointer[0]
	}
	_, err = p.Token()
	return value, err
}

func (p *pointing) number(token json.Token) (float64, error) {
	p.found++
	text, ok := token.(json.Number)
	if !ok {
		return 0, absent("what is at the pointer is %s, and not a number", typeOf(token))
	}
	value, err := parseNumber(text.String())
	if err != nil {
		return 0, absent("%s at the pointer: %v", brief([]byte(text)), err)
	}
	return value, nil
}

// deepest bounds how deep values are nested, as package json does.
const deepest = 10_000

// skip reads one value.
func (p *pointing) skip() error {
	for depth := 0; ; {
		token, err := p.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		switch {
		case depth == 0:
			return nil
		case depth > deepest:
			return absent("it is nested more than %s deep", prose.Number(deepest))
		}
	}
}

func typeOf(token json.Token) string {
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return "an object"
		}
		return "an array"
	case string:
		return "the string " + brief([]byte(token))
	case json.Number:
		return "the number " + brief([]byte(token))
	case bool:
		return strconv.FormatBool(token)
	}
	return "null"
}

// medianOf reads the median of the one command in what hyperfine --export-json writes, in seconds. The median is not
// moved by a first run that was slow because nothing was in a cache.
func medianOf(r io.Reader) (float64, error) {
	var export struct {
		Results []struct {
			Median *json.Number `json:"median"`
		} `json:"results"`
	}
	d := json.NewDecoder(r)
	if err := d.Decode(&export); err != nil {
		if other, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return 0, absent("it is no export of hyperfine: %v", other)
		}
		return 0, notRead(d, err)
	}
	switch n := len(export.Results); {
	case n == 0:
		return 0, absent("it has no results: want what hyperfine --export-json writes")
	case n > 1:
		return 0, absent("it has the results of %s: want one", prose.Count(n, "command"))
	case export.Results[0].Median == nil:
		return 0, absent("its result has no median: want what hyperfine --export-json writes")
	}
	text := export.Results[0].Median.String()
	value, err := parseNumber(text)
	if err != nil {
		return 0, absent("its median %s: %v", brief([]byte(text)), err)
	}
	return value, nil
}
