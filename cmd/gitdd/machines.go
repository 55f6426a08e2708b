package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// machines are the settings of where trials run: on this machine, unless a cluster is
// named.
type machines struct {
	remote        string // an address; "" = none
	storage       string // likewise; "" = the same
	instance      string
	properties    []string // K=V
	untouched     bool
	headers       headers
	ca, cert, key string // files
	patience      time.Duration

	slurm   partition
	options []string // of srun
	shared  string   // a directory that all nodes have; "" = trees travel as streams
}

// engines are the kinds of clusters, by the flags that name them.
const (
	byRemote = "--remote"
	bySlurm  = "--slurm"
)

func (m *machines) flags(flags *pflag.FlagSet) {
	flags.StringVar(&m.remote, "remote", "", "run trials on the cluster at `URL`, grpc://HOST:PORT or grpcs://HOST:PORT, that speaks Bazel's Remote Execution API; -j 200 is fine")
	flags.StringVar(&m.storage, "remote-cache", "", "files and outcomes of that cluster are stored at `URL`, where that is another address than --remote")
	flags.StringVar(&m.instance, "remote-instance", "", "its instance `NAME`, where it has several")
	flags.StringArrayVar(&m.properties, "remote-property", nil, "ask for machines with the property `K=V`, such as OSFamily=linux (repeatable)")
	flags.BoolVar(&m.untouched, "remote-untouched", false, "no command writes to a file of the revision in place: machines that share files among trials need not copy them")
	m.credentials(flags)
	flags.DurationVar(&m.patience, "remote-patience", 0, "stop when the cluster has not answered for about `TIME` (default 10m)")
	flags.Var(&m.slurm, "slurm", "run trials as jobs of Slurm, in `PARTITION` or the default one; -j 200 is fine")
	flags.Lookup("slurm").NoOptDefVal = defaultPartition
	flags.StringArrayVar(&m.options, "slurm-option", nil, "give srun the option `OPT`, such as --mem=4G (repeatable)")
	flags.StringVar(&m.shared, "slurm-shared", "", "make workspaces below `DIR`, which all nodes have by that name; without it files travel as streams")
}

// credentials are what a session does not keep, or may have changed since it began.
func (m *machines) credentials(flags *pflag.FlagSet) {
	flags.Var(&m.headers, "remote-header", "send `K=V` with each request, such as an API key; K=@FILE reads V from FILE, else the session does not keep it (repeatable)")
	flags.StringVar(&m.ca, "remote-ca", "", "trust the certificates in `FILE`, too")
	flags.StringVar(&m.cert, "remote-cert", "", "show the certificate in `FILE`")
	flags.StringVar(&m.key, "remote-key", "", "a `FILE` with the key of that certificate")
}

// moved are what a session that is resumed can be told anew: a cluster may have got
// another address.
func (m *machines) moved(flags *pflag.FlagSet) {
	flags.StringVar(&m.remote, "remote", "", "reach the cluster of the session at `URL` from now on (default as before)")
	flags.StringVar(&m.storage, "remote-cache", "", "its storage is at `URL` from now on (default as before)")
	m.credentials(flags)
	flags.DurationVar(&m.patience, "remote-patience", 0, "stop when the cluster has not answered for about `TIME` (default as before)")
}

// resume takes up what was told anew.
func (m *machines) resume(more machines) error {
	if more.remote != "" && m.away() != byRemote {
		return errors.New("--remote: the trials of the session ran elsewhere; `gitdd run` begins one on a cluster")
	}
	m.storage, m.patience = cmp.Or(more.storage, m.storage), cmp.Or(more.patience, m.patience)
	m.headers.again(more.headers)
	m.remote = cmp.Or(more.remote, m.remote)
	m.ca, m.cert, m.key = cmp.Or(more.ca, m.ca), cmp.Or(more.cert, m.cert), cmp.Or(more.key, m.key)
	if err := m.check(); err != nil {
		return err
	}
	return m.headers.missing()
}

// kept are words of a session that are no flags of the user's.
func (m *machines) kept(flags *pflag.FlagSet) {
	flags.StringArrayVar(&m.headers.secret, "remote-secret", nil, "")
}

// words are the flags that say so again, to be shown: V stands for what is secret.
func (m *machines) words() []string {
	var read machines
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	read.flags(flags)
	read = *m // the flags have set it to their defaults
	words := flagWords(flags)
	for _, name := range m.headers.secrets() {
		words = append(words, "--remote-header="+name+"=V")
	}
	return words
}

