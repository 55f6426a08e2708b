//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/gitdd/gitdd/internal/chromium"
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

var pictures = flag.String("pictures", "", "write what a browser shows of the page of gitdd serve to this directory")

// look holds what a browser shows now to what pages of gitdd must be, in windows of two sizes, light and dark.
func look(t *testing.T, b *chromium.Browser, name string) {
	t.Helper()
	check, err := os.ReadFile(filepath.Join(top, "report", "testdata", "browser", "check.js"))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []chromium.View{{Width: 400}, {Width: 400, Dark: true}, {Width: 1600}, {Width: 1600, Dark: true}} {
		b.Look(v)
		for _, fault := range b.Run(string(check), map[string]bool{"print": false}) {
			// This page has a script, and its policy comes by HTTP.
			if !strings.HasPrefix(fault, "a script (1)") && !strings.HasPrefix(fault, "no content security policy") {
				t.Errorf("%s, %v: %s", name, v, fault)
			}
		}
		if *pictures != "" {
			b.Picture(filepath.Join(*pictures, fmt.Sprintf("%s %v.png", name, v)), v)
		}
	}
	b.Look(chromium.View{Width: 1280})
}

// A person clicks through a search, to the answer.
func TestServeBrowser(t *testing.T) {
	b := chromium.Start(t)
	p := card(t)
	p.run("repo", "gitdd", "start", "v1", "v2", "--into", "../judge")
	_, url := p.serving("repo", "--control")
	b.Visit(url)
	ready := func(step int) {
		t.Helper()
		b.Await(fmt.Sprintf(`() => !acting && performance.now() - changed > soon && document.querySelector("h1").textContent === "To judge: step %d"`, step))
		if state := p.state(); state.Step != step {
			t.Fatalf("the page shows step %d, to judge is step %d", step, state.Step)
		}
	}
	button := func(do string) string { return "button[data-do=" + do + "]" }
	focused := func() string { return strings.Join(b.Run("() => [document.activeElement.dataset.do ?? '']"), "") }
	judged := func() string { t.Helper(); return p.looks(string(p.state().Tree)) }

	look(t, b, "to judge")
	// By the keyboard, with a focus that is seen, and that stays when the page becomes another one.
	ready(1)
	for n := 0; focused() != "good" && n < 20; n++ {
		b.Press("Tab", 9)
	}
	if seen := b.Run("() => [getComputedStyle(document.activeElement).outlineStyle]"); focused() != "good" || seen[0] != "solid" {
		t.Fatalf("the focus is at %q, with the outline %q", focused(), seen)
	}
	if says := judged(); says != "good" {
		t.Fatalf("step 1 is %s", says)
	}
	b.Press("Enter", 13)
	ready(2)
	if told := b.Run("() => [document.getElementById('told').textContent]"); focused() != "good" || !strings.HasPrefix(told[0], "Step 2: ") {
		t.Errorf("the focus is at %q, and it is told %q", focused(), told)
	}
	// A double click judges once.
	b.Click(button("bad"), 2)
	ready(3)
	b.Click(button("undo"), 1)
	ready(2)
	// A note, and a page that is behind.
	b.Click("input[name=note]", 1)
	b.Type("it is too wide")
	b.Run("() => { const c = document.querySelector('.control'); c.dataset.now = c.dataset.after; c.dataset.after = 1; return []; }")
	b.Click(button("bad"), 1)
	b.Await("() => document.getElementById('said').textContent.includes('This page was behind: step 2 is to be judged now. What you have said counts for nothing.')")
	b.Run("() => { const c = document.querySelector('.control'); c.dataset.after = c.dataset.now; return []; }")
	ready(2)
	look(t, b, "behind")
	b.Click(button("bad"), 1)
	ready(3)
	if log := p.run("repo", "gitdd", "log"); !strings.Contains(log, "it is too wide") {
		t.Errorf("the log has no note:\n%s", log)
	}
	for step := 3; p.state().Tree != ""; step++ {
		ready(step)
		b.Click(button(judged()), 1)
		eventually(t, "it is judged", func() bool { return p.state().Step > step || p.state().Tree == "" })
	}
	b.Await(`() => document.querySelector("h1").textContent.startsWith("The failure comes from 1 of 4 changes")`)
	b.Await(`() => document.getElementById("part-best").innerText.includes("60em")`)
	look(t, b, "answer")
	p.run("repo", "gitdd", "show", "--json", "../hand.json")
	if r, err := readResult(p.path("hand.json")); err != nil || r.Status != report.Isolated || len(r.Cause) != 1 || r.Cause[0].NewStart != 7 {
		t.Errorf("%v: %s, %+v", err, r.Status, r.Cause)
	}
	held := func() {
		t.Helper()
		for _, event := range b.Events {
			if !strings.HasPrefix(event, "it asks for http://127.0.0.1:") && !strings.Contains(event, "409") {
				t.Error(event)
			}
		}
	}
	held()

	// A search of a command that has spent its budget goes on with another one.
	if status, _, _ := p.status("repo", "gitdd", "run", "--good", "v1", "--max-trials", "3", "--", "sh", "-c", p.check); status != exitBudget {
		t.Fatalf("exit status %d", status)
	}
	_, url = p.serving("repo", "--control")
	b.Visit(url)
	b.Await("() => performance.now() - changed > soon")
	look(t, b, "budget")
	b.Click("input[name=trials]", 1)
	b.Type("50")
	b.Click(button("resume"), 1)
	b.Await(`() => document.querySelector("h1").textContent.startsWith("The failure comes from 1 of 4 changes")`)
	held()
}
