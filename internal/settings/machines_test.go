package settings

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/cluster"
	"github.com/gitdd/gitdd/trial"
)

// parsed are the settings that a command line of gitdd run means.
func parsed(t *testing.T, line string) (Search, error) {
	t.Helper()
	var s Search
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.Flags(flags)
	if err := flags.Parse(append([]string{"--good", "v1"}, strings.Fields(line)...)); err != nil {
		t.Fatal(err)
	}
	return s, s.Check()
}

// Settings of machines that contradict each other are refused, with what to do.
func TestMachinesRefused(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"--remote grpc://farm:8980": "",
		"--remote grpcs://farm --remote-ca a --remote-cert b --remote-key c":         "",
		"--remote grpc://[::1]:80/ --remote-property a=b=c --remote-header x=\u00e9": "--remote-header: x: a value is printable ASCII",
		"--slurm --slurm-option=--mem=4G --slurm-shared /nfs":                        "",
		"--slurm=debug,long --max-cost 40 -j 300":                                    "",
		"--remote localhost:8980":                                                    "say how it is spoken to: grpc://localhost:8980, or grpcs://localhost:8980",
		"--remote http://farm":                                                       "want grpc://HOST:PORT, or grpcs://HOST:PORT with TLS",
		"--remote grpc://":                                                           "want grpc://HOST:PORT",
		"--remote farm":                                                              "want grpc://HOST:PORT",
		"--remote grpc://farm/main":                                                  "the name of an instance is given by --remote-instance",
		"--remote grpc://me:secret@farm":                                             "give them by --remote-header authorization=@FILE",
		"--remote http://me:secret@farm":                                             "give them by --remote-header authorization=@FILE",
		"--remote grpc://me:%secret@farm:8980":                                       "give them by --remote-header authorization=@FILE",
		"--remote me:secret@farm:8980":                                               "give them by --remote-header authorization=@FILE",
		"--remote grpc://farm --remote-ca a":                                         "--remote grpc://farm has no TLS",
		"--remote grpc://farm:1 --remote-cache grpcs://store --remote-ca a --remote-patience 1m": "",
		"--remote grpc://farm:1 --remote-cache store:1":                                          "--remote-cache store:1: say how it is spoken to: grpc://store:1",
		"--remote grpc://farm:1 --remote-cache grpc://me:secret@store":                           "give them by --remote-header authorization=@FILE",
		"--remote-untouched":                                                 "--remote-untouched is about a cluster of the Remote Execution API",
		"--remote-cache grpc://store:1":                                      "--remote-cache is about a cluster of the Remote Execution API",
		"--slurm --remote-patience 1m":                                       "--remote-patience is about a cluster of the Remote Execution API",
		"--remote grpc://farm --remote-patience -1s":                         "want a time, or 0",
		"--remote grpcs://farm --remote-cert a":                              "--remote-cert and --remote-key: want both",
		"--remote grpc://farm --remote-property linux":                       "--remote-property linux: want K=V",
		"--remote grpc://farm --remote-header secret":                        "want K=V, or K=@FILE",
		"--remote grpc://farm --remote-header secret=":                       "want K=V, or K=@FILE",
		"--remote grpc://farm --remote-header x-api-key:secret=":             "want K=V, or K=@FILE",
		"--remote grpc://farm --remote-header authorization:Bearer/secret==": "what is before the equals sign is no name of a header",
		"--remote grpc://farm --remote-header grpc-timeout=1":                "grpc-timeout is no name of a header that can be set",
		"--remote grpc://farm --slurm":                                       "--remote and --slurm: want one of them",
		"--remote-instance main":                                             "name its address, --remote grpc://HOST:PORT",
		"--remote-header x=y --slurm":                                        "name its address, --remote grpc://HOST:PORT",
		"--slurm-option=--mem=4G":                                            "--slurm-option is for srun: say --slurm as well",
		"--slurm-shared /nfs":                                                "say --slurm as well",
		"--slurm --slurm-shared /nfs --workspace-root /fast":                 "--slurm-shared and --workspace-root: want one of them",
		"--slurm --max-memory 1500M":                                         "--slurm-option=--mem=1500M",
		"--slurm --max-memory 2G":                                            "--slurm-option=--mem=2G",
		"--slurm --max-disk 1K":                                              "--slurm-option=--tmp=1M",
		"--remote grpc://farm --max-memory 2G":                               "by --remote-property",
		"--remote grpc://farm --max-disk 2G":                                 "the machines have a limit of their own",
		"--slurm --artifact a.out":                                           "--artifact looks at what is built on this machine, not with --slurm",
		"--max-cost -2":                                                      "--max-cost -2: want 0 or more",
	} {
		_, err := parsed(t, line)
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: a password is in %q", line, err)
		}
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && !strings.Contains(got, want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

// A session keeps where its trials run, but no value of a header: a resumed one asks
// for these again, by name, and for no others.
func TestMachinesKept(t *testing.T) {
	t.Parallel()
	s, err := parsed(t, "--remote grpcs://farm:443 --remote-instance main --remote-property a=b --remote-property c=d --remote-untouched "+
		"--remote-header x-api-key=SECRET --remote-header Authorization=@token --remote-header other=SECRET2 --remote-ca ca.pem --max-cost 7")
	if err != nil {
		t.Fatal(err)
	}
	words := s.Words()
	if text := strings.Join(words, " "); strings.Contains(text, "SECRET") || !strings.Contains(text, "--remote-header=authorization=@token") {
		t.Errorf("a session keeps %s", text)
	}
	resumed := func(line string) (Search, error) {
		again, err := OfSearch(trial.Header{Args: words})
		if err != nil {
			t.Fatal(err)
		}
		var more Machines
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		more.moved(flags)
		if err := flags.Parse(strings.Fields(line)); err != nil {
			t.Fatal(err)
		}
		return again, again.Machines.Renew(more.Options)
	}
	for line, want := range map[string]string{
		"":                              "begun with --remote-header x-api-key=V --remote-header other=V, and their values are not kept: give them again, or @FILE",
		"--remote-header X-API-Key=NEW": "begun with --remote-header other=V, and its value is not kept: give it again",
		"--remote-header x-api-key=NEW --remote-header other=@other": "",
		"--remote http://farm": "want grpc://HOST:PORT",
	} {
		if _, err := resumed(line); want == "" && err != nil || want != "" && !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("resume %s: %v, want %q", line, err, want)
		}
	}
	again, err := resumed("--remote grpcs://other:443 --remote-header x-api-key=NEW --remote-header other=@other --remote-header authorization=@another")
	if err != nil {
		t.Fatal(err)
	}
	if files, secrets := again.Headers.GetSlice(), again.Headers.SecretNames(); !slices.Equal(files, []string{"other=@other", "authorization=@another"}) || !slices.Equal(secrets, []string{"x-api-key"}) {
		t.Errorf("a resumed search has the headers %q, and values for %q", files, secrets)
	}
	if again.Remote != "grpcs://other:443" || again.Instance != "main" || !slices.Equal(again.Properties, []string{"a=b", "c=d"}) || again.CA != "ca.pem" || again.maxCost != 7 || !again.Untouched {
		t.Errorf("a resumed search goes to %+v", again.Machines)
	}

	for _, line := range []string{"--slurm", "--slurm=debug --slurm-option=--mem=4G --slurm-option=--qos=low --slurm-shared /nfs"} {
		s, err := parsed(t, line)
		if err != nil {
			t.Fatal(err)
		}
		again, err := OfSearch(trial.Header{Args: s.Words()})
		if err != nil {
			t.Fatal(err)
		}
		if again.Slurm != s.Slurm || !again.Slurm.Named || !slices.Equal(again.SlurmOptions, s.SlurmOptions) || again.Shared != s.Shared {
			t.Errorf("%s: a session keeps %q, which is %+v", line, s.Words(), again.Machines)
		}
		if err := again.Machines.Renew(cluster.Options{Remote: "grpc://farm"}); err == nil || !strings.Contains(err.Error(), "ran elsewhere") {
			t.Errorf("%s: resume --remote: %v", line, err)
		}
	}
}
