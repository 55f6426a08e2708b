package reduce

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// Whatever is taken out, what is left is of its format: so says the standard
// library, or where it has no parser, our own.
func TestStaysOfItsFormat(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 4))
	for _, c := range []struct {
		format string
		text   func(*rand.Rand) string
		judge  func([]byte) error
	}{
		{"json", randomJSON, judgeJSON},
		{"xml", randomXML, judgeXML},
		{"csv", randomCSV, judgeCSV},
		{"ini", randomINI, judgeINI},
		{"smtlib", randomSexp, judgeBrackets},
		{"lisp", randomSexp, judgeBrackets},
		{"brackets", randomSexp, judgeBrackets},
	} {
		f := mustOwn(t, c.format)
		for range 60 {
			text := c.text(rng)
			if err := c.judge([]byte(text)); err != nil {
				t.Fatalf("%s: %q: %v", c.format, text, err)
			}
			tree, err := f.cut("x", []byte(text))
			if err != nil {
				t.Fatalf("%s: %q: %v", c.format, text, err)
			}
			checkTree(t, tree, []byte(text))
			elements := elementsOf(tree.Root)
			for range 6 {
				edits := Edits{}
				most := 1 + rng.IntN(4)
				for _, n := range elements {
					switch {
					case rng.IntN(5) < most:
						edits[n] = Removal(n)
					case len(n.Or) > 0 && rng.IntN(4) == 0:
						edits[n] = Edit{Text: n.Or[rng.IntN(len(n.Or))]}
					}
				}
				for _, set := range tree.Together {
					if rng.IntN(5) < most {
						for _, n := range set {
							edits[n] = Removal(n)
						}
					}
				}
				left, formed := tree.Render(edits)
				if err := c.judge(left); err != nil || !formed {
					t.Fatalf("%s: of %q is left %q: %v", c.format, text, left, err)
				}
			}
		}
	}
}

// All cells of a column go, and the others stay.
func TestColumns(t *testing.T) {
	tree, err := parseCSV([]byte("\ufeffa,b,c\r\n1,\"2,\"\"\",3\r\n\r\n4,5,"))
	if err != nil {
		t.Fatal(err)
	}
	for columns, want := range map[string]string{
		"0":   "\ufeffb,c\r\n\"2,\"\"\",3\r\n\r\n5,",
		"1":   "\ufeffa,c\r\n1,3\r\n\r\n4,",
		"2":   "\ufeffa,b\r\n1,\"2,\"\"\"\r\n\r\n4,5",
		"01":  "\ufeffc\r\n3\r\n\r\n",
		"02":  "\ufeffb\r\n\"2,\"\"\"\r\n\r\n5",
		"12":  "\ufeffa\r\n1\r\n\r\n4",
		"012": "\ufeff\r\n\r\n\r\n",
	} {
		edits := Edits{}
		for _, c := range columns {
			for _, n := range tree.Together[c-'0'] {
				edits[n] = Removal(n)
			}
		}
		if got, _ := tree.Render(edits); string(got) != want {
			t.Errorf("without columns %s: %q, not %q", columns, got, want)
		}
	}
	for _, n := range elementsOf(tree.Root) {
		if n.Kind == "value" {
			got, _ := tree.Render(Edits{n: Removal(n)})
			if want := slices.Concat(tree.Source[:n.From], tree.Source[n.To:]); !bytes.Equal(got, want) {
				t.Errorf("without %q: %q", tree.Source[n.From:n.To], got)
			}
		}
	}
}

func judgeJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var v any
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func judgeXML(text []byte) error {
	d := xml.NewDecoder(bytes.NewReader(text))
	depth, roots := 0, 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			if roots != 1 {
				return fmt.Errorf("%d elements", roots)
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch token.(type) {
		case xml.StartElement:
			if depth++; depth == 1 {
				roots++
			}
		case xml.EndElement:
			depth--
		}
	}
}

// judgeCSV wants as many cells in each row.
func judgeCSV(text []byte) error {
	_, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	return err
}

func judgeINI(text []byte) error {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != ';' && !strings.HasPrefix(line, "[") && !strings.Contains(line, "=") {
			return fmt.Errorf("the line %q", line)
		}
	}
	return nil
}

func judgeBrackets(text []byte) error {
	_, err := parseLisp(text)
	return err
}

