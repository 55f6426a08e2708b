package serve

import (
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/byhand"
	"github.com/gitdd/gitdd/trial"
)

const host = "127.0.0.1:8080"

// begun is a session of a command.
func begun(t *testing.T, name string) *trial.Session {
	t.Helper()
	session, err := trial.CreateSession(t.TempDir(), trial.Header{Name: name, Started: time.Unix(1e9, 0)})
	if err != nil {
		t.Fatal(err)
	}
	session.Close()
	return session
}

// A recording has the command lines that a page has begun.
type recording struct {
	lines []string
	err   error // of each
}

func (r *recording) gitdd(args ...string) error {
	r.lines = append(r.lines, strings.Join(args, " "))
	return r.err
}

// post asks a server to act, as its page does but for the headers that are given in turn by name and value; "" takes one away.
func post(s *Server, path, body string, headers ...string) (status int, says string) {
	r := httptest.NewRequest("POST", "http://"+host+path, strings.NewReader(body))
	all := []string{"Origin", "http://" + host, "Sec-Fetch-Site", "same-origin", "Content-Type", "application/json", "Gitdd-Control", s.secret}
	for pair := range slices.Chunk(append(all, headers...), 2) {
		if r.Header.Set(pair[0], pair[1]); pair[1] == "" {
			r.Header.Del(pair[0])
		}
		if pair[0] == "Host" {
			r.Host = pair[1]
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, strings.TrimSpace(w.Body.String())
}

// Nothing is done but what the page itself asks for, at the moment that it shows.
func TestControlRefuses(t *testing.T) {
	session := begun(t, byhand.Command)
	good := `{"do": "good", "after": 0}`
	for _, row := range []struct {
		name, body string
		headers    []string
		status     int
		says       string
	}{
		{"no origin", good, []string{"Origin", ""}, 403, "only the page itself"},
		{"an origin that is none", good, []string{"Origin", "null"}, 403, "other sites"},
		{"another origin", good, []string{"Origin", "http://example.com"}, 403, "other sites"},
		{"another port", good, []string{"Origin", "http://127.0.0.1:81"}, 403, "other sites"},
		{"another name", good, []string{"Host", "example.com:8080", "Origin", "http://example.com:8080"}, 403, "other names"},
		{"from another site", good, []string{"Sec-Fetch-Site", "cross-site"}, 403, "other sites"},
		{"from a site beside", good, []string{"Sec-Fetch-Site", "same-site"}, 403, "other sites"},
		{"typed into the address bar", good, []string{"Sec-Fetch-Site", "none"}, 403, "only the page itself"},
		{"no secret", good, []string{"Gitdd-Control", ""}, 403, "only the page itself"},
		{"another secret", good, []string{"Gitdd-Control", strings.Repeat("0", 32)}, 403, "only the page itself"},
		{"as a form of another site sends it", good, []string{"Content-Type", "text/plain"}, 415, "want JSON"},
		{"as a form", "do=good", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "want JSON"},
		{"no JSON", "good", nil, 400, "this is no action"},
		{"more than one", good + good, nil, 400, "this is no action"},
		{"an unknown field", `{"do": "good", "sh": "rm"}`, nil, 400, "this is no action"},
		{"a long note", `{"do": "good", "note": "` + strings.Repeat("x", mostBody) + `"}`, nil, 413, "too long"},
		{"an unknown button", `{"do": "clean"}`, nil, 400, `no button "clean"`},
		{"a flag as a button", `{"do": "--help"}`, nil, 400, "no button"},
		{"a byte that no argument has", `{"do": "good", "note": "a\u0000b"}`, nil, 400, "value 0"},
		{"a page that is behind", `{"do": "good", "after": 7}`, nil, 409, "What you have said counts for nothing"},
		{"undo of a page that is behind", `{"do": "undo", "after": 7}`, nil, 409, "counts for nothing"},
		{"what is for commands", `{"do": "resume"}`, nil, 409, "a person judges in it"},
		{"to stop what does not run", `{"do": "stop"}`, nil, 409, "no gitdd runs"},
	} {
		var done recording
		s := New(session.Dir(), 8080)
		s.Control(done.gitdd)
		if status, says := post(s, "/"+s.token+"/act", row.body, row.headers...); status != row.status || !strings.Contains(says, row.says) || len(done.lines) > 0 {
			t.Errorf("%s: got %d %q, and did %q; want %d with %q", row.name, status, says, done.lines, row.status, row.says)
		}
	}

	var done recording
	s := New(session.Dir(), 8080)
	s.Control(done.gitdd)
	for path, want := range map[string]int{"/act": 403, "/" + strings.Repeat("0", 32) + "/act": 403, "/" + s.token + "/": 405, "/" + s.token + "/parts": 405} {
		if status, says := post(s, path, good); status != want {
			t.Errorf("POST %s: %d %q, want %d", path, status, says, want)
		}
	}
	shows := New(session.Dir(), 8080)
	for _, name := range []string{"", "act", "parts", "nothing"} {
		if status, says := post(shows, "/"+shows.token+"/"+name, good, "Gitdd-Control", "x"); status != 403 || !strings.Contains(says, "gitdd serve --control makes one with buttons") {
			t.Errorf("without --control, POST %q: %d %q", name, status, says)
		}
	}
	if len(done.lines) > 0 {
		t.Errorf("done was %q", done.lines)
	}
}

// With buttons the page has the policy that it has without them.
func TestControlPolicy(t *testing.T) {
	session := begun(t, byhand.Command)
	policy := func(s *Server) string {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", "http://"+host+"/"+s.token+"/", nil))
		return regexp.MustCompile(`nonce-[0-9a-f]{32}`).ReplaceAllString(w.Header().Get("Content-Security-Policy"), "nonce")
	}
	acts := New(session.Dir(), 8080)
	acts.Control((&recording{}).gitdd)
	if with, without := policy(acts), policy(New(session.Dir(), 8080)); with != without || !strings.Contains(with, "script-src 'nonce'; ") || !strings.Contains(with, "form-action 'none'") {
		t.Errorf("with buttons %s, without %s", with, without)
	}
}

// A button is a command line; what that says when it fails is the answer.
func TestControlActs(t *testing.T) {
	hand, command := begun(t, byhand.Command), begun(t, "run")
	for _, row := range []struct {
		session    *trial.Session
		body, line string // NAME is the session's
	}{
		{hand, `{"do": "good"}`, "good --after=0 -- NAME"},
		{hand, `{"do": "bad", "note": "--it is\nred"}`, "bad --after=0 --note=--it is\nred -- NAME"},
		{hand, `{"do": "undo", "note": "x"}`, "undo --after=0 -- NAME"},
		{hand, `{"do": "next"}`, "next -- NAME"},
		{command, `{"do": "resume"}`, "resume -- NAME"},
		{command, `{"do": "resume", "trials": 12, "time": "90s"}`, "resume --max-trials=12 --max-time=1m30s -- NAME"},
	} {
		var done recording
		s := New(row.session.Dir(), 8080)
		s.Control(done.gitdd)
		status, says := post(s, "/"+s.token+"/act", row.body)
		for s.control.atWork() { // what is resumed
			time.Sleep(time.Millisecond)
		}
		if want := strings.ReplaceAll(row.line, "NAME", row.session.Name()); status != 200 || !slices.Equal(done.lines, []string{want}) {
			t.Errorf("%s: %d %q, and did %q; want %q", row.body, status, says, done.lines, want)
		}
	}
	s := New(hand.Dir(), 8080)
	s.Control((&recording{err: errors.New("files were edited: a")}).gitdd)
	if status, says := post(s, "/"+s.token+"/act", `{"do": "good"}`); status != 500 || says != "files were edited: a" {
		t.Errorf("what fails: %d %q", status, says)
	}
	for body, want := range map[string]string{`{"do": "good"}`: "a command judges in it", `{"do": "resume", "time": "soon"}`: "written like", `{"do": "resume", "time": "-1s"}`: "written like", `{"do": "resume", "trials": -1}`: "larger number"} {
		var done recording
		s := New(command.Dir(), 8080)
		s.Control(done.gitdd)
		if status, says := post(s, "/"+s.token+"/act", body); status < 400 || !strings.Contains(says, want) || len(done.lines) > 0 {
			t.Errorf("%s: %d %q, and did %q; want %q", body, status, says, done.lines, want)
		}
	}
}

// The command of a session that came with a file is not run: who wrote the file is not known.
func TestControlImported(t *testing.T) {
	session := begun(t, "run")
	if err := os.WriteFile(filepath.Join(session.Dir(), trial.ImportedFile), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	var done recording
	s := New(session.Dir(), 8080)
	s.Control(done.gitdd)
	if status, says := post(s, "/"+s.token+"/act", `{"do": "resume"}`); status != 403 || !strings.Contains(says, "comes from a file") || len(done.lines) > 0 {
		t.Errorf("%d %q, and did %q", status, says, done.lines)
	}
	var page strings.Builder
	if err := s.watch.page(&page, "n", s.secret); err != nil || strings.Contains(page.String(), `data-do="resume"`) || !strings.Contains(page.String(), "comes from a file") {
		t.Errorf("%v: %s", err, page.String())
	}
}
