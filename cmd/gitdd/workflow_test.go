package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

const workflowFile = "../../docs/examples/gitdd-on-red.yml"

// A workflowStep is one of the steps of a workflow that run something.
type workflowStep struct {
	job, name, id string
	env           []string // "NAME=value", the value as it is written
	run           string
}

// workflow reads a workflow as strictly as it is written: keys of a step stand eight
// columns in, what is below them ten. It returns the environment of all steps, too.
func workflow(file string) (steps []workflowStep, env []string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	var section, job, key string
	for number, line := range strings.Split(string(text), "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		words := strings.TrimSpace(line)
		if strings.ContainsRune(line, '\t') {
			return nil, nil, fmt.Errorf("%s:%d: a tab", file, number+1)
		}
		step := &workflowStep{}
		if len(steps) > 0 {
			step = &steps[len(steps)-1]
		}
		if section == "jobs" && key == "run" && (indent >= 10 || words == "") {
			step.run += strings.TrimPrefix(line, strings.Repeat(" ", 10)) + "\n"
			continue
		}
		if words == "" || strings.HasPrefix(words, "#") {
			continue
		}
		if item, ok := strings.CutPrefix(words, "- "); ok && indent == 6 && section == "jobs" {
			steps = append(steps, workflowStep{job: job})
			step = &steps[len(steps)-1]
			indent, words = 8, item
		}
		name, value, ok := strings.Cut(words, ":")
		if !ok && !strings.HasPrefix(words, "- ") {
			return nil, nil, fmt.Errorf("%s:%d: neither a key nor an item", file, number+1)
		}
		if value, _, _ = strings.Cut(value, " #"); true {
			value = strings.TrimSpace(value)
		}
		switch {
		case indent == 0:
			section, job, key = name, "", ""
		case section == "env" && indent == 2:
			env = append(env, name+"="+value)
		case section == "jobs" && indent == 2:
			job, key = name, ""
		case section == "jobs" && indent == 8 && len(steps) > 0:
			key = name
			switch name {
			case "name":
				step.name = value
			case "id":
				step.id = value
			case "run":
				if value != "|" {
					step.run, key = value+"\n", ""
				}
			}
		case section == "jobs" && indent == 10 && key == "env":
			step.env = append(step.env, name+"="+value)
		}
	}
	return steps, env, nil
}

