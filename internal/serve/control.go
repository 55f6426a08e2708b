package serve

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gitdd/gitdd/internal/byhand"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// A Gitdd runs gitdd with arguments where the page was asked for, and returns when that has ended. The error is what it said.
type Gitdd func(args ...string) error

// A control does what the buttons of a page say, by command lines of gitdd: so what a button means is what the command means.
type control struct {
	gitdd Gitdd
	one   sync.Mutex // one button at a time

	mu      sync.Mutex
	busy    bool   // a command line goes on that was begun in the background
	problem string // what the last of these has said, if it failed
	stopped int    // the process that was asked to stop
}

// Control gives the page buttons. It is called before the first request.
func (s *Server) Control(gitdd Gitdd) {
	s.secret = newToken()
	s.control = &control{gitdd: gitdd}
	s.watch.control = s.control
	s.table["act"] = handler{http.MethodPost, (*Server).act}
}

// An Action is what a button says.
type Action struct {
	Do     string `json:"do"`     // "good", "bad", "skip", "undo", "next", "stop" or "resume"
	After  int    `json:"after"`  // byhand.Last of what the page shows
	Note   string `json:"note"`   // of a judgement
	Trials int    `json:"trials"` // --max-trials of what is resumed; 0 = no limit
	Time   string `json:"time"`   // likewise --max-time; "" = no limit
}

const (
	mostBody     = 16 << 10
	bodyPatience = 10 * time.Second
)

// A refusal says why nothing was done, and by which status of HTTP.
type refusal struct {
	status int
	why    string
}

func (r *refusal) Error() string { return r.why }

func refuse(status int, format string, args ...any) error {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

// act answers a button. What went wrong is answered in words.
func (s *Server) act(w http.ResponseWriter, r *http.Request) {
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(bodyPatience)) // a recorder of tests has none
	action, err := s.read(w, r)
	_ = connection.SetReadDeadline(time.Time{})
	said := ""
	if err == nil {
		s.control.one.Lock()
		defer s.control.one.Unlock()
		said, err = s.perform(action)
		s.watch.again()
	}
	if err != nil {
		status := http.StatusInternalServerError
		if refused := (*refusal)(nil); errors.As(err, &refused) {
			status = refused.status
		}
		http.Error(w, err.Error(), status)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(said))
}

// read returns what a request asks for, if it comes from the page: no other site can send JSON, nor this header, and none knows the secret.
func (s *Server) read(w http.ResponseWriter, r *http.Request) (a Action, err error) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	site := r.Header.Get("Sec-Fetch-Site")
	switch {
	case r.Header.Get("Origin") == "", site != "" && site != "same-origin",
		subtle.ConstantTimeCompare([]byte(r.Header.Get("Gitdd-Control")), []byte(s.secret)) != 1:
		return a, refuse(http.StatusForbidden, "only the page itself may ask for that: load it again")
	case kind != "application/json":
		return a, refuse(http.StatusUnsupportedMediaType, "want JSON")
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostBody))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&a)
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return a, refuse(http.StatusRequestEntityTooLarge, "the note is too long: %s are the most", prose.Size(mostBody))
	}
	if err != nil || decoder.More() {
		return a, refuse(http.StatusBadRequest, "this is no action: %v", err)
	}
	return a, nil
}

// perform does what a button says, and returns what is to be said of it. Another one is not on its way.
func (s *Server) perform(a Action) (said string, err error) {
	session, err := trial.ReadSession(s.watch.dir)
	if err != nil {
		return "", err
	}
	hand := byhand.Is(session.Header())
	judges := slices.Contains([]string{"good", "bad", "skip", "undo", "next"}, a.Do)
	switch {
	case judges && !hand, a.Do == "resume" && hand:
		return "", refuse(http.StatusConflict, "that is not for session %s: %s", session.Name(), map[bool]string{true: "a person judges in it", false: "a command judges in it"}[hand])
	case judges:
		return s.judge(session, a)
	case a.Do == "stop":
		return s.control.stop(session)
	case a.Do == "resume":
		return s.control.resume(session, a)
	}
	return "", refuse(http.StatusBadRequest, "there is no button %q", a.Do)
}

