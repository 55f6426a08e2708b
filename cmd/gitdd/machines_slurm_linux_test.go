package main

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gitdd/gitdd/internal/slurmtest"
)

// TestSlurm runs the scripts that need a Slurm, which it starts.
func TestSlurm(t *testing.T) {
	cluster := slurmtest.Start(t)
	p := scripts(t, "testdata/slurm")
	setup := p.Setup
	p.Setup = func(env *testscript.Env) error {
		for _, pair := range cluster.Env() {
			name, value, _ := strings.Cut(pair, "=")
			env.Setenv(name, value)
		}
		return setup(env)
	}
	testscript.Run(t, p)
}
