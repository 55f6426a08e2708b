package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/trial"
)

// program looks at git.
func (d *examination) program(ctx context.Context) {
	f := trial.Finding{Check: "git", OK: true}
	version, err := git.Installed(ctx)
	if err != nil {
		f.OK, f.Saw, f.Do = false, err.Error(), "install git "+git.Oldest()+" or newer"
	} else {
		f.Saw = fmt.Sprintf("git %s; %s or newer is needed", version, git.Oldest())
	}
	d.found(f)
}

// repository opens it, and looks at what of it is not here.
func (d *examination) repository(ctx context.Context) {
	const check = "repository"
	repo, err := git.Open(ctx, ".")
	if err != nil {
		d.found(trial.Finding{Check: check, Saw: err.Error()})
		return
	}
	d.repo = repo
	if d.head, err = repo.Resolve(ctx, "HEAD"); err != nil {
		d.found(trial.Finding{Check: check, Saw: err.Error(), Do: "commit something: revisions are what a search is between"})
		return
	}
	files, size, disk, names, err := filesOf(ctx, repo, d.head)
	if err != nil {
		d.found(trial.Finding{Check: check, Saw: err.Error(), Do: "let `git fsck` tell what is damaged"})
		return
	}
	d.checkout = disk
	f := trial.Finding{Check: check, OK: true, Saw: fmt.Sprintf("%s in HEAD, %s", prose.Count(files, "file"), prose.Size(size))}
	switch {
	case repo.IsShallow():
		f.OK, f.Saw, f.Do = false, f.Saw+"; a shallow clone, which lacks older revisions", "`git fetch --unshallow` brings them; in CI, check out with all of the history (fetch-depth: 0)"
	case repo.IsPartial() && repo.FetchHint() != "":
		f.OK, f.Saw, f.Do = false, f.Saw+"; "+repo.FetchHint(), "`git fetch --refetch --no-filter` brings all objects"
	case repo.IsPartial():
		f.Saw += "; a partial clone, which fetches what it lacks when that is read"
	}
	d.found(f)
	d.submodules(ctx)
	d.filters(ctx, names)
}

// submodules looks whether those that HEAD pins are here.
func (d *examination) submodules(ctx context.Context) {
	links, gitmodules, err := d.repo.ModulesOf(ctx, d.head.Commit)
	if err != nil || len(links) == 0 {
		return
	}
	names, err := d.repo.ModuleNames(ctx, gitmodules)
	if err != nil {
		return
	}
	var absent []string
	for _, path := range slices.Sorted(maps.Keys(links)) {
		sub, _, err := d.repo.Submodule(ctx, path, names[path], links[path])
		if err != nil || sub == nil {
			absent = append(absent, path)
			continue
		}
		sub.Close()
	}
	f := trial.Finding{Check: "submodules", OK: true, Saw: prose.Count(len(links), "submodule") + ", with the pinned revisions here", Do: "`gitdd run --recurse-submodules` checks them out; else they are empty in a workspace"}
	if len(absent) > 0 {
		f.OK, f.Saw = false, fmt.Sprintf("not here at the pinned revision: %s (%d of %d)", some(absent), len(absent), len(links))
		f.Do = "`git submodule update --init --recursive` brings them; `gitdd run --recurse-submodules` checks them out"
	}
	d.found(f)
}

// some are a few of the names.
func some(names []string) string {
	const most = 3
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " and " + prose.Number(len(names)-most) + " more"
	}
	return strings.Join(names, ", ")
}

// filters looks whether there is a program for each filter that files of HEAD ask for,
// as Git LFS is.
func (d *examination) filters(ctx context.Context, names []byte) {
	if d.repo.Top() == "" || len(names) == 0 {
		return
	}
	out, err := d.repo.GitInput(ctx, bytes.NewReader(names), "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return
	}
	files := map[string]int{}
	for fields := strings.Split(string(out), "\x00"); len(fields) >= 3; fields = fields[3:] {
		if value := fields[2]; value != "unspecified" && value != "unset" && value != "set" {
			files[value]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		d.found(d.filter(ctx, name, files[name]))
	}
}

func (d *examination) filter(ctx context.Context, name string, files int) trial.Finding {
	f := trial.Finding{Check: "filter", Saw: fmt.Sprintf("the filter %s, of %s, ", name, prose.Count(files, "file"))}
	f.Do = "configure it (filter." + name + ".smudge), or tests see the files as they are stored"
	if name == "lfs" {
		f.Do = "install Git LFS, then `git lfs install` and `git lfs fetch --all`"
	}
	var command string
	for _, key := range []string{"process", "smudge"} {
		out, err := d.repo.Git(ctx, "config", "--get", "filter."+name+"."+key)
		var failed *git.Error
		if err == nil && command == "" {
			command = strings.TrimSpace(string(out))
		} else if err != nil && !errors.As(err, &failed) {
			f.Saw += "cannot be asked for: " + err.Error()
			return f
		}
	}
	if command == "" {
		f.Saw += "is not configured: tests would see the files as they are stored"
		return f
	}
	program := strings.Fields(command)[0]
	if _, err := exec.LookPath(program); err != nil && !strings.ContainsAny(program, "'\"$(`") {
		f.Saw += fmt.Sprintf("runs %s, which is not on PATH", program)
		return f
	}
	f.OK, f.Do = true, ""
	f.Saw += "runs " + program
	return f
}

// filesOf returns how many files a revision has, their bytes, what these take of a disk
// about, and their names, each with a NUL behind it.
func filesOf(ctx context.Context, repo *git.Repo, rev git.Revision) (files int, size, disk int64, names []byte, err error) {
	const block = 4096
	out, err := repo.Git(ctx, "ls-tree", "-r", "-z", "-l", "--full-tree", string(rev.Tree))
	if err != nil {
		return 0, 0, 0, nil, err
	}
	for line := range strings.SplitSeq(string(out), "\x00") {
		head, name, ok := strings.Cut(line, "\t")
		fields := strings.Fields(head) // mode, kind, id, size
		if !ok || len(fields) != 4 || fields[1] != "blob" {
			continue
		}
		n, _ := strconv.ParseInt(fields[3], 10, 64)
		files, size, disk = files+1, size+n, disk+(n+block-1)/block*block
		names = append(append(names, name...), 0)
	}
	return files, size, disk, names, nil
}
