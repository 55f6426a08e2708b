package settings

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The module cache is the one that the go command uses, however that was told.
func TestModules(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	for name, set := range map[string]func(home, cache string){
		"the environment":                  func(home, cache string) { t.Setenv("GOMODCACHE", cache) },
		"GOPATH of the environment":        func(home, cache string) { t.Setenv("GOPATH", filepath.Join(home, "path")) },
		"go env -w":                        func(home, cache string) { goEnv(t, "-w", "GOMODCACHE="+cache) },
		"go env -w, and then another time": func(home, cache string) { goEnv(t, "-w", "GOMODCACHE="+home); goEnv(t, "-w", "GOMODCACHE="+cache) },
		"GOPATH of go env -w":              func(home, cache string) { goEnv(t, "-w", "GOPATH="+filepath.Join(home, "path")) },
		"GOENV": func(home, cache string) {
			t.Setenv("GOENV", filepath.Join(home, "settings"))
			goEnv(t, "-w", "GOMODCACHE="+cache)
		},
		"GOENV=off": func(home, cache string) {
			goEnv(t, "-w", "GOMODCACHE="+home)
			t.Setenv("GOENV", "off")
			t.Setenv("GOPATH", filepath.Join(home, "path"))
		},
		"nothing": func(home, cache string) {},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			for _, variable := range []string{"GOMODCACHE", "GOPATH", "GOENV", "GOFLAGS"} {
				t.Setenv(variable, "")
			}
			t.Setenv("HOME", home)
			t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
			// Else a process of the go command writes counters of its use there after the command has ended, while the directory is removed.
			config, err := os.UserConfigDir()
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(config, "go", "telemetry", "mode"), "off\n")
			set(home, filepath.Join(home, "path", "pkg", "mod"))
			file := filepath.Join(goEnv(t, "GOMODCACHE"), "cache", "download", "e.org", "!m", "@v", "v1.0.0.mod")
			if !strings.HasPrefix(file, home) {
				t.Fatalf("the go command has %s", file)
			}
			write(t, file, "module e.org/M\n")
			read := Modules()
			if got := read("e.org/M", "v1.0.0"); string(got) != "module e.org/M\n" {
				t.Errorf("got %q of %s", got, file)
			}
			if got := read("e.org/M", "v1.1.0"); got != nil {
				t.Errorf("got %q of a version that is not there", got)
			}
		})
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// goEnv is what go env prints.
func goEnv(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"env"}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("go env %q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}