func randomJSON(rng *rand.Rand) string {
	var value func(depth int) string
	space := func() string { return []string{"", " ", "\n\t"}[rng.IntN(3)] }
	list := func(n int, one func() string) string {
		var parts []string
		for range n {
			parts = append(parts, space()+one()+space())
		}
		return strings.Join(parts, ",")
	}
	value = func(depth int) string {
		kind := rng.IntN(7)
		if depth == 0 {
			kind = rng.IntN(5)
		}
		switch kind {
		case 0:
			return `"a\"\\]é` + "\xff" + `"`
		case 1:
			return "-1.5e+3"
		case 2:
			return "null"
		case 3:
			return "[" + space() + "]"
		case 4:
			return "{" + space() + "}"
		case 5:
			return "[" + list(1+rng.IntN(4), func() string { return value(depth - 1) }) + "]"
		}
		return "{" + list(1+rng.IntN(4), func() string { return `"k"` + space() + ":" + space() + value(depth-1) }) + "}"
	}
	return space() + list(1, func() string { return value(4) }) + space()
}

func randomXML(rng *rand.Rand) string {
	var element func(depth int) string
	element = func(depth int) string {
		var b strings.Builder
		name := []string{"a", "b-c", "d:e", "é"}[rng.IntN(4)]
		b.WriteString("<" + name)
		for i := range rng.IntN(3) {
			fmt.Fprintf(&b, "%sx%d%s", []string{" ", "\n\t"}[rng.IntN(2)], i, []string{`="&lt;1>"`, ` = 'y "z'`, `=""`}[rng.IntN(3)])
		}
		if rng.IntN(4) == 0 {
			return b.String() + []string{"/>", " />"}[rng.IntN(2)]
		}
		b.WriteString(">")
		for range rng.IntN(4) {
			switch kind := rng.IntN(6); {
			case kind < 2 && depth > 0:
				b.WriteString(element(depth - 1))
			case kind == 2:
				b.WriteString("<!-- <a> - -->")
			case kind == 3:
				b.WriteString("<![CDATA[</a>&]]]>")
			default:
				b.WriteString([]string{"word", " two &amp; three\n", "<?php >?>"}[rng.IntN(3)])
			}
		}
		return b.String() + "</" + name + ">"
	}
	return []string{"", "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n", "<!DOCTYPE a [\n<!ELEMENT a ANY> <!-- ' -->\n]>"}[rng.IntN(3)] + element(4) + "\n"
}

func randomCSV(rng *rand.Rand) string {
	var b strings.Builder
	columns := 2 + rng.IntN(4)
	end := []string{"\n", "\r\n"}[rng.IntN(2)]
	for row := range 1 + rng.IntN(6) {
		if row > 0 {
			b.WriteString(end)
		}
		for i := range columns {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString([]string{"", "a", "1.5 b", `""`, `"a,b"`, `"c ""d"""`, "\"e\nf\"", "\xff"}[rng.IntN(8)])
		}
	}
	return b.String()
}

func randomINI(rng *rand.Rand) string {
	var b strings.Builder
	for range 1 + rng.IntN(10) {
		b.WriteString([]string{"[s t]\n", "; x\n", "\n", "a=1\n", "b = c d = e\r\n", "f =\n", "h=[1, (2]\n"}[rng.IntN(7)])
	}
	return b.String() + "last = 1"
}

func randomSexp(rng *rand.Rand) string {
	var b strings.Builder
	var list func(depth int)
	list = func(depth int) {
		b.WriteString("(" + []string{"not", "and", "f", "let", "assert", "_"}[rng.IntN(6)])
		for range rng.IntN(4) {
			b.WriteString([]string{" ", "\n  ", "\t"}[rng.IntN(3)])
			switch kind := rng.IntN(5); {
			case kind < 3 && depth > 0:
				list(depth - 1)
			case kind == 3:
				b.WriteString(`"a b"`)
			default:
				b.WriteString("x1")
			}
		}
		b.WriteString(")")
	}
	for range 1 + rng.IntN(3) {
		list(4)
		b.WriteString("\n")
	}
	return b.String()
}

// Each parser takes any bytes: what it makes of them is a tree of all of them, and
// taking something out does not fail either.
func FuzzFormats(f *testing.F) {
	for _, text := range texts {
		f.Add(uint8(0), uint64(1), []byte(text))
	}
	f.Fuzz(func(t *testing.T, which uint8, out uint64, text []byte) {
		for i, format := range ownFormats() {
			if which > 0 && int(which-1)%len(ownFormats()) != i {
				continue
			}
			tree, err := format.cut("x", text)
			if err != nil {
				continue
			}
			checkTree(t, tree, text)
			edits := Edits{}
			for k, n := range elementsOf(tree.Root) {
				if out>>(k%64)&1 == 1 {
					edits[n] = Removal(n)
				}
			}
			tree.Render(edits)
		}
		guessFormat("x", text)
		if n := Tokens(text); n > len(text) {
			t.Errorf("%d tokens in %d bytes", n, len(text))
		}
	})
}
