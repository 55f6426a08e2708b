package main

import (
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
)

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
var scpLike = regexp.MustCompile(`^(?:([\w.-]+)@)?([\w.-]{2,}):([^/:].*|/.*)$`)

// publicURI is the address of a remote without what is the user's own: names,
// passwords, tokens in queries. "" for what is no address for others.
func publicURI(remote string) string {
	if m := scpLike.FindStringSubmatch(remote); m != nil && !strings.Contains(remote, "://") {
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
