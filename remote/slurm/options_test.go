package slurm

import (
	"slices"
	"strings"
	"testing"
)

// Options of srun that a task would not survive are refused however they are written.
func TestOptions(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{
		"--mem=4G":               "",
		"--account=physics":      "",
		"--acc=physics":          "",
		"--exclusive":            "",
		"--exclusive=user":       "",
		"--nice":                 "",
		"--nodelist=a":           "",
		"--begin=now+1hour":      "",
		"--export=ALL,A=b":       "",
		"--wait-for-children":    "",
		"--time=-n2":             "",
		"-A physics":             "",
		"-pdebug":                "",
		"-vvpn":                  "", // partition n
		"-t30":                   "",
		"-K":                     "",
		"-K0":                    "",
		"-sO":                    "",
		"--ntasks=2":             "--ntasks of srun cannot be used",
		"--nta=2":                "--nta of srun cannot be used",
		"--ntasks":               "cannot be used",
		"--ntasks-per-node=2":    "cannot be used",
		"--nodes=2":              "cannot be used",
		"--out=/dev/null":        "--out of srun cannot be used",
		"--err=none":             "cannot be used",
		"--job-n=x":              "cannot be used",
		"--lab":                  "cannot be used",
		"--pty":                  "cannot be used",
		"--pt":                   "cannot be used",
		"--imm=5":                "cannot be used",
		"--test":                 "cannot be used",
		"--clusters=b":           "SLURM_CLUSTERS",
		"--clus=b":               "SLURM_CLUSTERS",
		"-Mb":                    "SLURM_CLUSTERS",
		"-n2":                    "-n of srun cannot be used",
		"-n 2":                   "-n of srun cannot be used",
		"-vn2":                   "-n of srun cannot be used",
		"-sl":                    "-l of srun cannot be used",
		"-o/dev/null":            "-o of srun cannot be used",
		"--mem":                  "--mem=VALUE",
		"--acco":                 "--acco=VALUE",
		"-p":                     "-pVALUE",
		"-vp":                    "-pVALUE",
		"physics":                "no option of srun",
		"-":                      "no option of srun",
		"--":                     "no option of srun",
		"":                       "no option of srun",
		"--no-such-option":       "", // srun says so
		"--from-another-version": "",
	} {
		err := Options{Args: []string{"--qos=long", arg}}.refuse()
		if got := ""; err != nil {
			if got = err.Error(); want == "" || !strings.Contains(got, want) {
				t.Errorf("%q: %s, want %q", arg, got, want)
			}
		} else if want != "" {
			t.Errorf("%q: is taken, want %q", arg, want)
		}
	}
}

// Variables of the user that mean such options, or leave jobs out of lists, do not reach
// Slurm's programs; settings of the cluster and wishes of the user do.
func TestEnviron(t *testing.T) {
	has := func(name string) bool {
		return slices.ContainsFunc(environ(), func(v string) bool { return strings.HasPrefix(v, name+"=") })
	}
	t.Setenv("SLURM_JOB_ID", "") // as if there were none
	for name, want := range map[string]bool{
		"SLURM_CONF": true, "SLURM_JWT": true, "SLURM_PARTITION": true, "SLURM_ACCOUNT": true, "SLURM_TIMELIMIT": true, "PATH": true,
		"SLURM_NTASKS": false, "SLURM_LABELIO": false, "SLURM_STDOUTMODE": false, "SLURM_JOB_NAME": false, "SLURM_NNODES": false,
		"SQUEUE_PARTITION": false, "SQUEUE_SORT": false, "SCANCEL_INTERACTIVE": false, "SINFO_PARTITION": false,
	} {
		t.Setenv(name, "x")
		if has(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
	t.Setenv("SLURM_JOB_ID", "7")
	for name, want := range map[string]bool{"SLURM_CONF": true, "SLURM_JWT": true, "SLURM_PARTITION": false, "SLURM_JOB_ID": false, "SLURM_STEP_ID": false} {
		t.Setenv(name, "7")
		if has(name) != want {
			t.Errorf("within a job, %s: %v", name, !want)
		}
	}
}
