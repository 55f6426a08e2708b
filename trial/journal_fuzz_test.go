package trial

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/failure"
	"github.com/gitdd/gitdd/internal/jsonlog"
	"github.com/google/go-cmp/cmp"
)

// FuzzJournal reads any bytes as a journal: an error names the file, and what is
// read is what the whole lines alone say, and all that a writer wrote.
func FuzzJournal(f *testing.F) {
	h, err := jsonlog.Encode(headerLine, header())
	if err != nil {
		f.Fatal(err)
	}
	r, err := jsonlog.Encode(recordLine, record(1))
	if err != nil {
		f.Fatal(err)
	}
	l, err := jsonlog.Encode(inferenceLine, inference{Tree: "t", Key: "k", Requires: [][2]string{{"a", "b"}}})
	if err != nil {
		f.Fatal(err)
	}
	h = bytes.Replace(h, []byte(`"format":0`), []byte(`"format":2`), 1)
	sum := []byte(jsonlog.Checksum(h[bytes.Index(h, []byte(`"header":`))+9 : len(h)-2]))
	copy(h[bytes.Index(h, []byte(`"sum":"`))+7:], sum)
	f.Add(h)
	f.Add(bytes.Join([][]byte{h, r, l}, nil))
	f.Add(bytes.Join([][]byte{h, r, l[:20]}, nil))
	f.Add(bytes.Join([][]byte{h, l[:20], r}, nil))
	f.Add(bytes.Replace(h, []byte(`"format":2`), []byte(`"format":7`), 1))
	f.Add([]byte("{\"sum\":\"00000000\",\"header\":{}}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := decodeJournal("the journal", bytes.NewReader(text))
		var damaged *journalError
		switch {
		case errors.As(err, &damaged), errors.Is(err, errVersion):
			if !strings.HasPrefix(err.Error(), "the journal:") {
				t.Errorf("%v", err)
			}
			return
		case err != nil:
			t.Fatalf("neither damage nor another version: %v", err)
		}
		if c.whole > int64(len(text)) || c.whole == 0 || text[c.whole-1] != '\n' || bytes.ContainsRune(text[c.whole:], '\n') {
			t.Fatalf("%d of %d bytes are whole lines", c.whole, len(text))
		}
		again, err := decodeJournal("the journal", bytes.NewReader(text[:c.whole]))
		if diff := cmp.Diff(c, again, cmp.AllowUnexported(entries{})); diff != "" || err != nil {
			t.Errorf("without the cut line: %v %s", err, diff)
		}
		// What was written after them is read after them, or in the place of the record of the same trial.
		next, err := decodeJournal("the journal", bytes.NewReader(append(bytes.Clone(text[:c.whole]), r...)))
		want := len(c.records)
		if !slices.ContainsFunc(c.records, func(rec Record) bool { return rec.Trial == 1 }) {
			want++
		}
		if err != nil || len(next.records) != want || !slices.ContainsFunc(next.records, func(rec Record) bool { return rec.Trial == 1 }) {
			t.Errorf("with one record more: %v", err)
		}
	})
}

// FuzzHeader: a header that is taken for one is the same when it is written and
// read again.
func FuzzHeader(f *testing.F) {
	h := header()
	h.Format = Format
	text, err := json.Marshal(h)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"format":2,"good":{"Rev":"\u0000"},"args":null}`))
	f.Add([]byte(`{"format":1,"started":"0001-01-01T00:00:00Z"}`))
	f.Fuzz(func(t *testing.T, value []byte) {
		if !json.Valid(value) {
			return
		}
		text, err := jsonlog.Encode(headerLine, json.RawMessage(value))
		if err != nil {
			return
		}
		h, what, err := decodeHeader(text)
		if what != "" || err != nil {
			return
		}
		again, err := jsonlog.Encode(headerLine, h)
		if err != nil {
			t.Fatal(err)
		}
		read, what, err := decodeHeader(again)
		if diff := cmp.Diff(h, read); diff != "" || what != "" || err != nil {
			t.Errorf("%s %v %s", what, err, diff)
		}
	})
}

// FuzzUnfinished: nothing but a temporary file of gitdd is on the list.
func FuzzUnfinished(f *testing.F) {
	f.Add([]byte("\"/a/.b.gitdd-012345\"\n\"/etc/passwd\"\nnull\n[]\n\"\\ud800.gitdd-\""))
	f.Fuzz(func(t *testing.T, list []byte) {
		for _, name := range unfinishedNames(list) {
			if !filepath.IsAbs(name) || !strings.Contains(filepath.Base(name), unfinishedMark) {
				t.Errorf("%q", name)
			}
		}
	})
}

// FuzzTrimLine: a line of output is short and valid text, whatever was printed.
func FuzzTrimLine(f *testing.F) {
	for _, seed := range []string{"", " a \n", "\xff\xfe", strings.Repeat("é", failure.LineBytes), strings.Repeat("\xff", failure.LineBytes)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got := failure.TrimLine(text)
		if len(got) > failure.LineBytes+len("...") || strings.ToValidUTF8(got, "") != got || strings.ContainsRune(strings.TrimSpace(string(text)), '\n') == false && strings.Contains(got, "\n") {
			t.Errorf("%q", got)
		}
	})
}
