package git

import (
	"context"
	"strings"
)

// programKeys are the config keys that name programs which a fetch would run.
// (Protocols that run others are shut out by GIT_ALLOW_PROTOCOL.)
var programKeys = []string{
	"core.sshcommand", "core.gitproxy", "core.askpass", "core.alternaterefscommand",
	"credential.helper", "credential.*.helper", "remote.*.uploadpack", "remote.*.vcs",
}

// fetching says whether git may fetch missing objects on its own. Only a partial
// clone needs that, and reading must not run a program because the repository's
// own config names it: such a clone reads what it has. The user's own config
// (global, system, environment) may name what it likes.
type fetching struct {
	partial bool
	named   string // the key that forbids it, "" = none
}

func (f fetching) allowed() bool { return f.partial && f.named == "" }

// hint says why a missing object was not fetched, "" if it was not forbidden.
func (f fetching) hint() string {
	if !f.partial || f.named == "" {
		return ""
	}
	return "the config of this partial clone names a program to fetch with (" + f.named +
		"), which gitdd does not run: fetch what is missing first, or move that key to your global config"
}

// readFetching reads it off the config.
func (r *Repo) readFetching(ctx context.Context) (fetching, error) {
	var f fetching
	all, err := r.settings(ctx)
	if err != nil {
		return f, err
	}
	for _, s := range all {
		if matches(s.key, "extensions.partialclone", "remote.*.promisor") {
			f.partial = true
		}
		if s.own() && matches(s.key, programKeys...) {
			f.named = s.key
		}
	}
	return f, nil
}

// matches reports whether key fits one of the patterns. In a pattern with a
// subsection * stands for any subsection, slashes and dots included.
func matches(key string, patterns ...string) bool {
	for _, pattern := range patterns {
		first, last, wild := strings.Cut(pattern, "*")
		if wild && len(key) >= len(pattern) && strings.HasPrefix(key, first) && strings.HasSuffix(key, last) || key == pattern {
			return true
		}
	}
	return false
}

// IsPartial reports whether the repository lacks objects that git would fetch when
// they are asked for.
func (r *Repo) IsPartial() bool { return r.fetching.partial }

// FetchHint says why objects that are missing are not fetched when they are asked for,
// and what to do; "" if they are, or none is missing.
func (r *Repo) FetchHint() string { return r.fetching.hint() }