// away is the flag that takes trials to other machines; "" = they run here.
func (m *machines) away() string {
	switch {
	case m.remote != "":
		return byRemote
	case m.slurm.named:
		return bySlurm
	}
	return ""
}

// staged: the machines get the files of a trial, and have no workspaces of this one's.
func (m *machines) staged() bool { return m.away() != "" && m.shared == "" }

// check reports the first setting that cannot be meant.
func (m *machines) check() error {
	if m.headers.wrong != nil {
		return m.headers.wrong
	}
	if m.remote != "" && m.slurm.named {
		return errors.New("--remote and --slurm: want one of them")
	}
	if m.remote == "" {
		if flag := m.without(); flag != "" {
			return fmt.Errorf("%s is about a cluster of the Remote Execution API: name its address, --remote grpc://HOST:PORT", flag)
		}
	}
	switch {
	case !m.slurm.named && len(m.options) > 0:
		return errors.New("--slurm-option is for srun: say --slurm as well")
	case !m.slurm.named && m.shared != "":
		return errors.New("--slurm-shared is a directory of a Slurm cluster: say --slurm as well")
	}
	if m.remote == "" {
		return nil
	}
	for _, p := range m.properties {
		if name, _, ok := strings.Cut(p, "="); !ok || name == "" {
			return fmt.Errorf("--remote-property %s: want K=V, a name and its value", p)
		}
	}
	if m.patience < 0 {
		return fmt.Errorf("--remote-patience %s: want a time, or 0 for 10 minutes", m.patience)
	}
	for _, at := range []struct{ flag, url string }{{byRemote, m.remote}, {"--remote-cache", m.storage}} {
		if at.url == "" {
			continue
		}
		if err := checkAddress(at.flag, at.url); err != nil {
			return err
		}
	}
	switch {
	case !strings.HasPrefix(m.remote, "grpcs:") && !strings.HasPrefix(m.storage, "grpcs:") && cmp.Or(m.ca, m.cert, m.key) != "":
		return fmt.Errorf("--remote %s has no TLS, but certificates are given: want grpcs://%s, or none of --remote-ca, --remote-cert, --remote-key", m.remote, strings.TrimPrefix(m.remote, "grpc://"))
	case (m.cert == "") != (m.key == ""):
		return errors.New("--remote-cert and --remote-key: want both, or none")
	}
	return nil
}

// without is the first flag that says something about the address of --remote.
func (m *machines) without() string {
	for _, f := range []struct {
		flag  string
		given bool
	}{
		{"--remote-cache", m.storage != ""}, {"--remote-patience", m.patience != 0}, {"--remote-instance", m.instance != ""}, {"--remote-property", len(m.properties) > 0},
		{"--remote-untouched", m.untouched},
		{"--remote-header", len(m.headers.list) > 0}, {"--remote-ca", m.ca != ""},
		{"--remote-cert", m.cert != ""}, {"--remote-key", m.key != ""},
	} {
		if f.given {
			return f.flag
		}
	}
	return ""
}

// checkAddress is an error for what is no address, as the value of a flag.
func checkAddress(flag, address string) error {
	want := "want grpc://HOST:PORT, or grpcs://HOST:PORT with TLS"
	u, err := url.Parse(address)
	switch {
	case strings.Contains(address, "@"): // before any error that repeats it
		return errors.New(flag + ": a name and password do not belong into the address: the session keeps it; give them by --remote-header authorization=@FILE")
	case err != nil || !strings.Contains(address, "://"):
		if _, port, ok := strings.Cut(address, ":"); ok && !strings.Contains(address, "/") && strings.Trim(port, "0123456789") == "" {
			want = fmt.Sprintf("say how it is spoken to: grpc://%[1]s, or grpcs://%[1]s with TLS", address)
		}
		return fmt.Errorf("%s %s: %s", flag, address, want)
	case u.Scheme != "grpc" && u.Scheme != "grpcs", u.Host == "":
		return fmt.Errorf("%s %s: %s", flag, address, want)
	case u.Path != "" && u.Path != "/", u.RawQuery != "", u.Fragment != "":
		return fmt.Errorf("%s %s: %s; the name of an instance is given by --remote-instance", flag, address, want)
	}
	return nil
}

