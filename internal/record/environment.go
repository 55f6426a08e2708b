package record

import (
	"context"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// Environment is where the trials of a session ran: gitdd is the version of the program, repo is nil for
// none, and repeat are the command lines that do the same from the beginning.
func Environment(ctx context.Context, gitdd string, h trial.Header, repo *git.Repo, repeat [][]string) report.Environment {
	e := report.Environment{
		Gitdd: gitdd, System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU(),
		Parser: grouping.Parser, Started: h.Started.Format(time.RFC3339), Repeat: repeat,
	}
	if repo != nil {
		e.Repository = originOf(ctx, repo)
		e.Git, e.Subdir = repo.Version(), strings.ToValidUTF8(repo.Prefix(), "\ufffd")
	}
	return e
}

// originOf is where the repository comes from, as a URI for others: its remote
// origin, or the one remote that it has; "" = none, or one on this machine.
func originOf(ctx context.Context, repo *git.Repo) string {
	names, err := repo.Remotes(ctx)
	if err != nil || len(names) == 0 {
		return ""
	}
	name := names[0]
	if slices.Contains(names, "origin") {
		name = "origin"
	} else if len(names) > 1 {
		return ""
	}
	out, err := repo.Git(ctx, "remote", "get-url", name)
	if err != nil {
		return ""
	}
	return publicURI(strings.TrimSpace(string(out)))
}

// scpLike is HOST:PATH, with a user before it; one letter is a drive.
var scpLike = lazyregexp.New(`^(?:([\w.-]+)@)?([\w.-]{2,}):([^/:].*|/.*)$`)

// publicURI is the address of a remote without what is the user's own: names,
// passwords, tokens in queries. "" for what is no address for others.
func publicURI(remote string) string {
	if m := scpLike().FindStringSubmatch(remote); m != nil && !strings.Contains(remote, "://") {
		remote = "ssh://" + m[2] + "/" + strings.TrimPrefix(m[3], "/")
		if m[1] == "git" {
			remote = "ssh://git@" + strings.TrimPrefix(remote, "ssh://")
		}
	}
	u, err := url.Parse(remote)
	if err != nil || u.Host == "" || u.Scheme == "file" {
		return ""
	}
	if u.Scheme != "ssh" || u.User.Username() != "git" {
		u.User = nil
	} else {
		u.User = url.User("git")
	}
	u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = "", false, "", ""
	return u.String()
}
