//go:build unix

package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/chromium"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/report"
)

var pictures = flag.String("pictures", "", "write what a browser shows of the page of gitdd serve to this directory")

// look holds what a browser shows now to what pages of gitdd must be, in windows of two sizes, light and dark.
func look(t *testing.T, b *chromium.Browser, name string) {
	t.Helper()
	check, err := os.ReadFile(filepath.Join(top, "report", "testdata", "browser", "check.js"))
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range b.Run("() => [...document.querySelectorAll('#part-top .warning')].map((w) => w.textContent)") {
		t.Errorf("%s: the page warns: %s", name, said)
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
	seed.SkipLong(t, 8)
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
	look(t, b, "to judge, of changes")
	for step := 3; p.state().Tree != ""; step++ {
		ready(step)
		b.Click(button(judged()), 1)
		eventually(t, "it is judged", func() bool { return p.state().Step > step || p.state().Tree == "" })
		if now := p.state(); now.Step == 6 && now.Tree != "" { // the bad revision without the cause
			b.Await(`() => document.getElementById("part-config").innerText.includes("What is to be judged has 5 changes beyond good.")`)
			look(t, b, "to judge, without the cause")
		}
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
	server, url := p.serving("repo", "--control")
	b.Visit(url)
	b.Await("() => performance.now() - changed > soon")
	look(t, b, "budget")
	b.Click("input[name=trials]", 1)
	b.Type("50")
	b.Click(button("resume"), 1)
	b.Await(`() => document.querySelector("h1").textContent.startsWith("The failure comes from 1 of 4 changes")`)
	held()

	// A page whose server has ended says so.
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = server.Wait()
	b.Await(`() => document.getElementById("lost").textContent.includes("gitdd serve does not answer any more")`)
	if seen := b.Run(`() => [String(document.getElementById("lost").hidden)]`); seen[0] != "false" {
		t.Error("the page hides that its server has ended")
	}
}
