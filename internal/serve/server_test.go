package serve

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Nobody is answered without the token, under another name, or from another site; and what is asked changes nothing.
func TestServerRefuses(t *testing.T) {
	s := New(t.TempDir(), 8080)
	inside := "/" + s.token + "/"
	for _, row := range []struct {
		name, method, path, host string
		headers                  []string // name and value in turn
		status                   int
		says                     string
	}{
		{"the page", "GET", inside, host, nil, 200, "<!DOCTYPE html>"},
		{"localhost", "GET", inside, "localhost:8080", nil, 200, "<!DOCTYPE html>"},
		{"its own fetch", "GET", inside + "live.js", host, []string{"Origin", "http://" + host, "Sec-Fetch-Site", "same-origin"}, 200, "follow()"},
		{"no token", "GET", "/", host, nil, 403, "the address has a token"},
		{"another token", "GET", "/" + strings.Repeat("0", 32) + "/", host, nil, 403, "the address has a token"},
		{"a part of it", "GET", inside[:10] + "/", host, nil, 403, "the address has a token"},
		{"parts without one", "GET", "/parts", host, nil, 403, "the address has a token"},
		{"another name", "GET", inside, "example.com:8080", nil, 403, "not for other names"},
		{"another port", "GET", inside, "127.0.0.1:80", nil, 403, "not for other names"},
		{"another origin", "GET", inside + "parts", host, []string{"Origin", "http://example.com"}, 403, "other sites"},
		{"no origin", "GET", inside + "parts", host, []string{"Origin", "null"}, 403, "other sites"},
		{"a link elsewhere", "GET", inside, host, []string{"Sec-Fetch-Site", "cross-site"}, 403, "other sites"},
		{"a post", "POST", inside, host, nil, 403, "gitdd serve --control"},
		{"a put", "PUT", inside, host, nil, 405, "ask for it by GET"},
		{"nothing", "GET", inside + "nothing", host, nil, 404, "no such page"},
		{"another file", "GET", inside + "output?trial=1&kind=../../lock", host, nil, 404, "no such output"},
	} {
		r := httptest.NewRequest(row.method, "http://"+row.host+row.path, nil)
		for i := 0; i < len(row.headers); i += 2 {
			r.Header.Set(row.headers[i], row.headers[i+1])
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != row.status || !strings.Contains(w.Body.String(), row.says) {
			t.Errorf("%s: got %d %.200q, want %d with %q", row.name, w.Code, w.Body, row.status, row.says)
		}
		if row.status != http.StatusOK && strings.Contains(w.Body.String(), s.token) {
			t.Errorf("%s: the answer has the token", row.name)
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "Content-Security-Policy": "default-src 'none'",
		} {
			if got := w.Header().Get(name); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s is %q", row.name, name, got)
			}
		}
		if policy := w.Header().Get("Content-Security-Policy"); strings.Contains(strings.ReplaceAll(policy, "style-src-attr 'unsafe-inline'", ""), "unsafe") {
			t.Errorf("%s: %s", row.name, policy)
		}
	}
}

// Each start has a token of its own.
func TestServerToken(t *testing.T) {
	if a, b := New("", 1), New("", 1); a.token == b.token || len(a.token) != 32 {
		t.Errorf("tokens %q and %q", a.token, b.token)
	}
}