// judge performs a button of a search by hand, if the page is not behind.
func (s *Server) judge(session *trial.Session, a Action) (said string, err error) {
	if last := byhand.Last(session); last != a.After {
		return "", refuse(http.StatusConflict, "This page was behind: %s. What you have said counts for nothing.", now(session))
	}
	args := []string{a.Do, "--after=" + strconv.Itoa(a.After)}
	switch {
	case a.Do == "next":
		args = args[:1]
	case a.Note != "" && a.Do != "undo":
		if strings.ContainsRune(a.Note, 0) {
			return "", refuse(http.StatusBadRequest, "the note has a byte of the value 0")
		}
		args = append(args, "--note="+a.Note)
	}
	if err := s.control.gitdd(append(args, "--", session.Name())...); err != nil {
		return "", err
	}
	return map[string]string{"undo": "The last judgement was taken back.", "next": "It is in the directory again."}[a.Do], nil
}

// now says in a clause what is to be judged in a session.
func now(session *trial.Session) string {
	state, err := byhand.ReadState(session)
	if err != nil || state.Tree == "" {
		return "the search has ended"
	}
	return fmt.Sprintf("step %d is to be judged now", state.Step)
}

// stop asks the process that searches in a session to end with its best answer.
func (c *control) stop(session *trial.Session) (said string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	pid, err := trial.Holder(session.Dir())
	if err == nil && pid == c.stopped { // a second signal would end it without an answer
		return "It was asked to stop already, and ends soon.", nil
	}
	if err == nil {
		err = trial.Stop(session.Dir())
	}
	if err != nil {
		return "", refuse(http.StatusConflict, "%v", err)
	}
	c.stopped = pid
	return "It stops with its best answer. The search can go on from there.", nil
}

// resume goes on with a search in the background.
func (c *control) resume(session *trial.Session, a Action) (said string, err error) {
	run := len(session.Records())
	limit, err := time.ParseDuration(a.Time)
	switch {
	case c.atWork() || trial.Running(session.Dir()):
		return "", refuse(http.StatusConflict, "The search goes on already.")
	case imported(session):
		return "", refuse(http.StatusForbidden, "%s", comesFromFile(session))
	case a.Trials != 0 && a.Trials <= run:
		return "", refuse(http.StatusBadRequest, "The trials of before count, too: %s ran already, so a larger number is needed.", prose.Count(run, "trial"))
	case a.Time != "" && (err != nil || limit <= 0):
		return "", refuse(http.StatusBadRequest, "A time is written like 90s, 10m or 2h.")
	}
	args := []string{"resume"}
	if a.Trials != 0 {
		args = append(args, "--max-trials="+strconv.Itoa(a.Trials))
	}
	if a.Time != "" {
		args = append(args, "--max-time="+limit.String())
	}
	c.begin(append(args, "--", session.Name()))
	return "The search goes on.", nil
}

func (c *control) atWork() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.busy
}

// begin runs a command line in the background.
func (c *control) begin(args []string) {
	c.mu.Lock()
	c.busy, c.problem = true, ""
	c.mu.Unlock()
	go func() {
		err := c.gitdd(args...)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.busy = false; err != nil {
			c.problem = err.Error()
		}
	}()
}

func imported(session *trial.Session) bool {
	_, err := session.ReadFile(trial.ImportedFile)
	return err == nil
}

// comesFromFile says why a session does not go on.
func comesFromFile(session *trial.Session) string {
	return fmt.Sprintf("The session comes from a file, which may be anybody's, and its command was not run here yet: `gitdd resume %s` runs it, if that is what you want.", session.Name())
}

// buttons are what can be done with a session now. A search by hand is pending at the moment after, whose configuration is in its
// directory or is not; over is the result of the session, if it has one.
func (c *control) buttons(session *trial.Session, after int, shown, running bool, over *report.Live) report.LiveControl {
	l := report.LiveControl{After: byhand.Last(session), Trials: len(session.Records())}
	c.mu.Lock()
	l.Problem, running = c.problem, running || c.busy
	c.mu.Unlock()
	further := over == nil || over.Result.Status == report.Budget || over.Result.Status == report.Interrupted
	switch {
	case running:
		l.Stop = true
	case byhand.Is(session.Header()):
		l.Undo = l.After > 0
		l.Judge = shown && after == l.After
		l.Next = further && !l.Judge
	case further && imported(session):
		l.Problem = comesFromFile(session)
	default:
		l.Resume = further
	}
	return l
}
