package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// What linters say of the action and of the workflow, where they are installed.
func TestActionLint(t *testing.T) {
	t.Parallel()
	run := func(dir, program string, args ...string) {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", program, err, out)
		}
	}
	scripts, err := filepath.Glob(filepath.Join(top, "action/*.sh"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("scripts %q: %v", scripts, err)
	}
	for i := range scripts {
		scripts[i], _ = filepath.Abs(scripts[i])
	}
	if _, err := exec.LookPath("shellcheck"); err == nil {
		run(".", "shellcheck", scripts...)
	}
	if _, err := exec.LookPath("actionlint"); err != nil {
		t.Skip("actionlint is not here: the action and the workflow are not looked at")
	}
	// It looks at an action where a workflow of the repository calls it.
	dir := t.TempDir()
	run(dir, "git", "init", "-q")
	copied := func(from, to string) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(top, from))
		if err == nil {
			to = filepath.Join(dir, to)
			err = errors.Join(os.MkdirAll(filepath.Dir(to), 0o777), os.WriteFile(to, text, 0o666))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	copied("action.yml", "action.yml")
	copied("docs/examples/gitdd-on-red.yml", ".github/workflows/red.yml")
	copied("cmd/gitdd/testdata/calls-action.yml", ".github/workflows/ci.yml")
	run(dir, "actionlint")
}

// The steps of the action give each script the variables that it reads, and put nothing that somebody else writes into
// a command.
func TestAction(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(top, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs, Outputs map[string]struct{ Description string }
		Runs            struct {
			Using string
			Steps []struct {
				Name, ID, Run, Shell, Uses string
				Env                        map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile(filepath.Join(top, "docs/ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, one := range action.Inputs {
		if one.Description == "" || !strings.Contains(string(document), "`"+name+"`") {
			t.Errorf("input %s is not described in action.yml and in docs/ci.md", name)
		}
		if !strings.Contains(string(text), "inputs."+name+" ") {
			t.Errorf("input %s is not used", name)
		}
	}
	for name := range action.Outputs {
		if !strings.Contains(string(document), "`"+name+"`") {
			t.Errorf("output %s is not described in docs/ci.md", name)
		}
	}
	// What a runner sets, what scripts set themselves, and where releases are, for tests.
	known := []string{"GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY", "GITHUB_REPOSITORY", "GITHUB_WORKFLOW_REF", "RUNNER_TEMP", "RUNNER_OS", "RUNNER_ARCH", "GITDD_RELEASES"}
	variable := regexp.MustCompile(`\$\{?([A-Z][A-Z0-9_]+)\b`)
	scripts := 0
	for _, step := range action.Runs.Steps {
		if step.Run == "" {
			continue
		}
		m := regexp.MustCompile(`^bash "\$GITHUB_ACTION_PATH/(action/[a-z]+\.sh)"$`).FindStringSubmatch(step.Run)
		if m == nil || step.Shell != "bash" {
			t.Errorf("%s runs %q by %s", step.Name, step.Run, step.Shell)
			continue
		}
		scripts++
		script, err := os.ReadFile(filepath.Join(top, m[1]))
		if err != nil {
			t.Fatal(err)
		}
		var read []string
		for _, m := range variable.FindAllStringSubmatch(string(script), -1) {
			if _, given := step.Env[m[1]]; !given && !slices.Contains(known, m[1]) {
				t.Errorf("%s reads %s, which nobody sets", step.Name, m[1])
			}
			read = append(read, m[1])
		}
		for name := range step.Env {
			if !slices.Contains(read, name) && name != "GH_TOKEN" {
				t.Errorf("%s is given %s, and does not read it", step.Name, name)
			}
		}
	}
	if want, err := filepath.Glob(filepath.Join(top, "action/*")); err != nil || scripts != len(want) {
		t.Errorf("%d steps run a script, and there are %q (%v)", scripts, want, err)
	}
}
