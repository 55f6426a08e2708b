package dependency

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Fetch brings both versions of a dependency, and returns a folder or an archive for each. project is a directory of the
// project, whose settings for the package manager hold; dir is one for what is brought. Nothing is written in the project. The error says
// what to do where a version, the network or a password is missing, and where a checksum does not match.
func Fetch(ctx context.Context, u Update, project, dir string) (both [2]string, err error) {
	if u.Refused != "" {
		return both, errors.New(u.Refused)
	}
	for i, version := range []string{u.Old, u.New} {
		if u.Manager == Go {
			both[i], err = fetchGo(ctx, u.Name, version, u.Sums[i], dir)
		} else {
			both[i], err = fetchNpm(ctx, cmp.Or(u.From[i], u.Name+"@"+version), u.Sums[i], project, dir)
		}
		if err != nil {
			return both, fmt.Errorf("%s %s cannot be brought: %w", u.Name, version, err)
		}
	}
	return both, nil
}

func fetchGo(ctx context.Context, name, version, sum, dir string) (string, error) {
	// Elsewhere than in the project, whose go.mod would decide what can be downloaded.
	out, err := run(ctx, dir, []string{"GOFLAGS=", "GOWORK=off", "GO111MODULE=on"}, "go", "mod", "download", "-json", name+"@"+version)
	var got struct{ Dir, Sum, Error string }
	if jsonErr := json.Unmarshal(out, &got); jsonErr != nil {
		return "", cmp.Or(err, fmt.Errorf("go mod download prints %q: %w", clip(string(out)), jsonErr))
	}
	switch {
	case got.Error != "":
		return "", said(got.Error)
	case sum != "" && sum != got.Sum:
		return "", fmt.Errorf("its checksum is %s, and go.sum has %s: `go clean -modcache` and `go mod verify` tell which of them is right", got.Sum, sum)
	}
	return got.Dir, nil
}

// fetchNpm brings what a name with a version stands for, or the archive at an address. npm puts the registry of the settings in the place of
// registry.npmjs.org in an address, as npm ci does.
func fetchNpm(ctx context.Context, what, sum, project, dir string) (string, error) {
	dir, err := os.MkdirTemp(dir, "npm-") // archives of two addresses may have one name
	if err != nil {
		return "", err
	}
	out, err := run(ctx, project, []string{"npm_config_update_notifier=false"}, "npm", "pack", "--json", "--prefer-offline", "--ignore-scripts", "--pack-destination", dir, "--", what)
	if err != nil {
		return "", err
	}
	var packed []struct{ Filename string }
	if err := json.Unmarshal(out, &packed); err != nil || len(packed) != 1 {
		return "", fmt.Errorf("npm pack prints %q, and not the name of one file", clip(string(out)))
	}
	file := filepath.Join(dir, filepath.Base(packed[0].Filename))
	content, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if have := integrity(content, sum); have != "" && !strings.Contains(sum, have) {
		return "", fmt.Errorf("its checksum is %s, and the lock file has %s: the registry has another file than it had, or the lock file was edited", have, sum)
	}
	return file, nil
}

// integrity is the checksum of a content of the kind that a lock file has of it; "" if that has none.
func integrity(content []byte, sum string) string {
	kind, _, _ := strings.Cut(sum, "-")
	var h hash.Hash
	switch kind {
	case "sha512":
		h = sha512.New()
	case "sha384":
		h = sha512.New384()
	case "sha256":
		h = sha256.New()
	case "sha1":
		h = sha1.New()
	default:
		return ""
	}
	h.Write(content)
	return kind + "-" + base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// run runs a package manager and returns its standard output. The error is what it said.
func run(ctx context.Context, dir string, env []string, program string, args ...string) ([]byte, error) {
	if _, err := exec.LookPath(program); err != nil {
		return nil, fmt.Errorf("the program %s was not found, which knows where versions are: put it on PATH, or name a clone by --with", program)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	var out, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), env...), &out, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return out.Bytes(), said(cmp.Or(stderr.String(), out.String(), err.Error()))
	}
	return out.Bytes(), nil
}

// reasons are what package managers say, and what may help.
var reasons = []struct{ says, means string }{
	{"checksum mismatch", "its checksum does not match: the file is another one than the checksum was made of"},
	{"EINTEGRITY", "its checksum does not match: the file is another one than the checksum was made of"},
	{"E401", "the registry wants a password: `npm login`"},
	{"E403", "the registry refuses it"},
	{"ETARGET", "the registry has no such version"},
	{"E404", "the registry has no such package, or wants a password"},
	{"terminal prompts disabled", "its repository wants a password: set GOPRIVATE and git's credentials"},
	{"unknown revision", "its repository has no such version"},
	{"404 Not Found", "the proxy has no such version"},
	{"410 Gone", "the proxy has no such version any more"},
	{"403 Forbidden", "the proxy refuses it"},
	{"module lookup disabled", "it is not in the module cache, and GOPROXY=off"},
	{"no such host", "the registry or proxy cannot be reached"},
	{"dial tcp", "the registry or proxy cannot be reached"},
	{"ENOTFOUND", "the registry or proxy cannot be reached"},
	{"EAI_AGAIN", "the registry or proxy cannot be reached"},
	{"ECONNREFUSED", "the registry or proxy cannot be reached"},
	{"ENOTCACHED", "it is not in the cache, and npm is offline"},
}

// said is the error of a package manager.
func said(text string) error {
	for _, r := range reasons {
		if strings.Contains(text, r.says) {
			return fmt.Errorf("%s (%s)", r.means, clip(lineWith(text, r.says)))
		}
	}
	return errors.New(clip(text))
}

func lineWith(text, part string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			return line
		}
	}
	return text
}

// clip is a text as it fits into an error.
func clip(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	const most = 300
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}
