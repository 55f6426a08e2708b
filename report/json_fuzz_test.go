package report

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// FuzzReadJSON: a result that is read is the same when it is written and read
// again, and can be printed.
func FuzzReadJSON(f *testing.F) {
	golden, err := filepath.Glob("testdata/*.json")
	if err != nil || len(golden) == 0 {
		f.Fatal(golden, err)
	}
	for _, name := range golden {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"schema":"gitdd.result/1","cause":null,"further":[{}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ReadJSON(bytes.NewReader(text))
		if err != nil {
			return
		}
		var once, twice bytes.Buffer
		if err := JSON(&once, r); err != nil {
			t.Fatal(err)
		}
		again, err := ReadJSON(bytes.NewReader(once.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := JSON(&twice, again); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Errorf("%s\nis read and written as\n%s", once.Bytes(), twice.Bytes())
		}
		if err := Text(&once, r, TextOptions{Width: 80}); err != nil {
			t.Error(err)
		}
	})
}
