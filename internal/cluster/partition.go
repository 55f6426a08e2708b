package cluster

import (
	"errors"
	"strings"
)

// A Partition is the value of --slurm, which may stand alone.
type Partition struct {
	Named bool
	Name  string // "" = the default one
}

// DefaultPartition stands for the default partition in the words of a session, as sinfo marks it.
const DefaultPartition = "*"

func (p *Partition) Set(text string) error {
	if strings.ContainsAny(text, " \t\n") {
		return errors.New("want the name of a partition, or several with commas")
	}
	*p = Partition{true, strings.TrimSuffix(text, DefaultPartition)}
	return nil
}

func (p *Partition) String() string {
	if p.Named && p.Name == "" {
		return DefaultPartition
	}
	return p.Name
}

func (p *Partition) Type() string { return "PARTITION" }
