//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/serve"
)

// serving starts gitdd serve, which ends with the test, and returns its process and the address of the page.
func (f *field) serving(dir string, args ...string) (server *exec.Cmd, url string) {
	f.t.Helper()
	server = f.command(dir, append([]string{"gitdd", "serve"}, args...)...)
	out, err := server.StdoutPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		f.t.Fatal(err)
	}
	return server, strings.TrimSpace(line)
}

// The page of a session tells of its search while it goes on, of its answer when it has one, and says when the
// session is not there any more.
func TestServe(t *testing.T) {
	s := newHunt(t, false)
	if err := os.WriteFile(s.path("wait"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	search, _, _ := s.start("run", "--good", "old", "--", "sh", "check")
	s.waiting()
	server, url := s.serving("repo")
	get := func(what string) (int, string) {
		t.Helper()
		answer, err := http.Get(url + what)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	if status, page := get(""); status != http.StatusOK || !strings.Contains(page, "Searching: ") || !strings.Contains(page, "What the workers do") || !strings.Contains(page, "8 changes") {
		t.Errorf("%d: %.3000s", status, page)
	}
	parts, version := map[string]string{}, 0
	follow := func() {
		t.Helper()
		var news serve.News
		_, text := get("parts?since=" + strconv.Itoa(version))
		if err := json.Unmarshal([]byte(text), &news); err != nil {
			t.Fatalf("%v: %.300s", err, text)
		}
		version = news.Version
		for _, p := range news.Parts {
			parts[p.ID] = p.HTML
		}
	}
	follow()
	if !strings.Contains(parts["config"], "The present configuration") || !strings.Contains(parts["search"], "Both ends") {
		t.Errorf("config %.500s\nsearch %.500s", parts["config"], parts["search"])
	}
	if err := os.Remove(s.path("wait")); err != nil {
		t.Fatal(err)
	}
	if err := search.Wait(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the page has the answer", func() bool {
		follow()
		return strings.Contains(parts["top"], "The failure comes from") && strings.Contains(parts["best"], "What to do next") && parts["now"] == ""
	})
	if status, text := get("output?trial=1&kind=out"); status != http.StatusOK {
		t.Errorf("the output of a trial: %d %s", status, text)
	}
	if status, stdout, stderr := s.status("repo", "gitdd", "serve", "--port", strings.Split(strings.Split(url, ":")[2], "/")[0]); status != exitTrouble || !strings.Contains(stderr, "another program listens there") {
		t.Errorf("a port in use: %d\n%s%s", status, stdout, stderr)
	}
	s.run("repo", "gitdd", "clean")
	eventually(t, "the page says that the session is gone", func() bool {
		follow()
		return strings.Contains(parts["top"], "is not there any more")
	})
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v", err)
	}
}
