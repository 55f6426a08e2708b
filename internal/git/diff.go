package git

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Delta is one path that differs between two trees.
type Delta struct {
	Status           byte   // 'A' added, 'D' deleted, 'M' modified, 'T' type changed, 'R' renamed, 'C' copied
	OldPath, NewPath string // raw bytes; equal unless renamed or copied
	OldMode, NewMode Mode   // 0 where the path does not exist
	OldID, NewID     ID     // "" where the path does not exist
	Score            int    // percent of likeness of a rename or copy
}

// diffSettings fix everything that config could change. Renames are those of
// `git diff -M50%`. Beyond 1000 x 1000 candidates git finds exact renames only;
// that keeps the 61,000 paths between two Linux releases below a second, where
// no limit takes half a minute. Two empty files are no rename.
var diffSettings = []string{
	"diff-tree", "-r", "-z", "--raw", "--no-abbrev", "-M50%", "-l1000",
	"--no-rename-empty", "--no-relative", "--ignore-submodules=none", "--no-ext-diff", "--no-textconv", "--no-color",
}

// copyCandidates is up to how many pairs of an added and another changed file
// are compared for copies (`-C50%`): git reads both, so it is the one costly
// part of a tree diff. It is a second on the 4,600 paths between two point
// releases of Linux, for a few dozen added files.
const copyCandidates = 20_000

// DiffTrees returns the paths that differ between two trees, in git's order,
// with renames found, and copies of changed files unless very many files
// changed. Pathspecs limit it, as git understands them: relative to the opened
// directory, magic included; none is no limit. Cost: no process where few directories
// differ and no file was added beside other changes, for then there is nothing to find.
func (r *Repo) DiffTrees(ctx context.Context, old, new ID, pathspecs []string) ([]Delta, error) {
	if len(pathspecs) == 0 && old.valid(r.format) && new.valid(r.format) {
		d := r.treeDiff(ctx, fewTrees)
		err := d.trees("", old, new)
		if err == nil && (countAdded(d.deltas) == 0 || countAdded(d.deltas) == len(d.deltas)) {
			return d.deltas, nil
		}
	}
	deltas, err := r.diffTrees(ctx, old, new, pathspecs)
	if err != nil {
		return nil, err
	}
	added := countAdded(deltas)
	if pairs := added * (len(deltas) - added); pairs == 0 || pairs > copyCandidates {
		return deltas, nil
	}
	return r.diffTrees(ctx, old, new, pathspecs, "-C50%")
}

func countAdded(deltas []Delta) int {
	added := 0
	for _, d := range deltas {
		if d.Status == 'A' {
			added++
		}
	}
	return added
}

func (r *Repo) diffTrees(ctx context.Context, old, new ID, pathspecs []string, settings ...string) ([]Delta, error) {
	for _, id := range []ID{old, new} {
		if !id.valid(r.format) {
			return nil, fmt.Errorf("diff trees: %q is not an object id of this repository (%s)", id, r.format)
		}
	}
	at := r.atPrefix()
	at.env = append(at.env, asStored)
	out, err := at.run(ctx, nil, slices.Concat(diffSettings, settings, []string{string(old), string(new), "--"}, pathspecs)...)
	if err != nil {
		return nil, r.pathspecError(err, pathspecs)
	}
	deltas, err := parseRaw(out)
	if err != nil {
		return nil, fmt.Errorf("diff trees %s %s: %w", old, new, err)
	}
	return deltas, nil
}

// parseRaw reads git's raw diff format with -z (git-diff-tree, "RAW OUTPUT
// FORMAT"): ":100644 100755 <old> <new> M NUL path NUL", for renames and copies
// "R086 NUL old path NUL new path NUL".
func parseRaw(out []byte) ([]Delta, error) {
	var deltas []Delta
	field := func() (string, bool) {
		value, rest, ok := bytes.Cut(out, []byte{0})
		out = rest
		return string(value), ok
	}
	for len(out) > 0 {
		head, _ := field()
		d, err := parseRawHead(head)
		if err != nil {
			return nil, err
		}
		path, ok := field()
		d.OldPath, d.NewPath = path, path
		if d.Status == 'R' || d.Status == 'C' {
			d.NewPath, ok = field()
		}
		if !ok || d.OldPath == "" || d.NewPath == "" {
			return nil, fmt.Errorf("raw diff ends within %q", head)
		}
		deltas = append(deltas, d)
	}
	return deltas, nil
}

func parseRawHead(head string) (Delta, error) {
	var d Delta
	bad := fmt.Errorf("raw diff has the line %q", head)
	fields := strings.Split(strings.TrimPrefix(head, ":"), " ")
	if len(fields) != 5 || len(fields[4]) == 0 || !strings.HasPrefix(head, ":") {
		return d, bad
	}
	oldMode, err1 := strconv.ParseUint(fields[0], 8, 32)
	newMode, err2 := strconv.ParseUint(fields[1], 8, 32)
	if err1 != nil || err2 != nil {
		return d, bad
	}
	d.OldMode, d.NewMode = Mode(oldMode), Mode(newMode)
	if oldMode != 0 {
		d.OldID = ID(fields[2])
	}
	if newMode != 0 {
		d.NewID = ID(fields[3])
	}
	d.Status = fields[4][0]
	if !strings.ContainsRune("ADMTRC", rune(d.Status)) {
		return d, bad
	}
	if score := fields[4][1:]; score != "" {
		value, err := strconv.Atoi(score)
		if err != nil {
			return d, bad
		}
		d.Score = value
	}
	return d, nil
}
