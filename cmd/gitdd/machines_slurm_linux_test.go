package main

import (
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gitdd/gitdd/internal/slurmtest"
)

// TestSlurm runs the scripts that need a Slurm, which it starts, one after the other: they look at all
// jobs that there are.
func TestSlurm(t *testing.T) {
	cluster := slurmtest.Start(t)
	p := scripts(t, "testdata/slurm")
	setup := p.Setup
	var alone sync.Mutex
	p.Setup = func(env *testscript.Env) error {
		alone.Lock()
		env.Defer(alone.Unlock)
		for _, pair := range cluster.Env() {
			name, value, _ := strings.Cut(pair, "=")
			env.Setenv(name, value)
		}
		return setup(env)
	}
	testscript.Run(t, p)
}
