package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gitdd/gitdd/internal/byhand"
	"github.com/gitdd/gitdd/internal/events"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// A watch looks at the files of a session, and knows what the page shows of them.
type watch struct {
	dir     string
	now     func() time.Time
	control *control // nil = the page has no buttons

	difference Difference // nil = nothing is compared with good

	mu         sync.Mutex
	comparison comparison // the last one

	stream  stream
	session *trial.Session // as far as its journal was read: of a search that runs, when it was looked at first
	journal fs.FileInfo    // of what was read; nil = nothing was
	result  fs.FileInfo    // of the file of the result
	over    *report.Live   // the result of the session; nil = it has none, or its search goes on
	running bool
	asked   time.Time    // whether it runs
	hand    byhand.State // of a session by hand
	beside  beside

	parts   map[string]string // by id
	changed map[string]int    // the version in which a part is another one
	order   []string
	version int
	looked  time.Time
	took    time.Duration
	problem string // why nothing more can be seen
}

// How often a session is looked at, and what share of the time may be spent on it.
const (
	pause = 250 * time.Millisecond
	share = 5 // a look of 100 ms is followed by none for 500 ms
)

// News are the parts of the page that have changed.
type News struct {
	Version int               `json:"version"`
	Parts   []report.LivePart `json:"parts"`
}

// news waits until parts have changed since a version, or the time is over.
func (w *watch) news(ctx context.Context, since int, patience time.Duration) (News, error) {
	end := w.now().Add(patience)
	for {
		w.mu.Lock()
		err := w.refresh()
		news := News{Version: w.version, Parts: []report.LivePart{}}
		for _, id := range w.order {
			if w.changed[id] > since || since > w.version { // it is of another server
				news.Parts = append(news.Parts, report.LivePart{ID: id, HTML: w.parts[id]})
			}
		}
		rest := max(pause, share*w.took)
		w.mu.Unlock()
		if err != nil || len(news.Parts) > 0 || !w.now().Before(end) {
			return news, err
		}
		select {
		case <-ctx.Done():
			return news, nil
		case <-time.After(rest):
		}
	}
}

// again makes the next look at the session one that sees what was just done to it.
func (w *watch) again() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looked, w.asked = time.Time{}, time.Time{}
}

// page writes the page as it is now. The secret is for the one who acts by it; "" = nobody does.
func (w *watch) page(to io.Writer, nonce, secret string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.refresh(); err != nil {
		return err
	}
	return report.LivePage(to, w.live(), nonce, secret)
}

// refresh looks at the session again, if that is due. w.mu is held.
func (w *watch) refresh() error {
	begun := w.now()
	if !w.looked.IsZero() && begun.Sub(w.looked) < max(pause, share*w.took) {
		return nil
	}
	before, over := w.beside, w.over
	w.problem = ""
	if err := w.look(); err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			w.problem = err.Error()
		} else {
			w.problem = fmt.Sprintf("session %s is not there any more: `gitdd clean` has removed it, or somebody else", filepath.Base(w.dir))
		}
		w.running = false
	}
	w.beside = w.besides()
	if over != nil && over == w.over && before == w.beside { // it stays as it is
		w.looked = w.now()
		return nil
	}
	parts, err := report.LiveParts(w.live())
	if err != nil {
		return err
	}
	next := w.version + 1
	if w.parts == nil {
		w.parts, w.changed = map[string]string{}, map[string]int{}
	}
	w.order = w.order[:0]
	for _, p := range parts {
		w.order = append(w.order, p.ID)
		if before, ok := w.parts[p.ID]; !ok || before != p.HTML {
			w.parts[p.ID], w.changed[p.ID], w.version = p.HTML, next, next
		}
	}
	w.looked = w.now()
	w.took = w.looked.Sub(begun)
	return nil
}