var expression = regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`)

// Nothing that someone else writes gets into a command: expressions stand in the
// environment, and name nothing but ids and what the workflow itself has made.
func TestWorkflow(t *testing.T) {
	steps, env, err := workflow(workflowFile)
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{"github.token", "github.event_name", "github.event.workflow_run.head_sha || github.sha", "github.server_url", "github.repository", "github.run_id"}
	var runs []string
	for _, step := range steps {
		if step.run == "" {
			continue
		}
		runs = append(runs, step.name)
		if strings.Contains(step.run, "${{") {
			t.Errorf("%s: an expression in a command", step.name)
		}
		for _, pair := range append(step.env, env...) {
			for _, m := range expression.FindAllStringSubmatch(pair, -1) {
				ours := strings.HasPrefix(m[1], "steps.") || strings.HasPrefix(m[1], "needs.")
				if !ours && !slices.Contains(allowed, m[1]) {
					t.Errorf("%s: %s in the environment", step.name, m[1])
				}
			}
		}
	}
	want := []string{"Install gitdd", "Find the last green commit", "Isolate the cause", "Show it with this run", "Comment the cause"}
	if !slices.Equal(runs, want) {
		t.Errorf("steps that run something: %q, want %q", runs, want)
	}
	text, err := os.ReadFile(workflowFile)
	if err != nil {
		t.Fatal(err)
	}
	isolate, tell, _ := strings.Cut(string(text), "\n  tell:\n")
	switch {
	case !strings.Contains(isolate, "\npermissions: {}\n"):
		t.Error("all jobs may do something")
	case strings.Contains(isolate, ": write"):
		t.Error("the job that runs the code of the repository may write")
	case strings.Contains(tell, "checkout") || strings.Contains(tell, "gitdd run"):
		t.Error("the job that may write runs code of the repository")
	case !strings.Contains(isolate, "persist-credentials: false"):
		t.Error("the code of the repository may read the token of the checkout")
	}
}

// workflowStepCommand runs the shell of a step as GitHub does: with its environment, in
// which expressions have the values that earlier steps gave them (GITHUB_OUTPUT), or
// the variables of the script with an @ before their name; that of the step is beside
// it in the files $WORK/summary, $WORK/outputs.
func workflowStepCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: step STATUS NAME...")
	}
	steps, env, err := workflow(workflowFile)
	ts.Check(err)
	name := strings.Join(args[1:], " ")
	i := slices.IndexFunc(steps, func(s workflowStep) bool { return s.name == name })
	if i < 0 {
		ts.Fatalf("the workflow has no step %q", name)
	}
	step := steps[i]
	known, err := os.ReadFile(ts.MkAbs(ts.Getenv("WORK") + "/outputs"))
	if err != nil && !os.IsNotExist(err) {
		ts.Fatalf("%v", err)
	}
	value := func(expression string) string {
		of := strings.Replace(expression, "needs.", "jobs.", 1)
		text, found := "", false
		for line := range strings.Lines(string(known)) {
			if name, v, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "="); ok && name == of {
				text, found = v, true // the last one counts
			}
		}
		if !found {
			text = ts.Getenv("@" + expression)
		}
		return text
	}
	for _, pair := range append(env, step.env...) {
		name, text, _ := strings.Cut(pair, "=")
		text = expression.ReplaceAllStringFunc(text, func(e string) string { return value(expression.FindStringSubmatch(e)[1]) })
		if given := ts.Getenv("yours_" + name); given != "" {
			text = given
		}
		ts.Setenv(name, text)
	}
	output := ts.MkAbs(filepath.Join(ts.Getenv("WORK"), "output"))
	script := ts.MkAbs(filepath.Join(ts.Getenv("WORK"), "step.sh"))
	ts.Check(os.WriteFile(script, []byte(step.run), 0o666))
	ts.Check(os.WriteFile(output, nil, 0o666))
	ts.Setenv("GITHUB_OUTPUT", output)
	status := "0"
	if err := ts.Exec("bash", "--noprofile", "--norc", "-eo", "pipefail", script); err != nil {
		status = strings.TrimPrefix(err.Error(), "exit status ")
	}
	text, err := os.ReadFile(output)
	ts.Check(err)
	all, err := os.OpenFile(ts.MkAbs(ts.Getenv("WORK")+"/outputs"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	ts.Check(err)
	for line := range strings.Lines(string(text)) {
		fmt.Fprintf(all, "steps.%s.outputs.%sjobs.%s.outputs.%s", step.id, line, step.job, line)
	}
	ts.Check(all.Close())
	if status != args[0] {
		ts.Fatalf("%s: exit status %s, want %s", name, status, args[0])
	}
}

// redMain is what GitHub tells a workflow when main is red: with EVENT, at HEAD of REPO.
// Its gh is a stand-in.
func redMain(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: red EVENT REPO")
	}
	work := ts.Getenv("WORK")
	head, err := exec.Command("git", "-C", ts.MkAbs(args[1]), "rev-parse", "HEAD").Output()
	ts.Check(err)
	bin, temp := filepath.Join(work, "bin"), filepath.Join(work, "temp")
	for _, dir := range []string{bin, temp} {
		ts.Check(os.MkdirAll(dir, 0o777))
	}
	ts.Check(os.WriteFile(filepath.Join(bin, "gh"), []byte(standIn), 0o777))
	for name, value := range map[string]string{
		"GITHUB_REPOSITORY":   "someone/config",
		"GITHUB_STEP_SUMMARY": filepath.Join(work, "summary"),
		"RUNNER_TEMP":         temp,
		"@github.token":       "secret",
		"@github.event_name":  args[0],
		"@github.server_url":  "https://github.example",
		"@github.repository":  "someone/config",
		"@github.run_id":      "42",
		"@github.event.workflow_run.head_sha || github.sha": strings.TrimSpace(string(head)),
	} {
		ts.Setenv(name, value)
	}
	if path := ts.Getenv("PATH"); !strings.HasPrefix(path, bin) {
		ts.Setenv("PATH", bin+string(filepath.ListSeparator)+path)
	}
}

// standIn answers from the files in api, and notes each question in the file asked.
const standIn = `#!/bin/sh
# gh api [--method POST] PATH [--jq FILTER] [-F body=@FILE] [--silent]
echo "$*" >>"$WORK/asked"
test "$GH_TOKEN" = secret || exit 4
while test $# -gt 0; do
	case $1 in
	--jq) filter=$2; shift ;;
	-F) cp "${2#body=@}" "$WORK/comment"; shift ;;
	*/workflows/ci.yml/runs\?branch=main*) file=runs ;;
	*/pulls) file=pulls ;;
	esac
	shift
done
test -z "$file" || jq -r "$filter" "$WORK/api/$file"
`
