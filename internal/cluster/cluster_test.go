package cluster

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

func headersOf(texts ...string) Headers {
	var h Headers
	for _, text := range texts {
		_ = h.Set(text) // the error is kept
	}
	return h
}

// A header that is given again takes the place of the one before, with its value.
func TestRenewHeaders(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{Remote: "grpcs://farm:443", Headers: headersOf("Authorization=@token")}
	o.Headers.NotKept = []string{"x-api-key"}
	if err := o.Renew(Options{Headers: headersOf("X-API-Key=new", "authorization=@"+file)}); err != nil {
		t.Fatal(err)
	}
	got, err := o.Headers.read()
	if want := [][2]string{{"x-api-key", "new"}, {"authorization", "from a file"}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q and %v are sent, want %q", got, err, want)
	}
}

// Errors name the header, and never have its value.
func TestHeaderErrors(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("secret\x01"), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"a=@" + file: "want one line of printable ASCII in the file", "a=@" + file + ".none": "--remote-header a: open"} {
		h := headersOf(text)
		if _, err := h.read(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// Where no cluster is named, trials run on this machine.
func TestNone(t *testing.T) {
	t.Parallel()
	c, err := Connect(context.Background(), Options{}, 1, "session")
	if c != nil || err != nil {
		t.Fatalf("%v, %v", c, err)
	}
	var o trial.Options
	c.Set(&o)
	c.Close()
	var none Options
	if o.Remote != nil || none.Report(nil) != nil || none.Findings(context.Background(), 1) != nil || none.Hint(&trial.EndsError{}) != "" {
		t.Error("a cluster is named")
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	o := Options{Remote: "grpc://farm:8980", Instance: "main"}
	got := o.Report([]trial.Record{
		{Remote: &trial.Away{Machine: "a", Lost: 2, Uploaded: 5}},
		{Remote: &trial.Away{Machine: "a", Cached: true}},
		{Remote: &trial.Away{Machine: "b", Cached: true}, Rejected: true},
		{Remote: &trial.Away{GaveUp: true}},
		{},
	})
	if want := (report.Remote{Engine: "reapi", Endpoint: "grpc://farm:8980", Instance: "main", Machines: 2, Cached: 1, Lost: 2, GaveUp: 1, Uploaded: 5}); *got != want {
		t.Errorf("%+v, want %+v", *got, want)
	}
}