// look reads what is new in the session.
func (w *watch) look() error {
	info, err := os.Stat(filepath.Join(w.dir, "journal.jsonl"))
	if err != nil {
		return err
	}
	if now := w.now(); now.Sub(w.asked) > time.Second {
		w.asked, w.running = now, trial.Running(w.dir)
	}
	problem := w.stream.read(filepath.Join(w.dir, events.File))
	if errors.Is(problem, fs.ErrNotExist) {
		problem = nil
	}
	if w.journal == nil || w.needsJournal() && (!os.SameFile(w.journal, info) || w.journal.Size() != info.Size()) {
		session, err := trial.ReadSession(w.dir)
		if err != nil {
			return err
		}
		w.session, w.journal = session, info
	}
	// An answer may be taken back, or be another one.
	result, _ := os.Stat(filepath.Join(w.dir, "result.json"))
	if w.result == nil || result == nil || !os.SameFile(w.result, result) || !w.result.ModTime().Equal(result.ModTime()) {
		w.result, w.over = result, nil
	}
	if byhand.Is(w.session.Header()) {
		if w.hand, err = byhand.ReadState(w.session); err != nil {
			return err
		}
	}
	if w.running {
		w.over = nil
	} else if w.over == nil {
		if w.over, err = ended(w.session); err != nil {
			return err
		}
	}
	return problem
}

// needsJournal reports whether the page shows something that the stream does not tell: the judgements of a person, the story of
// a session that has a result, or the trials of a session without a stream. w.mu is held.
func (w *watch) needsJournal() bool {
	return !w.running || w.stream.state.Begun == nil || byhand.Is(w.session.Header())
}

// What the page shows beside an answer that stays.
type beside struct {
	problem string
	hand    byhand.State
	shows   bool
	control report.LiveControl
}

// besides is that now. w.mu is held.
func (w *watch) besides() beside {
	b := beside{problem: w.problem, hand: w.hand}
	if w.session == nil {
		return b
	}
	if b.shows = w.hand.Tree != "" && w.hand.Shows(w.session); w.control != nil {
		b.control = w.control.buttons(w.session, w.hand.After, b.shows, w.running, w.over)
	}
	return b
}

// A stream is the file of events, as far as it was read.
type stream struct {
	state  events.State
	first  []byte // its first line
	offset int64
}

const mostAtOnce = 8 << 20 // bytes of events that a look reads

// read reads what was added to the file. One that was begun anew is read from its begin.
func (s *stream) read(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	first := make([]byte, len(s.first))
	if _, err := f.ReadAt(first, 0); err != nil && err != io.EOF {
		return err
	}
	if info.Size() < s.offset || string(first) != string(s.first) {
		*s = stream{}
	}
	for size := int64(mostAtOnce); s.offset < info.Size(); size *= 2 {
		text := make([]byte, min(size, info.Size()-s.offset))
		n, err := f.ReadAt(text, s.offset)
		if err != nil && err != io.EOF {
			return err
		}
		read, err := s.state.Read(text[:n])
		if s.offset == 0 && read > 0 {
			s.first = slices.Clone(text[:slices.Index(text, '\n')+1])
		}
		s.offset += int64(read)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if read > 0 || int64(n) < size {
			return nil // the rest is for the next look, or not there yet
		}
	}
	return nil
}

// output returns the end of what a trial has printed, and how much that is.
func (w *watch) output(number int, kind string) (text []byte, size string, err error) {
	w.mu.Lock()
	session := w.session
	w.mu.Unlock()
	if session == nil || !slices.Contains(outputKinds, kind) {
		return nil, "", errors.New("there is no such output")
	}
	text, all, err := tail(session.Output(number, kind), mostOutput)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", fmt.Errorf("trial %d has no such output", number)
	case err != nil:
		return nil, "", err
	case all == 0:
		return text, "nothing", nil
	case all > int64(len(text)):
		return text, fmt.Sprintf("the last %s of %s", prose.Size(int64(len(text))), prose.Size(all)), nil
	}
	return text, prose.Size(all), nil
}
