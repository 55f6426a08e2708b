package settings

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"
)

// Modules returns a function that reads the go.mod of a version of a Go module from the module cache, where the go command has put it
// when it built that version or something that requires it; nil if it is not there. The go command is not run for that.
func Modules() func(path, version string) []byte {
	cache := goSetting("GOMODCACHE")
	if cache == "" {
		list := filepath.SplitList(goSetting("GOPATH"))
		if len(list) == 0 {
			home, err := os.UserHomeDir()
			if err != nil {
				return nil
			}
			list = []string{filepath.Join(home, "go")}
		}
		cache = filepath.Join(list[0], "pkg", "mod")
	}
	if !filepath.IsAbs(cache) {
		return nil // the go command refuses it
	}
	return func(path, version string) []byte {
		path, err := module.EscapePath(path)
		if err != nil {
			return nil
		}
		version, err = module.EscapeVersion(version)
		if err != nil {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(cache, "cache", "download", filepath.FromSlash(path), "@v", version+".mod"))
		if err != nil {
			return nil // whatever is wrong with the cache, the search can do without
		}
		return text
	}
}

// goSetting is a setting of the go command: an environment variable, or else what `go env -w` has written to a file, in which the last line
// counts; "" = neither is there (pkg.go.dev/cmd/go, "Environment variables"; cmd/go/internal/cfg, EnvFile).
func goSetting(name string) (value string) {
	if value = os.Getenv(name); value != "" {
		return value
	}
	file := os.Getenv("GOENV")
	if file == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return ""
		}
		file = filepath.Join(dir, "go", "env")
	}
	if file == "off" {
		return ""
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, set, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "="); ok && key == name {
			value = set
		}
	}
	return value
}