// refuse is an error for settings of a trial that nobody keeps on other machines.
func (m *machines) refuse(s *settings) error {
	flag := m.away()
	if flag == "" {
		return nil
	}
	memory, disk := "ask for machines that have a limit, by --remote-property", "the machines have a limit of their own"
	if flag == bySlurm {
		memory, disk = "Slurm keeps such a limit: --slurm-option=--mem="+sizeOfSlurm(s.maxMemory), "Slurm keeps such a limit: --slurm-option=--tmp="+sizeOfSlurm(s.maxDisk)
	}
	switch {
	case s.maxMemory > 0:
		return fmt.Errorf("--max-memory is for trials on this machine, not with %s: %s", flag, memory)
	case s.maxDisk > 0:
		return fmt.Errorf("--max-disk is for trials on this machine, not with %s: %s", flag, disk)
	case len(s.artifacts) > 0:
		return fmt.Errorf("--artifact looks at what is built on this machine, not with %s: leave one of them out", flag)
	case m.shared != "" && s.workspaceRoot != "":
		return errors.New("--slurm-shared and --workspace-root: want one of them, for both say where workspaces are made")
	}
	return nil
}

// absolute lets the names of files mean the same in another directory.
func (m *machines) absolute() error {
	for _, name := range []*string{&m.ca, &m.cert, &m.key, &m.shared} {
		if *name == "" {
			continue
		}
		abs, err := filepath.Abs(*name)
		if err != nil {
			return err
		}
		*name = abs
	}
	return m.headers.absolute()
}

// A partition is the value of --slurm, which may stand alone.
type partition struct {
	named bool
	name  string // "" = the default one
}

// defaultPartition stands for it in the words of a session, as sinfo marks it.
const defaultPartition = "*"

func (p *partition) Set(text string) error {
	if strings.ContainsAny(text, " \t\n") {
		return errors.New("want the name of a partition, or several with commas")
	}
	*p = partition{true, strings.TrimSuffix(text, defaultPartition)}
	return nil
}

func (p *partition) String() string {
	if p.named && p.name == "" {
		return defaultPartition
	}
	return p.name
}

func (p *partition) Type() string { return "PARTITION" }

// sizeOfSlurm is a size as its options have it: a number of a unit, rounded up.
func sizeOfSlurm(s cli.Size) string {
	const mega = 1 << 20
	if s%(1<<30) == 0 {
		return fmt.Sprintf("%dG", int64(s)>>30)
	}
	return fmt.Sprintf("%dM", (int64(s)+mega-1)/mega)
}

// explains is an error where machines that have only the files of a trial could not be
// given what a reduction has left: it goes there as an overlay, by a name in the checkout.
func (m *machines) explains(s *reducing) error {
	switch {
	case !m.staged():
		return nil
	case len(s.paths) > 1:
		return fmt.Errorf("explain brings one file or directory to the machines of %s: name one", m.away())
	}
	name, err := s.outputOf()
	if err != nil {
		return err
	}
	if rel, ok := below(".", name); !ok || strings.HasPrefix(rel, "..") {
		return fmt.Errorf("the machines of %s get files of this directory only: want --output with a name in it", m.away())
	}
	return nil
}

// below is the path of a file relative to a directory that it lies in.
func below(dir, name string) (rel string, ok bool) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", false
	}
	rel, err = filepath.Rel(abs, name)
	return rel, err == nil && filepath.IsLocal(rel)
}

// next is the command line of the search behind a reduction, in which the machines find
// what is left of the input.
func (m *machines) next(s *reducing, r report.Reduction) []string {
	if !m.staged() {
		return r.Regression.Next
	}
	name, err := s.outputOf()
	info, none := os.Stat(name)
	if none != nil {
		return r.Regression.Next // the reduction has said what kept it from being written
	}
	rel, ok := below(".", name)
	if err != nil || !ok {
		return r.Regression.Next // explains has seen to the output
	}
	words := append([]string{"gitdd", "run"}, s.runWords()...)
	return append(append(words, "--overlay", rel), s.runCommand(filepath.ToSlash(rel), info.IsDir())...)
}

// apart says what may help where both ends are alike on a cluster.
func (m *machines) apart(err error) string {
	var ends *trial.EndsError
	if m.away() == "" || !errors.As(err, &ends) {
		return ""
	}
	return "that is so on the cluster: `gitdd doctor " + m.away() + " ... -- COMMAND` compares it with this machine"
}
