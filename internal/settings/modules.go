package settings

import (
	"go/build"
	"os"
	"path/filepath"

	"golang.org/x/mod/module"
)

// Modules reads the go.mod of a version of a Go module from the module cache, where the go command has put it
// when it built that version or something that requires it; nil if it is not there.
func Modules(path, version string) []byte {
	cache := os.Getenv("GOMODCACHE")
	if cache == "" {
		list := filepath.SplitList(build.Default.GOPATH)
		if len(list) == 0 {
			return nil
		}
		cache = filepath.Join(list[0], "pkg", "mod")
	}
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
