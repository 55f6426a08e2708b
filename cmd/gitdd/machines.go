package main

import (
	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/cluster"
)

// machines are the settings of where trials run: on this machine, unless a cluster is
// named.
type machines struct{ cluster.Options }

func (m *machines) flags(flags *pflag.FlagSet) {
	m.Version = released()
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
func (m *machines) credentials(flags *pflag.FlagSet) {
	flags.Var(&m.Headers, "remote-header", "send `K=V` with each request, such as an API key; K=@FILE reads V from FILE, else the session does not keep it (repeatable)")
	flags.StringVar(&m.CA, "remote-ca", "", "trust the certificates in `FILE`, too")
	flags.StringVar(&m.Cert, "remote-cert", "", "show the certificate in `FILE`")
	flags.StringVar(&m.Key, "remote-key", "", "a `FILE` with the key of that certificate")
}

// moved are what a session that is resumed can be told anew: a cluster may have got
// another address.
func (m *machines) moved(flags *pflag.FlagSet) {
	flags.StringVar(&m.Remote, "remote", "", "reach the cluster of the session at `URL` from now on (default as before)")
	flags.StringVar(&m.Storage, "remote-cache", "", "its storage is at `URL` from now on (default as before)")
	m.credentials(flags)
	flags.DurationVar(&m.Patience, "remote-patience", 0, "stop when the cluster has not answered for about `TIME` (default as before)")
}

// kept are words of a session that are no flags of the user's.
func (m *machines) kept(flags *pflag.FlagSet) {
	flags.StringArrayVar(&m.Headers.NotKept, "remote-secret", nil, "")
}

// words are the flags that say so again, to be shown: V stands for what is secret.
func (m *machines) words() []string {
	var read machines
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	read.flags(flags)
	read = *m // the flags have set it to their defaults
	words := flagWords(flags)
	for _, name := range m.Headers.SecretNames() {
		words = append(words, "--remote-header="+name+"=V")
	}
	return words
}

// refuse is an error for settings of a trial that nobody keeps on other machines.
func (m *machines) refuse(s *settings) error {
	return m.Refuse(cluster.Local{
		MaxMemory: int64(s.maxMemory), MaxDisk: int64(s.maxDisk), Artifacts: len(s.artifacts) > 0, WorkspaceRoot: s.workspaceRoot != "",
	})
}
