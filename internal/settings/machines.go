package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/cluster"
	"github.com/gitdd/gitdd/report"
)

// Machines are the settings of where trials run: on this machine, unless a cluster is
// named.
type Machines struct{ cluster.Options }

// Flags adds the flags that name a cluster.
func (m *Machines) Flags(flags *pflag.FlagSet) {
	flags.StringVar(&m.Remote, "remote", "", "run trials on the cluster at `URL`, grpc://HOST:PORT or grpcs://HOST:PORT, that speaks Bazel's Remote Execution API; -j 200 is fine")
	flags.StringVar(&m.Storage, "remote-cache", "", "files and outcomes of that cluster are stored at `URL`, where that is another address than --remote")
	flags.StringVar(&m.Instance, "remote-instance", "", "its instance `NAME`, where it has several")
	flags.StringArrayVar(&m.Properties, "remote-property", nil, "ask for machines with the property `K=V`, such as OSFamily=linux (repeatable)")
	flags.BoolVar(&m.Untouched, "remote-untouched", false, "no command writes to a file of the revision in place: machines that share files among trials need not copy them")
	m.credentials(flags)
	flags.DurationVar(&m.Patience, "remote-patience", 0, "stop when the cluster has not answered for about `TIME` (default 10m)")
	flags.Var(&m.Slurm, "slurm", "run trials as jobs of Slurm, in `PARTITION` or the default one; -j 200 is fine")
	flags.Lookup("slurm").NoOptDefVal = cluster.DefaultPartition
	flags.StringArrayVar(&m.SlurmOptions, "slurm-option", nil, "give srun the option `OPT`, such as --mem=4G (repeatable)")
	flags.StringVar(&m.Shared, "slurm-shared", "", "make workspaces below `DIR`, which all nodes have by that name; without it files travel as streams")
}

// credentials are what a session does not keep, or may have changed since it began.
func (m *Machines) credentials(flags *pflag.FlagSet) {
	flags.Var(&m.Headers, "remote-header", "send `K=V` with each request, such as an API key; K=@FILE reads V from FILE, else the session does not keep it (repeatable)")
	flags.StringVar(&m.CA, "remote-ca", "", "trust the certificates in `FILE`, too")
	flags.StringVar(&m.Cert, "remote-cert", "", "show the certificate in `FILE`")
	flags.StringVar(&m.Key, "remote-key", "", "a `FILE` with the key of that certificate")
}

// moved are what a session that is resumed can be told anew: a cluster may have got
// another address.
func (m *Machines) moved(flags *pflag.FlagSet) {
	flags.StringVar(&m.Remote, "remote", "", "reach the cluster of the session at `URL` from now on (default as before)")
	flags.StringVar(&m.Storage, "remote-cache", "", "its storage is at `URL` from now on (default as before)")
	m.credentials(flags)
	flags.DurationVar(&m.Patience, "remote-patience", 0, "stop when the cluster has not answered for about `TIME` (default as before)")
}

// kept are words of a session that are no flags of the user's.
func (m *Machines) kept(flags *pflag.FlagSet) {
	flags.StringArrayVar(&m.Headers.NotKept, "remote-secret", nil, "")
}

// Words returns the flags that lead to these settings, to be shown to people: V stands for each secret value.
func (m *Machines) Words() []string {
	var read Machines
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	read.Flags(flags)
	read = *m // the flags have set it to their defaults
	words := flagWords(flags)
	for _, name := range m.Headers.SecretNames() {
		words = append(words, "--remote-header="+name+"=V")
	}
	return words
}

// refuse returns an error for settings of a trial that other machines cannot keep.
func (m *Machines) refuse(s *Search) error {
	return m.Refuse(cluster.Local{
		MaxMemory: int64(s.maxMemory), MaxDisk: int64(s.maxDisk), Artifacts: len(s.artifacts) > 0, WorkspaceRoot: s.WorkspaceRoot != "",
	})
}

// Explains returns an error if gitdd explain cannot bring the output of a reduction to the machines. Machines that
// get only the files of a trial get the output as an overlay, so that it has to have a name below this directory.
func (m *Machines) Explains(s *Reduction) error {
	switch {
	case !m.Staged():
		return nil
	case len(s.Paths) > 1:
		return fmt.Errorf("explain brings one file or directory to the machines of %s: name one", m.Flag())
	}
	name, err := s.outputOf()
	if err != nil {
		return err
	}
	if rel, ok := below(".", name); !ok || strings.HasPrefix(rel, "..") {
		return fmt.Errorf("the machines of %s get files of this directory only: want --output with a name in it", m.Flag())
	}
	return nil
}

// Next is the command line of the search behind a reduction, in which the machines find
// what is left of the input.
func (m *Machines) Next(s *Reduction, r report.Reduction) []string {
	if !m.Staged() {
		return r.Regression.Next
	}
	name, err := s.outputOf()
	info, none := os.Stat(name)
	if none != nil {
		return r.Regression.Next // the reduction has said what kept it from being written
	}
	rel, ok := below(".", name)
	if err != nil || !ok {
		return r.Regression.Next // Explains has seen to the output
	}
	return s.RunLine(filepath.ToSlash(rel), info.IsDir(), "--overlay", rel)
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
