package updates

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

func TestRepairCommas(t *testing.T) {
	for _, c := range [][2]string{
		{`{"a": 1, "b": [true, null, -1e9], "c": {}}`, `{"a": 1, "b": [true, null, -1e9], "c": {}}`},
		{"{\n\"a\": 1\n\"b\": \"x\"\n\"c\": {}\n}\n", "{\n\"a\": 1,\n\"b\": \"x\",\n\"c\": {}\n}\n"},
		{"{\n\"a\": [1,\n2,\n],\n}\n", "{\n\"a\": [1,\n2\n]\n}\n"},
		{`[{"a": ",}"} {"b": "\"]"},]`, `[{"a": ",}"}, {"b": "\"]"}]`},
		{`"`, `"`}, {`{"a`, `{"a`}, {`"\`, `"\`}, {",", ","}, {"", ""},
	} {
		if got := repairCommas([]byte(c[0])); string(got) != c[1] {
			t.Errorf("%s: got %s, want %s", c[0], got, c[1])
		}
	}
}

// Whatever commas are missing or too many, there are then those of the value, and nothing else has changed.
func TestRepairCommasRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(seed.New(t), 1))
	var value func(depth int) any
	value = func(depth int) any {
		switch n := random.IntN(6); {
		case n == 0 || depth == 0:
			return []string{"", ",", "}", "\\\"", ": ["}[random.IntN(5)]
		case n == 1:
			return random.IntN(100)
		case n < 4:
			list := []any{}
			for range random.IntN(4) {
				list = append(list, value(depth-1))
			}
			return list
		}
		object := map[string]any{}
		for range random.IntN(4) {
			object[[]string{"a", ",", "]", "\"", "e"}[random.IntN(5)]] = value(depth - 1)
		}
		return object
	}
	for range 500 {
		want, err := json.MarshalIndent(value(5), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		var broken []byte
		for line := range bytes.Lines(want) {
			body := bytes.TrimRight(line, "\n")
			switch ends := bytes.HasSuffix(body, []byte(",")); {
			case ends && random.IntN(2) == 0:
				body = body[:len(body)-1]
			case !ends && random.IntN(2) == 0 && len(body) > 0 && body[0] == ' ' && body[len(body)-1] != '{' && body[len(body)-1] != '[':
				body = append(bytes.Clone(body), ',')
			}
			broken = append(append(broken, body...), line[len(bytes.TrimRight(line, "\n")):]...)
		}
		if got := repairCommas(broken); !bytes.Equal(got, want) {
			t.Fatalf("of\n%s\ngot\n%s\nwant\n%s", broken, got, want)
		}
		if got := repairCommas(want); !bytes.Equal(got, want) {
			t.Fatalf("%s became %s", want, got)
		}
	}
}
