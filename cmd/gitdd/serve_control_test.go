//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/gitdd/gitdd/internal/serve"
	"github.com/gitdd/gitdd/report"
)

// A client has the page of gitdd serve --control, and says what its buttons say.
type client struct {
	*testing.T
	url string
}

func (c client) page() string {
	c.Helper()
	answer, err := http.Get(c.url)
	if err != nil {
		c.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		c.Fatal(err)
	}
	return string(text)
}

var (
	secretMeta = regexp.MustCompile(`<meta name="gitdd-control" content="([0-9a-f]{32})">`)
	afterMark  = regexp.MustCompile(`data-after="([0-9]+)"`)
)

// act sends what a button of a page says.
func (c client) act(page string, action serve.Action) (status int, says string) {
	c.Helper()
	if m := afterMark.FindStringSubmatch(page); m != nil {
		_, _ = fmt.Sscan(m[1], &action.After)
	}
	body, err := json.Marshal(action)
	if err != nil {
		c.Fatal(err)
	}
	r, err := http.NewRequest("POST", c.url+"act", bytes.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	for name, value := range map[string]string{"Origin": "http://" + r.Host, "Content-Type": "application/json", "Gitdd-Control": secretMeta.FindStringSubmatch(page)[1]} {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.Error(err)
		return 0, ""
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		c.Error(err)
	}
	return answer.StatusCode, string(text)
}

// card makes the scene of docs: a card that is too wide where card.css has 60em.
func card(t *testing.T) *person {
	t.Helper()
	return &person{newScene(t, "card").field, "! grep -q 60em card.css", "judge"}
}

// Of two pages at once that judge the same configuration one is heard, and neither is a page that is behind the terminal.
func TestServeTwoPages(t *testing.T) {
	p := card(t)
	p.run("repo", "gitdd", "start", "v1", "v2", "--into", "../judge")
	p.run("repo", "gitdd", "run", "--good", "v1", "--", "sh", "-c", p.check)
	_, url := p.serving("judge", "--control") // which has a session that is not the newest
	c := client{t, url}
	before := c.page()
	for _, want := range []string{"To judge: step 1", "2 of the 5 that are searched", p.path("judge"), `data-do="good"`} {
		if !strings.Contains(before, want) {
			t.Errorf("the page has no %q: %.3000s", want, before)
		}
	}
	// Of a commit it is seen what differs from good, too.
	eventually(t, "the page shows what the commit has beyond good", func() bool {
		page := c.page()
		return strings.Contains(page, "What is to be judged is commit 5489284df, which has 2 changes beyond good.") && strings.Contains(page, "Welcome") && strings.Contains(page, "A card, in HTML and CSS.")
	})
	var heard sync.Map
	var both sync.WaitGroup
	for _, do := range []string{"good", "good"} {
		both.Go(func() {
			status, says := c.act(before, serve.Action{Do: do})
			if before, twice := heard.Swap(status, says); twice {
				t.Errorf("two answers %d: %q and %q", status, before, says)
			}
		})
	}
	both.Wait()
	if says, _ := heard.Load(http.StatusConflict); says == nil || !strings.Contains(says.(string), "This page was behind: step 2 is to be judged now.") {
		t.Errorf("the second is told %q", says)
	}
	if state := p.state(); state.Step != 2 {
		t.Errorf("step %d is to be judged, want 2", state.Step)
	}
	for _, do := range []string{"bad", "undo"} {
		if status, says := c.act(before, serve.Action{Do: do}); status != http.StatusConflict || p.state().Step != 2 {
			t.Errorf("%s of a page that is behind: %d %q, step %d", do, status, says, p.state().Step)
		}
	}
	eventually(t, "the page shows step 2", func() bool { return strings.Contains(c.page(), "To judge: step 2") })

	// What gitdd says against it is what the page says.
	page := c.page()
	if err := os.WriteFile(p.path("judge/card.css"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if status, says := c.act(page, serve.Action{Do: "bad"}); status != http.StatusInternalServerError || !strings.Contains(says, "files that were edited") || !strings.Contains(says, "stash") {
		t.Errorf("with an edited file: %d %q", status, says)
	}
	p.run("judge", "git", "stash", "-q")
	eventually(t, "the page offers to put it there", func() bool { page = c.page(); return strings.Contains(page, `data-do="next"`) })
	if status, says := c.act(page, serve.Action{Do: "next"}); status != http.StatusOK {
		t.Errorf("next: %d %q", status, says)
	}
	eventually(t, "it can be judged again", func() bool { page = c.page(); return strings.Contains(page, `data-do="good"`) })
	if now := p.state(); now.Step != 3 || p.looks(string(now.Tree)) == "" {
		t.Errorf("step %d", now.Step)
	}
	// Of changes it is seen what differs from good.
	if want := "What is to be judged has 2 of 4 changes applied to good."; !strings.Contains(page, want) || !strings.Contains(page, "60em") {
		t.Errorf("step 3 is %s, and the page has no %q: %.3000s", p.state().What, want, page)
	}
	if status, says := c.act(page, serve.Action{Do: "undo"}); status != http.StatusOK || p.state().Step != 2 {
		t.Errorf("undo: %d %q, step %d", status, says, p.state().Step)
	}
}

// A search of a command ends by a button with its best answer, and goes on by another one, with a larger budget.
func TestServeStopAndResume(t *testing.T) {
	s := newHunt(t, false)
	if err := os.WriteFile(s.path("wait"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	search, _, _ := s.start("run", "--good", "old", "--", "sh", "check")
	s.waiting()
	server, url := s.serving("repo", "--control")
	c := client{t, url}
	page := c.page()
	if !strings.Contains(page, `data-do="stop"`) || strings.Contains(page, `data-do="resume"`) {
		t.Errorf("%.3000s", page)
	}
	if status, says := c.act(page, serve.Action{Do: "resume"}); status != http.StatusConflict || !strings.Contains(says, "goes on already") {
		t.Errorf("resume of what runs: %d %q", status, says)
	}
	if status, says := c.act(page, serve.Action{Do: "stop"}); status != http.StatusOK {
		t.Errorf("stop: %d %q", status, says)
	}
	c.act(page, serve.Action{Do: "stop"}) // a double click does not end it without an answer
	if _ = search.Wait(); search.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("the search has ended with %v", search.ProcessState)
	}
	if err := os.Remove(s.path("wait")); err != nil {
		t.Fatal(err)
	}
	resumable := func() bool { page = c.page(); return strings.Contains(page, `data-do="resume"`) }
	eventually(t, "the page offers to go on", resumable)
	if status, says := c.act(page, serve.Action{Do: "resume", Trials: 1}); status != http.StatusBadRequest || !strings.Contains(says, "trials of before count, too") {
		t.Errorf("no larger budget: %d %q", status, says)
	}
	answer := func() report.Result {
		s.run("repo", "gitdd", "show", "--json", "../result.json")
		r, err := readResult(s.path("result.json"))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	few := answer().Trials.Run + 1
	if status, says := c.act(page, serve.Action{Do: "resume", Trials: few}); status != http.StatusOK {
		t.Errorf("resume: %d %q", status, says)
	}
	eventually(t, "the budget is spent", func() bool { return answer().Status == report.Budget })
	eventually(t, "the page offers to go on", resumable)
	if status, says := c.act(page, serve.Action{Do: "resume"}); status != http.StatusOK {
		t.Errorf("resume without a limit: %d %q", status, says)
	}
	eventually(t, "the page has the answer", func() bool { page = c.page(); return strings.Contains(page, "The failure comes from") })
	if r := answer(); r.Status != report.Isolated {
		t.Errorf("the answer is %s", r.Status)
	}

	// What a page has begun ends with gitdd serve, with its best answer.
	s.run("repo", "gitdd", "clean")
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = server.Wait()
	if status, _, _ := s.status("repo", "gitdd", "run", "--good", "old", "--max-trials", "3", "--", "sh", "check"); status != exitBudget {
		t.Errorf("exit status %d", status)
	}
	if err := errors.Join(os.Remove(s.path("waiting")), os.WriteFile(s.path("wait"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	server, url = s.serving("repo", "--control")
	c.url = url
	c.act(c.page(), serve.Action{Do: "resume"})
	s.waiting()
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v", err)
	}
	if r := answer(); r.Status != report.Interrupted {
		t.Errorf("the answer is %s", r.Status)
	}
	s.alone()
}
