package trial

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// withModule makes a repository whose submodule at lib has a commit for each of
// contents, tagged v1, v2 and so on, and is checked out.
func withModule(t *testing.T, contents ...[]string) (h history, lib history) {
	t.Helper()
	lib = newHistory(t)
	for i, files := range contents {
		lib.commit("v"+string(rune('1'+i)), files...)
	}
	h = newHistory(t)
	h.run("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "--name", "own", lib.dir, "lib")
	return h, lib
}

// pinned commits with lib at a revision of it.
func (h history) pinned(tag, revision string, pairs ...string) {
	h.t.Helper()
	h.run("-C", "lib", "checkout", "--quiet", revision)
	h.commit(tag, pairs...)
}

func submodules(set func(*Options)) func(*Options) {
	return func(o *Options) {
		set(o)
		o.Submodules = true
	}
}

// TestModulesOnlyWhatDiffers: from one pin to another only files that differ are
// written, those that a test only touched neither, and build products stay.
func TestModulesOnlyWhatDiffers(t *testing.T) {
	h, _ := withModule(t, []string{"a", "0\n", "same", "same\n", "gone", "x\n"}, []string{"a", "1\n", "gone", "!", "new/b", "1\n"})
	h.pinned("good", "v1", "x", "0\n")
	h.pinned("bad", "v2", "x", "1\n")
	before := filesIn(t, h.dir)
	b := h.bench(submodules(script("cat lib/a", "touch lib/a.o", "touch -d 2001-01-01 lib/same")))
	in := func(name string) string { return filepath.Join(b.space(), "lib", name) }
	b.verdict(b.config())
	a := modTime(t, in("a"))
	b.verdict(b.config("x")) // the same pin
	if now := modTime(t, in("a")); !now.Equal(a) {
		t.Error("a was written though the pin is the same")
	}
	v := b.verdict(b.config("lib"))
	if got := read(t, v.Stdout); got != "1\n" {
		t.Errorf("the trial saw %q", got)
	}
	if source := modTime(t, in("a")); !source.After(a) {
		t.Errorf("a of %v is not newer than %v", source, a)
	}
	if year := modTime(t, in("same")).Year(); year != 2001 {
		t.Errorf("the touched file was written again in %d", year)
	}
	_, product := os.Stat(in("a.o"))
	_, gone := os.Stat(in("gone"))
	_, created := os.Stat(in("new/b"))
	if product != nil || gone == nil || created != nil {
		t.Errorf("product %v, gone %v, new %v", product, gone, created)
	}
	b.close()
	if diff := cmp.Diff(before, filesIn(t, h.dir)); diff != "" {
		t.Error(diff)
	}
}

// TestModulesDirtyTest: whatever a test does to a submodule, the next
// configuration has it as it is pinned, and nothing is written outside.
func TestModulesDirtyTest(t *testing.T) {
	outside := t.TempDir()
	writeFiles(t, outside, "a", "precious", "d/b", "precious")
	untouched := filesIn(t, outside)
	h, _ := withModule(t, []string{"a", "0\n", "d/b", "0\n"}, []string{"a", "1\n", "d/b", "1\n"})
	h.pinned("good", "v1", "x", "0\n")
	h.pinned("bad", "v2", "x", "1\n")
	for _, dirt := range []string{
		"echo dirt >> lib/a", "rm -rf lib", "rm -rf lib; ln -s " + outside + " lib", "rm -rf lib; touch lib", "rm -rf lib/d; ln -s " + outside + "/d lib/d",
		"rm lib/.git", "rm -rf lib/.git; git init -q lib", "cd lib && git rm -q --cached a && git commit -q -m x && git branch -f y",
		"cd lib && git update-index --assume-unchanged a && echo dirt > a", "chmod -x lib; chmod 500 lib/d lib", "cd lib && git checkout -q v2 2>/dev/null || git checkout -q v1",
		"echo > $(git -C lib rev-parse --git-dir)/index.lock", "echo garbage > $(git -C lib rev-parse --git-dir)/index", "rm -rf $(git -C lib rev-parse --git-dir)",
		"ln -f " + outside + "/a lib/a", "git -C lib config core.worktree " + outside,
	} {
		t.Run(dirt, func(t *testing.T) {
			seed.SkipLong(t, 6)
			h := history{t, h.dir}
			b := h.bench(submodules(script("cat lib/a lib/d/b x; git -C lib describe --tags", "{ "+dirt+"; } >/dev/null 2>&1; true")))
			for _, step := range []struct {
				c    isolate.Configuration
				want string
			}{
				{isolate.Full(b.set.Len()), "1\n1\n1\nv2\n"}, {b.config("lib"), "1\n1\n0\nv2\n"}, {b.config("x"), "0\n0\n1\nv1\n"}, {b.config(), "0\n0\n0\nv1\n"},
			} {
				v := b.verdict(step.c)
				if got := read(t, v.Stdout); got != step.want {
					t.Errorf("{%v} saw %q, want %q", step.c, got, step.want)
				}
			}
		})
	}
	if diff := cmp.Diff(untouched, filesIn(t, outside)); diff != "" {
		t.Errorf("outside: %s", diff)
	}
}

// TestModulesComeAndGo: a submodule that begins, ends, moves, or takes turns with a
// file or a directory of its name.
func TestModulesComeAndGo(t *testing.T) {
	for _, test := range []struct{ name, good, bad string }{
		{"ends", "", "git rm -q --cached lib; rm -rf lib"},
		{"moves", "", "git mv lib elsewhere"},
		{"file", "", "git rm -q --cached lib; rm -rf lib; echo file > lib"},
		{"directory", "", "git rm -q --cached lib; rm -rf lib; mkdir lib; echo file > lib/a"},
		{"begins", "mv lib away; git rm -q --cached lib", "rm -rf lib; mv away lib"},
	} {
		t.Run(test.name, func(t *testing.T) {
			seed.SkipLong(t, 6)
			h, _ := withModule(t, []string{"a", "0\n", "d/b", "0\n"})
			sh := func(line string) {
				if line != "" {
					h.run("-c", "alias.sh=!"+line, "sh")
				}
			}
			h.files(".gitignore", "away\n")
			h.run("add", "--all")
			sh(test.good)
			h.commit("good", "x", "0\n")
			sh(test.bad)
			h.commit("bad", "x", "1\n")
			b := h.bench(submodules(script("true")))
			full := isolate.Full(b.set.Len())
			want := map[string]map[string]string{}
			see := func(c isolate.Configuration) map[string]string {
				v := b.verdict(c)
				if v.Outcome != isolate.Pass {
					t.Fatalf("{%v}: %s", c, v.Reason)
				}
				files := filesIn(t, b.space())
				for name := range files {
					if strings.Contains(name+"/", "/.git/") {
						delete(files, name)
					}
				}
				return files
			}
			for _, c := range []isolate.Configuration{isolate.Empty(b.set.Len()), full} {
				want[c.String()] = see(c)
			}
			if len(want) != 2 || cmp.Equal(want[full.String()], want[isolate.Empty(b.set.Len()).String()]) {
				t.Fatal("the ends are alike")
			}
			for range 2 {
				b.memo = newMemo(nil, nil)
				for _, c := range []isolate.Configuration{isolate.Empty(b.set.Len()), full} {
					if diff := cmp.Diff(want[c.String()], see(c)); diff != "" {
						t.Errorf("{%v}: %s", c, diff)
					}
				}
			}
		})
	}
}

// TestModulesAbsent: a pin that is not here makes a configuration unresolved, and
// the reason says what brings it.
func TestModulesAbsent(t *testing.T) {
	seed.SkipLong(t, 6)
	h, lib := withModule(t, []string{"a", "0\n"}, []string{"a", "1\n"})
	lib.commit("v3", "a", "2\n")
	h.pinned("good", "v1", "x", "0\n")
	id := lib.run("rev-parse", "v3")
	h.run("update-index", "--cacheinfo", "160000,"+id+",lib")
	h.run("-c", "user.name=a", "commit", "--quiet", "-m", "bad")
	h.run("tag", "bad")
	b := h.bench(submodules(script("true")))
	if v := b.verdict(b.config()); v.Outcome != isolate.Pass {
		t.Errorf("good: %v, %s", v.Outcome, v.Reason)
	}
	v := b.verdict(isolate.Full(b.set.Len()))
	modules := filepath.Join(b.repo.CommonDir(), "modules/own")
	want := `submodule "lib" is pinned at ` + id[:10] + ", which " + modules + " lacks: `git --git-dir=" + modules + " fetch origin " + id + "` brings it, if the origin still has it"
	if v.Outcome != isolate.Unresolved || v.Reason != want || v.Trial != 0 {
		t.Errorf("%v in trial %d: %s\nwant %s", v.Outcome, v.Trial, v.Reason, want)
	}
	b.close()
	// That is the command.
	command := v.Reason[strings.Index(v.Reason, "`git ")+5:]
	h.run(strings.Fields(command[:strings.Index(command, "`")])...)
	b = h.bench(submodules(script("cat lib/a")))
	if v := b.verdict(isolate.Full(b.set.Len())); read(t, v.Stdout) != "2\n" {
		t.Errorf("after the fetch: %s", v.Reason)
	}
	b.close()
	if err := os.RemoveAll(filepath.Join(h.dir, "lib")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(h.dir, ".git/modules")); err != nil {
		t.Fatal(err)
	}
	b = h.bench(submodules(script("true")))
	_, err := b.Ends(t.Context(), b.set)
	if err == nil || !strings.Contains(err.Error(), "neither end can be judged") || !strings.Contains(err.Error(), "which is not here: `git submodule update --init lib` brings it") {
		t.Errorf("without any: %v", err)
	}
}

// TestModulesConversions: attributes of the submodule, its config and those that
// change from one pin to the next count as in a checkout.
func TestModulesConversions(t *testing.T) {
	h, _ := withModule(t,
		[]string{"a.txt", "x\n", "b.txt", "y\n", ".gitattributes", "a.txt eol=crlf\n"},
		[]string{".gitattributes", "b.txt eol=crlf\n*.up filter=up\n", "c.up", "x\n"})
	h.run("-C", "lib", "config", "filter.up.smudge", "tr a-z A-Z")
	h.pinned("good", "v1", "x", "0\n")
	h.pinned("bad", "v2", "x", "1\n")
	b := h.bench(submodules(script("cat lib/a.txt lib/b.txt; cat lib/c.up 2>/dev/null; true")))
	for _, step := range []struct {
		c    isolate.Configuration
		want string
	}{{b.config(), "x\r\ny\n"}, {b.config("lib"), "x\ny\r\nX\n"}, {b.config("x"), "x\r\ny\n"}} {
		if got := read(t, b.verdict(step.c).Stdout); got != step.want {
			t.Errorf("{%v} saw %q, want %q", step.c, got, step.want)
		}
	}
}

// TestModulesRefused: a pin that git cannot check out makes a configuration
// unresolved.
func TestModulesRefused(t *testing.T) {
	h, _ := withModule(t, []string{"a", "0\n"}, []string{"b.up", "0\n", ".gitattributes", "*.up filter=up\n"})
	h.run("-C", "lib", "config", "filter.up.smudge", "cat")
	h.pinned("good", "v1", "x", "0\n")
	h.pinned("bad", "v2", "x", "1\n")
	h.run("-C", "lib", "config", "filter.up.smudge", "false")
	h.run("-C", "lib", "config", "filter.up.required", "true")
	b := h.bench(submodules(script("true")))
	if v := b.verdict(b.config("lib")); v.Outcome != isolate.Unresolved || !strings.Contains(v.Reason, "smudge filter up failed") {
		t.Errorf("%v: %s", v.Outcome, v.Reason)
	}
	if v := b.verdict(b.config("x")); v.Outcome != isolate.Pass {
		t.Errorf("%v: %s", v.Outcome, v.Reason)
	}
}
