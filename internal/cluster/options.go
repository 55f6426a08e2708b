package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/gitdd/gitdd/trial"
)

// Options say where trials run: on this machine, unless a cluster is named.
type Options struct {
	Remote        string // the address of a server of the Remote Execution API; "" = none
	Storage       string // the address of its storage; "" = the same
	Instance      string
	Properties    []string // K=V
	Untouched     bool     // no command writes to a file of the revision in place
	Headers       Headers
	CA, Cert, Key string        // files
	Patience      time.Duration // how long a cluster may not answer; 0 = the default

	Slurm        Partition
	SlurmOptions []string // of srun
	Shared       string   // a directory that all nodes have; "" = trees travel as streams

	Version string // of gitdd, which the server is told
}

// The kinds of clusters, by the flags that name them.
const (
	byRemote = "--remote"
	bySlurm  = "--slurm"
)

// Flag is the flag that names the cluster; "" where trials run on this machine.
func (o *Options) Flag() string {
	switch {
	case o.Remote != "":
		return byRemote
	case o.Slurm.Named:
		return bySlurm
	}
	return ""
}

// Named reports whether a cluster is named, so that trials run on other machines.
func (o *Options) Named() bool { return o.Flag() != "" }

// Staged reports whether the files of a trial are sent to its machine, because the machine shares no
// directory with this one.
func (o *Options) Staged() bool { return o.Named() && o.Shared == "" }

// Check returns an error for the first invalid setting.
func (o *Options) Check() error {
	if o.Headers.wrong != nil {
		return o.Headers.wrong
	}
	if o.Remote != "" && o.Slurm.Named {
		return errors.New("--remote and --slurm: want one of them")
	}
	if o.Remote == "" {
		if flag := o.without(); flag != "" {
			return fmt.Errorf("%s is about a cluster of the Remote Execution API: name its address, --remote grpc://HOST:PORT", flag)
		}
	}
	switch {
	case !o.Slurm.Named && len(o.SlurmOptions) > 0:
		return errors.New("--slurm-option is for srun: say --slurm as well")
	case !o.Slurm.Named && o.Shared != "":
		return errors.New("--slurm-shared is a directory of a Slurm cluster: say --slurm as well")
	}
	if o.Remote == "" {
		return nil
	}
	for _, p := range o.Properties {
		if name, _, ok := strings.Cut(p, "="); !ok || name == "" {
			return fmt.Errorf("--remote-property %s: want K=V, a name and its value", p)
		}
	}
	if o.Patience < 0 {
		return fmt.Errorf("--remote-patience %s: want a time, or 0 for 10 minutes", o.Patience)
	}
	for _, at := range []struct{ flag, url string }{{byRemote, o.Remote}, {"--remote-cache", o.Storage}} {
		if at.url == "" {
			continue
		}
		if err := checkAddress(at.flag, at.url); err != nil {
			return err
		}
	}
	switch {
	case !strings.HasPrefix(o.Remote, "grpcs:") && !strings.HasPrefix(o.Storage, "grpcs:") && cmp.Or(o.CA, o.Cert, o.Key) != "":
		return fmt.Errorf("--remote %s has no TLS, but certificates are given: want grpcs://%s, or none of --remote-ca, --remote-cert, --remote-key", o.Remote, strings.TrimPrefix(o.Remote, "grpc://"))
	case (o.Cert == "") != (o.Key == ""):
		return errors.New("--remote-cert and --remote-key: want both, or none")
	}
	return nil
}

// without is the first given flag that needs the address of --remote; "" if there is none.
func (o *Options) without() string {
	for _, f := range []struct {
		flag  string
		given bool
	}{
		{"--remote-cache", o.Storage != ""}, {"--remote-patience", o.Patience != 0}, {"--remote-instance", o.Instance != ""}, {"--remote-property", len(o.Properties) > 0},
		{"--remote-untouched", o.Untouched},
		{"--remote-header", len(o.Headers.list) > 0}, {"--remote-ca", o.CA != ""},
		{"--remote-cert", o.Cert != ""}, {"--remote-key", o.Key != ""},
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

// Renew replaces the addresses, credentials and limits that more has, for a session that is resumed. The
// headers whose values the session does not keep have to be among them.
func (o *Options) Renew(more Options) error {
	if more.Remote != "" && o.Flag() != byRemote {
		return errors.New("--remote: the trials of the session ran elsewhere; `gitdd run` and `gitdd reduce` begin one on a cluster")
	}
	o.Storage, o.Patience = cmp.Or(more.Storage, o.Storage), cmp.Or(more.Patience, o.Patience)
	o.Headers.again(more.Headers)
	o.Remote = cmp.Or(more.Remote, o.Remote)
	o.CA, o.Cert, o.Key = cmp.Or(more.CA, o.CA), cmp.Or(more.Cert, o.Cert), cmp.Or(more.Key, o.Key)
	if err := o.Check(); err != nil {
		return err
	}
	return o.Headers.missing()
}

// Absolute makes the names of files absolute, so that they mean the same in another directory.
func (o *Options) Absolute() error {
	for _, name := range []*string{&o.CA, &o.Cert, &o.Key, &o.Shared} {
		if *name == "" {
			continue
		}
		abs, err := filepath.Abs(*name)
		if err != nil {
			return err
		}
		*name = abs
	}
	return o.Headers.absolute()
}

// Local are settings of trials that hold on this machine only.
type Local struct {
	MaxMemory, MaxDisk int64 // bytes; 0 = no limit
	Artifacts          bool  // there are artifacts to look at
	WorkspaceRoot      bool  // a directory for workspaces is named
}

// Refuse returns an error for the first setting in l that cannot be used with the cluster.
func (o *Options) Refuse(l Local) error {
	flag := o.Flag()
	if flag == "" {
		return nil
	}
	memory, disk := "ask for machines that have a limit, by --remote-property", "the machines have a limit of their own"
	if flag == bySlurm {
		memory, disk = "Slurm keeps such a limit: --slurm-option=--mem="+sizeOfSlurm(l.MaxMemory), "Slurm keeps such a limit: --slurm-option=--tmp="+sizeOfSlurm(l.MaxDisk)
	}
	switch {
	case l.MaxMemory > 0:
		return fmt.Errorf("--max-memory is for trials on this machine, not with %s: %s", flag, memory)
	case l.MaxDisk > 0:
		return fmt.Errorf("--max-disk is for trials on this machine, not with %s: %s", flag, disk)
	case l.Artifacts:
		return fmt.Errorf("--artifact looks at what is built on this machine, not with %s: leave one of them out", flag)
	case o.Shared != "" && l.WorkspaceRoot:
		return errors.New("--slurm-shared and --workspace-root: want one of them, for both say where workspaces are made")
	}
	return nil
}

// sizeOfSlurm is a size as its options have it: a number of a unit, rounded up.
func sizeOfSlurm(size int64) string {
	const mega = 1 << 20
	if size%(1<<30) == 0 {
		return fmt.Sprintf("%dG", size>>30)
	}
	return fmt.Sprintf("%dM", (size+mega-1)/mega)
}

// Hint says what may help if both ends have the same outcome on the cluster, which err says.
func (o *Options) Hint(err error) string {
	var ends *trial.EndsError
	if !o.Named() || !errors.As(err, &ends) {
		return ""
	}
	return "that is so on the cluster: `gitdd doctor " + o.Flag() + " ... -- COMMAND` compares it with this machine"
}
