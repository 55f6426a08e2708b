//go:build unix

package chromium

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A Browser is a headless Chromium with one tab, spoken to over a pipe in the Chrome
// DevTools Protocol.
type Browser struct {
	Events []string // what a page must not do, in words

	t      testing.TB
	dir    string
	to     *os.File
	from   *os.File
	lines  *bufio.Reader
	last   int    // id of the last call
	tab    string // session id of the tab
	loaded bool
	url    string // of the page
}

// patience is long enough for a busy machine; without an end a browser that hangs would
// hold up all tests.
const patience = 3 * time.Minute

// message is an answer or an event of the protocol.
type message struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// Start starts one that ends with the test, or skips the test where there is none.
func Start(t testing.TB) *Browser {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("no chromium, chromium-browser or google-chrome on PATH: the pages are not looked at")
	}
	dir, err := os.MkdirTemp("", "gitdd-browser")
	if err != nil {
		t.Fatal(err)
	}
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--disable-extensions", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--user-data-dir="+dir, "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // descriptors 3 and 4, as the flag wants
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var said strings.Builder
	cmd.Stderr = &said
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = theirIn.Close(), theirOut.Close()
	t.Cleanup(func() {
		_, _ = ourOut.Close(), ourIn.Close()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it, and what it started
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
		if t.Failed() {
			t.Logf("%s said:\n%.2000s", program, said.String())
		}
	})
	b := &Browser{t: t, dir: dir, to: ourOut, from: ourIn, lines: bufio.NewReaderSize(ourIn, 1<<20)}
	var target struct {
		TargetID string `json:"targetId"`
	}
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var session struct {
		SessionID string `json:"sessionId"`
	}
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	b.tab = session.SessionID
	for _, domain := range []string{"Page", "Network", "Log", "Runtime"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// call sends a command and waits for its answer.
func (b *Browser) call(method string, params, result any) {
	b.t.Helper()
	b.last++
	command := map[string]any{"id": b.last, "method": method}
	if params != nil {
		command["params"] = params
	}
	if b.tab != "" {
		command["sessionId"] = b.tab
	}
	text, err := json.Marshal(command)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	for {
		m := b.next(method)
		if m.ID != b.last {
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
		return
	}
}

// next reads one message, and notes what a page must not do.
func (b *Browser) next(waiting string) message {
	b.t.Helper()
	if err := b.from.SetReadDeadline(time.Now().Add(patience)); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		b.t.Fatal(err)
	}
	text, err := b.lines.ReadBytes(0)
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("the browser ended")
			if b.tab == "" { // some systems have a script of that name, which says how to install one
				b.t.Skip("the browser ends before it says anything: the pages are not looked at")
			}
		}
		b.t.Fatalf("%s: %v", waiting, err)
	}
	var m message
	if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
		b.t.Fatal(err)
	}
	var p struct {
		Request struct{ URL string }
		Entry   struct{ Source, Level, Text string }
		Type    string
		Details json.RawMessage `json:"exceptionDetails"`
		Args    json.RawMessage
	}
	if len(m.Params) > 0 {
		_ = json.Unmarshal(m.Params, &p) // an event of another shape has nothing of it
	}
	switch m.Method {
	case "Page.loadEventFired":
		b.loaded = true
	case "Network.requestWillBeSent":
		if u := p.Request.URL; u != b.url && !strings.HasPrefix(u, "data:") && u != "about:blank" {
			b.Events = append(b.Events, "it asks for "+u)
		}
	case "Log.entryAdded":
		b.Events = append(b.Events, fmt.Sprintf("%s of %s: %s", p.Entry.Level, p.Entry.Source, p.Entry.Text))
	case "Runtime.consoleAPICalled":
		b.Events = append(b.Events, fmt.Sprintf("console.%s: %s", p.Type, p.Args))
	case "Runtime.exceptionThrown":
		b.Events = append(b.Events, fmt.Sprintf("exception: %s", p.Details))
	case "Page.frameAttached":
		b.Events = append(b.Events, "it has a frame")
	}
	return m
}

// Open shows a page in a tab, and returns what it did meanwhile that a page must not.
func (b *Browser) Open(page []byte) []string {
	b.t.Helper()
	name := fmt.Sprintf("page-%d.html", b.last)
	file := filepath.Join(b.dir, name)
	if err := os.WriteFile(file, page, 0o666); err != nil {
		b.t.Fatal(err)
	}
	return b.Visit("file://" + file)
}

// Visit is Open for the page at an address.
func (b *Browser) Visit(url string) []string {
	b.t.Helper()
	b.url, b.loaded, b.Events = url, false, nil
	b.call("Page.navigate", map[string]any{"url": b.url}, nil)
	for !b.loaded {
		b.next("load")
	}
	// What was loaded may be the page before, where the browser is late to say so.
	b.Await(fmt.Sprintf("() => location.href === %q && document.readyState === 'complete'", url))
	// What was sent before the answer to a call is here with it.
	b.call("Runtime.evaluate", map[string]any{"expression": "0"}, nil)
	return b.Events
}

// Await waits until a function of JavaScript returns true in the page.
func (b *Browser) Await(function string) {
	b.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		var answer struct{ Result struct{ Value bool } }
		b.call("Runtime.evaluate", map[string]any{"expression": "(" + function + ")()", "returnByValue": true}, &answer)
		if answer.Result.Value {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("still not in the page: %s\n%s", function, b.Run("() => [document.body.innerText]"))
		}
	}
}

// Run calls a function of JavaScript in the page, which returns sentences.
func (b *Browser) Run(function string, arguments ...any) []string {
	b.t.Helper()
	var list []string
	for _, a := range arguments {
		text, err := json.Marshal(a)
		if err != nil {
			b.t.Fatal(err)
		}
		list = append(list, string(text))
	}
	var answer struct {
		Result struct{ Value []string }
		Thrown json.RawMessage `json:"exceptionDetails"`
	}
	// A comment may stand before the function.
	b.call("Runtime.evaluate", map[string]any{"expression": "(\n" + function + "\n)(" + strings.Join(list, ",") + ")", "returnByValue": true}, &answer)
	if answer.Thrown != nil {
		b.t.Fatalf("in the page: %s", answer.Thrown)
	}
	return answer.Result.Value
}
