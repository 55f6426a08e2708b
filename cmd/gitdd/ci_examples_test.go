package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// example reads an example of a CI system.
func example(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, "docs/examples", name))
	if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// red is a field whose repository repo is red since its second commit, whose line the third one moves, and has programs of its own in bin.
func red(t *testing.T, programs map[string]string) *field {
	t.Helper()
	for _, program := range []string{"bash", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not on PATH", program)
		}
	}
	f := newField(t)
	f.sh("", `git init -q -b main repo && cd repo
printf '1\nold\n3\n' >a && git add a && git commit -qm v1 && git tag v1
printf '1\nnew\n3\n' >a && git commit -qam v2
printf '0\n1\nnew\n3\n' >a && git commit -qam v3
mkdir ../bin`)
	for name, text := range programs {
		if err := os.WriteFile(f.path("bin/"+name), []byte("#!/bin/sh\n"+text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	f.env = append(f.env, "FIELD="+f.dir, "PATH="+f.path("bin")+string(filepath.ListSeparator)+plainPath(), "MAKEFLAGS=")
	return f
}

// The job for GitLab finds the last green commit by the API, and reports the lines of the cause.
func TestGitLabExample(t *testing.T) {
	t.Parallel()
	var jobs map[string]struct {
		Script    []string
		Artifacts struct{ Reports map[string]string }
	}
	example(t, "gitlab-ci.yml", &jobs)
	job := jobs["gitdd"]
	f := red(t, map[string]string{"curl": `echo "$*" >>"$FIELD/asked"; git rev-parse HEAD~2 | jq -R '[{sha: .}]'`})
	f.env = append(f.env, "TEST=! grep -q new a", "CI_API_V4_URL=https://gitlab.example/api/v4", "CI_PROJECT_ID=7", "CI_COMMIT_BRANCH=main")
	script := strings.Join(job.Script, "\n")
	for _, token := range []string{"secret", ""} {
		f.run("repo", "env", "GITDD_TOKEN="+token, "bash", "-eo", "pipefail", "-c", script)
		text, err := os.ReadFile(f.path("repo/" + job.Artifacts.Reports["codequality"]))
		if err != nil {
			t.Fatal(err)
		}
		var report []struct {
			Description, Fingerprint, Severity string
			CheckName                          string `json:"check_name"`
			Location                           struct {
				Path  string
				Lines struct{ Begin int }
			}
		}
		if err := json.Unmarshal(text, &report); err != nil {
			t.Fatal(err)
		}
		if len(report) != 1 || report[0].Location.Path != "a" || report[0].Location.Lines.Begin != 3 || report[0].Fingerprint == "" || report[0].Severity != "major" || report[0].CheckName != "gitdd" {
			t.Errorf("the report of code quality is\n%s", text)
		}
	}
	asked, err := os.ReadFile(f.path("asked"))
	if want := "--header PRIVATE-TOKEN: secret https://gitlab.example/api/v4/projects/7/pipelines?ref=main&status=success&per_page=100\n"; err != nil || !strings.HasSuffix(string(asked), want) || strings.Count(string(asked), "\n") != 1 {
		t.Errorf("asked %q (%v), want %q", asked, err, want)
	}
}

// The step for Buildkite annotates a red build, and does nothing in a green one.
func TestBuildkiteExample(t *testing.T) {
	t.Parallel()
	var pipeline struct {
		Steps []struct{ Command string }
	}
	example(t, "buildkite.yml", &pipeline)
	command := strings.ReplaceAll(pipeline.Steps[1].Command, "$$", "$") // as Buildkite reads it
	f := red(t, map[string]string{
		"buildkite-agent": `case $1 in step) echo "$OUTCOME" ;; annotate) cat >"$FIELD/annotation" ;; esac`,
		"make":            `! grep -q new a`,
	})
	f.run("repo", "env", "OUTCOME=passed", "bash", "-e", "-c", command)
	if _, err := os.Stat(f.path("annotation")); err == nil {
		t.Error("a green build was annotated")
	}
	f.run("repo", "env", "OUTCOME=hard_failed", "bash", "-e", "-c", command)
	if text, err := os.ReadFile(f.path("annotation")); err != nil || !strings.Contains(string(text), "```diff") {
		t.Errorf("the annotation is %q (%v)", text, err)
	}
}
