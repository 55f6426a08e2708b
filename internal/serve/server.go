package serve

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

//go:embed live.js
var script []byte

// A Server answers the page of one session.
type Server struct {
	token   string
	secret  string   // that who acts has to know beside the token; "" = the page only shows
	hosts   []string // by which it may be asked
	watch   *watch
	table   map[string]handler
	control *control // nil = the page only shows
}

// A handler answers one path behind the token, asked by one method.
type handler struct {
	method string
	serve  func(*Server, http.ResponseWriter, *http.Request)
}

// New returns the server of the session in dir that listens at a port of this machine.
func New(dir string, port int) *Server {
	return &Server{
		token: newToken(),
		hosts: []string{fmt.Sprintf("127.0.0.1:%d", port), fmt.Sprintf("localhost:%d", port)},
		watch: &watch{dir: dir, now: time.Now},
		table: map[string]handler{
			"":        {http.MethodGet, (*Server).page},
			"live.js": {http.MethodGet, (*Server).script},
			"parts":   {http.MethodGet, (*Server).parts},
			"output":  {http.MethodGet, (*Server).output},
		},
	}
}

func newToken() string {
	random := make([]byte, 16)
	rand.Read(random)
	return hex.EncodeToString(random)
}

// URL is the address of the page. Who has it may look.
func (s *Server) URL() string { return "http://" + s.hosts[0] + "/" + s.token + "/" }

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	token, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	handler, ok := s.table[name]
	switch {
	case !s.local(r):
		http.Error(w, "this page is not for other names, and not for other sites", http.StatusForbidden)
	case subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1:
		http.Error(w, "the address has a token: use the one that gitdd serve has printed, whole", http.StatusForbidden)
	case r.Method == http.MethodPost && s.control == nil:
		http.Error(w, "this page only shows: gitdd serve --control makes one with buttons", http.StatusForbidden)
	case !ok:
		http.Error(w, "there is no such page", http.StatusNotFound)
	case r.Method != handler.method:
		h.Set("Allow", handler.method)
		http.Error(w, "ask for it by "+handler.method, http.StatusMethodNotAllowed)
	default:
		handler.serve(s, w, r)
	}
}

// local reports whether a request names this machine, and comes from no other site.
func (s *Server) local(r *http.Request) bool {
	named := false
	for _, host := range s.hosts {
		named = named || r.Host == host
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return false
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return named && (site == "" || site == "none" || site == "same-origin")
}

// page answers the page as it is now.
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	nonce := newToken()
	var text bytes.Buffer
	if err := s.watch.page(&text, nonce, s.secret); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-"+nonce+"'; style-src 'nonce-"+nonce+
		"'; style-src-attr 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(text.Bytes()) // who has left does not need it
}

func (s *Server) script(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	_, _ = w.Write(script)
}

// patience is how long a question for news waits for some.
const patience = 20 * time.Second

// parts answers the parts of the page that have changed since a version, as soon as there are some.
func (s *Server) parts(w http.ResponseWriter, r *http.Request) {
	since, _ := strconv.Atoi(r.URL.Query().Get("since"))
	news, err := s.watch.news(r.Context(), since, patience)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(news)
}

// output answers the end of what a trial has printed.
func (s *Server) output(w http.ResponseWriter, r *http.Request) {
	number, err := strconv.Atoi(r.URL.Query().Get("trial"))
	if err != nil || number < 1 {
		http.Error(w, "which trial?", http.StatusBadRequest)
		return
	}
	text, size, err := s.watch.output(number, r.URL.Query().Get("kind"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Gitdd-Size", size)
	_, _ = w.Write(text)
}
