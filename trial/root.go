package trial

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/git"
)

// CacheVariable is the environment variable that names another place for the
// sessions of all repositories than the user's cache directory.
const CacheVariable = disk.CacheVariable

// Root returns the directory that holds the sessions of repo, which may not
// exist yet: a readable name and a short hash of the common directory, below
// $GITDD_CACHE_DIR or the user's cache directory. All linked worktrees of one
// repository share it.
func Root(repo *git.Repo) (string, error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	common := filepath.Clean(repo.CommonDir())
	sum := sha256.Sum256([]byte(common))
	return filepath.Join(cache, readable(common)+"-"+hex.EncodeToString(sum[:5])), nil
}

// InputRoot is like Root for sessions that belong to a directory and not to a repository: it
// returns the directory that holds the sessions of reductions that were started in dir.
func InputRoot(dir string) (string, error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	sum := sha256.Sum256([]byte("input\x00" + dir)) // a bare repository may lie in dir
	return filepath.Join(cache, readable(dir)+"-"+hex.EncodeToString(sum[:5])), nil
}

// cacheDir returns the absolute directory below which all roots lie.
func cacheDir() (string, error) {
	if dir := os.Getenv(CacheVariable); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", fmt.Errorf("%s=%s: %w", CacheVariable, dir, err)
		}
		return abs, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a cache directory: %w; set %s to a directory for gitdd's sessions", err, CacheVariable)
	}
	return filepath.Join(dir, "gitdd"), nil
}

// readable names the repository whose common directory is given: the name of
// the directory around .git, or that of a bare repository, in letters that no
// shell needs to quote.
func readable(common string) string {
	name := filepath.Base(common)
	if name == ".git" {
		name = filepath.Base(filepath.Dir(common))
	}
	name = strings.TrimSuffix(name, ".git")
	name = strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
			return c
		}
		return '_'
	}, name)
	name = strings.TrimLeft(name, "._-")
	if len(name) > 40 {
		name = name[:40]
	}
	if name == "" {
		name = "repository"
	}
	return name
}
