//go:build unix

package main

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// A node is an entry of a tree as it is written, whatever git thinks of it.
type node struct {
	mode, name string
	content    string // of a blob; of a gitlink the commit
	below      []node // of a tree
	id         string // of an object that is there already
	early      bool   // stands where it does, not where git sorts it
}

func file(name, content string) node { return node{mode: "100644", name: name, content: content} }
func link(name, target string) node  { return node{mode: "120000", name: name, content: target} }
func pin(name, commit string) node   { return node{mode: "160000", name: name, id: commit} }
func folder(name string, below ...node) node {
	return node{mode: "40000", name: name, below: below}
}

// object writes a loose object, like git hash-object --literally.
func (f *field) object(kind string, content []byte) string {
	f.t.Helper()
	whole := append(fmt.Appendf(nil, "%s %d\x00", kind, len(content)), content...)
	sum := sha1.Sum(whole)
	id := hex.EncodeToString(sum[:])
	path := f.path(filepath.Join("repo/.git/objects", id[:2], id[2:]))
	if _, err := os.Stat(path); err == nil {
		return id
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	z.Write(whole)
	z.Close()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, packed.Bytes(), 0o444); err != nil {
		f.t.Fatal(err)
	}
	return id
}

// tree writes a tree.
func (f *field) tree(nodes []node) string {
	f.t.Helper()
	nodes = slices.Clone(nodes)
	key := func(n node) string {
		if n.mode == "40000" {
			return n.name + "/"
		}
		return n.name
	}
	if !slices.ContainsFunc(nodes, func(n node) bool { return n.early }) {
		slices.SortStableFunc(nodes, func(a, b node) int { return strings.Compare(key(a), key(b)) })
	}
	var body []byte
	for _, n := range nodes {
		switch {
		case n.id != "":
		case n.mode == "40000":
			n.id = f.tree(n.below)
		default:
			n.id = f.object("blob", []byte(n.content))
		}
		body = fmt.Appendf(body, "%s %s\x00", n.mode, n.name)
		body, _ = hex.AppendDecode(body, []byte(n.id))
	}
	return f.object("tree", body)
}

func (f *field) commit(tree, subject string, parents ...string) string {
	f.t.Helper()
	text := "tree " + tree + "\n"
	for _, p := range parents {
		text += "parent " + p + "\n"
	}
	const who = "Ada <ada@example.com> 1767323045 +0000\n"
	return f.object("commit", []byte(text+"author "+who+"committer "+who+"\n"+subject+"\n"))
}

// A hostile is a repository that wants to write where it must not, or to run
// something. good and bad have these files beside x and y, which differ; x is the
// cause.
type hostile struct {
	name      string
	good, bad []node
	own       bool     // in a repository of its own, as with setup
	setup     string   // a script in the repository; $EVIL is a command, $OUTSIDE a directory
	args      []string // of gitdd run
	status    int      // 0: it does no harm, and x is found
	says      string   // on stderr or stdout
}

const evilID = "1234567890123456789012345678901234567890"

// hostiles is the table. In contents, names and scripts OUTSIDE and EVIL stand for
// the canaries.
func hostiles() []hostile {
	var list []hostile
	// Names that leave the directory or mean the repository's own, on any system:
	// each new in bad, the same on both sides (and so only checked out), in a
	// directory, as a directory, a symlink and a submodule.
	payload := []node{file("config", "[core]\n\tfsmonitor = EVIL\n\thooksPath = hooks\n"), folder("hooks", node{mode: "100755", name: "post-checkout", content: "#!/bin/sh\nEVIL\n"})}
	for _, name := range []string{
		".git", ".GIT", ".gIt", "..", ".", "git~1", "GIT~1", ".git ", ".git.", ".git...", ".git::$INDEX_ALLOCATION",
		".g\u200cit", ".\u200dgit", ".GI\u202aT", "a/../../b", "/abs", "a\\..\\.git\\x", "",
	} {
		what := "a tree entry is named"
		if name == "" {
			what = "is damaged"
		}
		if strings.HasPrefix(name, "/") {
			what = "a tree entry has an empty name"
		}
		whole := folder(name, payload...)
		for _, n := range []node{file(name, "x"), whole, link(name, "OUTSIDE"), pin(name, evilID)} {
			list = append(list, hostile{name: fmt.Sprintf("%q of mode %s comes", name, n.mode), bad: []node{n}, status: 4, says: what})
		}
		list = append(list,
			hostile{name: fmt.Sprintf("%q comes below", name), bad: []node{folder("d", whole)}, status: 4, says: what},
			hostile{name: fmt.Sprintf("%q goes", name), good: []node{whole}, status: 4, says: what},
		)
		if name != "" && !strings.ContainsAny(name, "\u200c\u200d\u202a") { // git passes these, and here they are no trouble
			list = append(list, hostile{name: fmt.Sprintf("%q stays below", name), good: []node{folder("d", whole)}, bad: []node{folder("d", whole)}, status: 4, says: "gitdd: "})
		}
	}
	inside := []node{file("f", "new\n"), file("pwned", "x\n")}
	list = append(list,
		hostile{name: "link becomes a directory", good: []node{link("d", "OUTSIDE")}, bad: []node{folder("d", inside...)}},
		hostile{name: "directory becomes a link", good: []node{folder("d", inside...)}, bad: []node{link("d", "OUTSIDE")}},
		hostile{name: "link and directory", bad: []node{link("d", "OUTSIDE"), folder("d", inside...)}, status: 4, says: "two entries named d"},
		hostile{name: "link and directory stay", good: []node{link("d", "OUTSIDE"), folder("d", inside...)}, bad: []node{link("d", "OUTSIDE"), folder("d", inside...)}, status: 4, says: "two entries named d"},
		hostile{name: "link and directory stay below", good: []node{folder("e", link("d", "OUTSIDE"), folder("d", inside...))}, bad: []node{folder("e", link("d", "OUTSIDE"), folder("d", inside...))}},
		hostile{name: "link and a file written through it in another case", bad: []node{link("D", "OUTSIDE"), folder("d", inside...)}},
		hostile{name: "link to the repository", bad: []node{link("r", "../repo/.git"), folder("s", file("config", "x"))}},
		hostile{name: "link to .git", bad: []node{link("g", ".git"), link("h", ".git/config")}},
		hostile{name: "file at the end of a link", good: []node{link("f", "OUTSIDE/f")}, bad: []node{file("f", "new\n")}},
		hostile{name: "link with an absolute target", bad: []node{link("f", "/etc/passwd")}},
		hostile{name: "link to nothing", bad: []node{link("f", "")}, status: 1, says: "no file system has a symlink to such a target"},
		hostile{name: "link with a NUL", bad: []node{link("f", "OUTSIDE\x00x")}, status: 1, says: "no file system has a symlink to such a target"},
		hostile{name: "two files of one name", bad: []node{file("d", "1"), file("d", "2")}, status: 4, says: "two entries named d"},
		hostile{name: "two files of one name stay", good: []node{file("d", "1"), file("d", "2")}, bad: []node{file("d", "1"), file("d", "2")}, status: 4, says: "two entries named d"},
		hostile{name: "two files of one name stay below", good: []node{folder("e", file("d", "1"), file("d", "2"))}, bad: []node{folder("e", file("d", "1"), file("d", "2"))}},
		hostile{name: "unsorted", bad: []node{{mode: "100644", name: "z", content: "z", early: true}, file("a", "a")}, status: 4, says: "not sorted"},
		hostile{name: "unsorted below", bad: []node{folder("d", node{mode: "100644", name: "z", content: "z", early: true}, file("a", "a"))}, status: 4, says: "not sorted"},
		hostile{name: "unsorted below stays", good: []node{folder("d", node{mode: "100644", name: "z", content: "z", early: true}, file("a", "a"))}, bad: []node{folder("d", node{mode: "100644", name: "z", content: "z", early: true}, file("a", "a"))}},
		hostile{name: "old mode", bad: []node{{mode: "100664", name: "f", content: "x"}}},
		hostile{name: "setuid", bad: []node{{mode: "104755", name: "f", content: "x"}}},
		hostile{name: "mode of a device", bad: []node{{mode: "20666", name: "f", content: "x"}}},
		hostile{name: "directory that is a file", bad: []node{{mode: "40000", name: "d", id: hash("blob", "x")}, file("x2", "x")}, status: 4, says: "not a tree"},
		hostile{name: "file that is a directory", bad: []node{{mode: "100644", name: "d", id: hash("tree", "")}}, status: 4},
		hostile{name: "missing blob", bad: []node{{mode: "100644", name: "d", id: evilID}}, status: 4, says: "unable to read " + evilID},
		hostile{name: "missing tree", bad: []node{{mode: "40000", name: "d", id: evilID}}, status: 4, says: "missing"},
		hostile{name: "empty directory", bad: []node{folder("d")}},
		hostile{name: "ten thousand million files", bad: []node{bomb(10, 10)}, status: 4, says: "more than 50000000 files"},
		hostile{name: "ten thousand million files stay", good: []node{bomb(10, 10)}, bad: []node{bomb(10, 10)}, status: 4, says: "more than 50000000 files"},
		hostile{name: "ten thousand million files differ", good: []node{bomb(10, 10)}, bad: []node{bomb(10, 11)}, status: 4, says: "more than 50000000 files"},
		hostile{name: "deep stays", good: []node{well(2100)}, bad: []node{well(2100)}, status: 4, says: "nested more than 2048 deep", own: true},
		hostile{name: "name that no file system has", bad: []node{file(strings.Repeat("n", 5000), "x")}, status: 1, says: "file name too long"},
		hostile{name: "name that a terminal would obey", bad: []node{file("\x1b]0;pwned\x07\x1b[2J", "\x1b[2J\n")}, args: []string{"--algorithm", "ddmin"}},
	)
	list = append(list, hostileModules()...)
	return append(list, hostileConfigs()...)
}

// hostileModules are submodules that want a command to be run, or files to be
// written elsewhere; each without and with --recurse-submodules.
func hostileModules() []hostile {
	modules := func(text string) node { return file(".gitmodules", text) }
	section := func(name, path, url, more string) node {
		return modules(fmt.Sprintf("[submodule %q]\n\tpath = %s\n\turl = %s\n%s", name, path, url, more))
	}
	const absent = "which is not here: `git submodule update --init"
	with := []string{"--recurse-submodules"}
	var list []hostile
	for _, h := range []hostile{
		{name: "url of ext::", bad: []node{section("s", "s", "ext::EVIL", ""), pin("s", evilID)}},
		{name: "url that is an option", bad: []node{section("s", "s", "--upload-pack=EVIL", ""), pin("s", evilID)}},
		{name: "url -u", bad: []node{section("s", "s", "-uEVIL", ""), pin("s", evilID)}},
		{name: "url of a file", bad: []node{section("s", "s", "file://OUTSIDE", ""), pin("s", evilID)}},
		{name: "url with a line feed", bad: []node{section("s", "s", `"x\n[core]\n\tfsmonitor=EVIL"`, ""), pin("s", evilID)}},
		{name: "update command", bad: []node{section("s", "s", "./s", "\tupdate = !EVIL\n"), pin("s", evilID)}},
		{name: "fetch command", bad: []node{section("s", "s", "./s", "\tfetchRecurseSubmodules = true\n\tignore = !EVIL\n"), pin("s", evilID)}},
		{name: "name that leaves .git/modules", bad: []node{section("../../../outside", "s", "./s", ""), pin("s", evilID)}},
		{name: "name with an option", bad: []node{section("-c", "s", "./s", ""), pin("s", evilID)}},
		{name: "name of windows", bad: []node{section(`..\..\x`, "s", "./s", ""), pin("s", evilID)}},
		{name: "path that leaves", bad: []node{section("s", "../../outside", "./s", ""), pin("s", evilID)}},
		{name: "path that is an option", bad: []node{section("s", "-x", "./s", ""), pin("-x", evilID)}},
		{name: "path with a line end", bad: []node{section("s", "\"s\\r\"", "./s", ""), pin("s\r", evilID)}},
		{name: "include", bad: []node{modules("[include]\n\tpath = OUTSIDE/config\n[alias]\n\tx = !EVIL\n[core]\n\tfsmonitor = EVIL\n"), pin("s", evilID)}},
		{name: "damaged .gitmodules", bad: []node{modules("[submodule \"s\n\x00\xff"), pin("s", evilID)}},
		{name: "no .gitmodules", bad: []node{pin("s", evilID)}},
		{name: "linked away", good: []node{link("s", "OUTSIDE")}, bad: []node{folder("s", pin("t", evilID))}},
		{name: "a repository as files", good: []node{folder("s", file("HEAD", evilID+"\n"), file("config", "[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tfsmonitor = EVIL\n[filter \"evil\"]\n\tsmudge = EVIL\n"), folder("objects", file("keep", "")), folder("refs", file("keep", "")))},
			bad: []node{section("s", "s", "./s", ""), pin("s", evilID)}, setup: "git reset -q --hard $GOOD"},
		{name: "update command in the config", bad: []node{section("s", "s", "./s", ""), pin("s", evilID)}, setup: "git config submodule.s.update '!EVIL'; git config submodule.s.url ext::EVIL; git config submodule.s.active true; git config submodule.recurse true; git config protocol.allow always"},
	} {
		h.name = "submodule: " + h.name
		list = append(list, h)
		h.name, h.args, h.status, h.says = h.name+", with --recurse-submodules", with, 1, absent
		list = append(list, h)
	}
	return append(list,
		hostile{name: ".gitmodules is a link", bad: []node{link(".gitmodules", "OUTSIDE/config"), pin("s", evilID)}, status: 4, says: "symbolic link is named .gitmodules"},
		hostile{name: ".gitmodules is a link in other letters", bad: []node{link(".GITMODULES", "OUTSIDE/config")}, status: 4, says: "symbolic link is named .GITMODULES"},
		hostile{name: ".gitmodules is a link of ntfs", bad: []node{link("gitmod~1", "OUTSIDE/config")}, status: 4, says: "symbolic link is named gitmod~1"},
		hostile{name: "submodule: null commit", bad: []node{pin("s", strings.Repeat("0", 40))}, status: 1, says: "submodule that is pinned at no commit"},
		hostile{name: ".gitmodules is a directory", bad: []node{folder(".gitmodules", file("x", "x")), pin("s", evilID)}, args: with, status: 1, says: absent},
		hostile{name: "submodule inside a submodule's pin", bad: []node{pin("s", evilID), folder("t", pin("s", evilID))}, args: with, status: 1, says: absent},
	)
}

// hostileConfigs are attributes, hooks, refs and messages.
func hostileConfigs() []hostile {
	attributes := file(".gitattributes", "* filter=evil diff=evil merge=evil working-tree-encoding=EVIL\nx -working-tree-encoding\n*.txt ident eol=crlf\n")
	plain := file(".gitattributes", "* filter=evil diff=evil merge=evil text\n")
	return []hostile{
		{name: "filter that is not configured", good: []node{plain}, bad: []node{plain, file("a.txt", "$Id$\n")}},
		{name: "filter that is not configured comes", bad: []node{plain, file("a.txt", "$Id$\n")}},
		{name: "encoding that does not exist", bad: []node{file(".gitattributes", "a.txt working-tree-encoding=EVIL\n"), file("a.txt", "$Id$\n")}},
		{name: "attributes that are a link", bad: []node{link(".gitattributes", "OUTSIDE/attributes"), file("a.txt", "x\n")}},
		{name: "attributes that are a directory", bad: []node{folder(".gitattributes", file("x", "x")), file("a.txt", "x\n")}},
		{name: "attributes that are binary", bad: []node{file(".gitattributes", "\xff\x00*\x00 filter=evil\n\"\\777\" text\n[attr]\n!x eol\n"), file("a.txt", "x\n")}},
		{name: "attributes of a long line", bad: []node{file(".gitattributes", "*"+strings.Repeat(" text", 100_000)+"\n"), file("a.txt", "x\n")}},
		{name: "drivers in the config", good: []node{attributes}, bad: []node{attributes, file("a.txt", "a\n")},
			setup: "git config diff.evil.command EVIL; git config diff.evil.textconv EVIL; git config merge.evil.driver EVIL; git config diff.external EVIL"},
		{name: "fsmonitor", setup: "git config core.fsmonitor EVIL"},
		{name: "hooks", setup: "mkdir -p .git/hooks; for h in post-checkout post-index-change reference-transaction pre-auto-gc post-merge post-commit; do cp EVIL .git/hooks/$h; done"},
		{name: "hooks elsewhere", setup: "mkdir ../hooks; for h in post-checkout post-index-change reference-transaction; do cp EVIL ../hooks/$h; done; git config core.hooksPath ../hooks"},
		{name: "programs", setup: "for k in core.pager core.editor core.sshCommand core.gitProxy core.askPass credential.helper gpg.program sequence.editor pager.diff pager.log interactive.diffFilter core.alternateRefsCommand; do git config $k EVIL; done; git config log.showSignature true"},
		{name: "aliases", setup: "for k in worktree read-tree rev-parse cat-file diff-tree check-attr blame rev-list clean; do git config alias.$k '!EVIL'; done"},
		{name: "refs like options", setup: "git update-ref refs/heads/--output=pwned $GOOD; git update-ref refs/heads/-u $BAD; git update-ref refs/tags/--upload-pack=EVIL $GOOD; git update-ref 'refs/heads/$(EVIL)' $GOOD",
			args: []string{"--good=refs/heads/--output=pwned", "--bad=refs/heads/-u"}},
		{name: "a revision like an option", args: []string{"--good=--output=../pwned"}, status: 2, says: "--good wants a revision"},
		{name: "a revision like another", args: []string{"--bad=--upload-pack=EVIL"}, status: 2, says: "--bad wants a revision"},
		{name: "replaced trees", setup: "git replace -f $GOOD^{tree} $BAD^{tree}; git replace -f $GOOD:x $BAD:x"},
		{name: "a replaced commit", setup: "git replace -f $BAD $(git commit-tree -m other $BAD^{tree})"},
		{name: "a config that includes", setup: "printf '[core]\\n\\tfsmonitor = EVIL\\n' > ../more; git config include.path $PWD/../more"},
	}
}

// hash is the id of an object that the empty tree or the file of x have.
func hash(kind, content string) string {
	sum := sha1.Sum(fmt.Appendf(nil, "%s %d\x00%s", kind, len(content), content))
	return hex.EncodeToString(sum[:])
}

// bomb is a directory of so many levels, each of ten times the next.
func bomb(levels, width int) node {
	below := []node{file("f", "f")}
	for range levels {
		inner := folder("", below...)
		below = nil
		for i := range width {
			inner.name = fmt.Sprintf("d%02d", i)
			below = append(below, inner)
		}
	}
	return folder("bomb", below...)
}

// well is a directory in a directory, so many times.
func well(depth int) node {
	n := file("f", "f")
	for range depth {
		n = folder("d", n)
	}
	return n
}

// An arena is a repository with what must not be touched around it.
type arena struct {
	*field
	fill *strings.Replacer
	done map[*node]string // trees by their first node
}

func newArena(t *testing.T) *arena {
	a := &arena{field: newField(t), done: map[*node]string{}}
	a.sh("", "git init -q -b main repo; mkdir outside; echo precious > outside/f; echo '[core]' > outside/config; echo '* text' > outside/attributes")
	evil := a.path("evil")
	if err := os.WriteFile(evil, []byte("#!/bin/sh\necho \"$0 $*\" >> "+a.path("ran")+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	a.fill = strings.NewReplacer("EVIL", evil, "OUTSIDE", a.path("outside"))
	a.object("blob", []byte("x"))
	a.object("tree", nil)
	return a
}

// write writes a tree and what is below; the same nodes only once.
func (a *arena) write(nodes []node) string {
	nodes = slices.Clone(nodes)
	for i := range nodes {
		n := &nodes[i]
		n.name, n.content = a.fill.Replace(n.name), a.fill.Replace(n.content)
		if n.mode == "40000" && n.id == "" && len(n.below) > 0 {
			first := &n.below[0]
			if a.done[first] == "" {
				a.done[first] = a.write(n.below)
			}
			n.id = a.done[first]
		}
	}
	return a.tree(nodes)
}

// TestHostile runs whole searches in repositories that want to write outside of
// the workspaces or to run something, and looks at what they would have written
// and run. Either they are refused in words, or they do no harm.
func TestHostile(t *testing.T) {
	t.Parallel()
	seed.SkipLong(t, 8)
	shared := newArena(t)
	table := hostiles()
	var refused, harmless int
	for i, h := range table {
		if i%20 == 19 { // all that is in it is compared after each search
			shared.t = t
			shared.cleaned()
			shared = newArena(t)
		}
		t.Run(h.name, func(t *testing.T) {
			a := shared
			if h.own || h.setup != "" {
				a = newArena(t)
			}
			a.t = t
			if a.search(h) == exitTrouble {
				refused++
			} else {
				harmless++
			}
			if a != shared {
				a.cleaned()
			}
		})
	}
	shared.t = t
	shared.cleaned()
	t.Logf("%d hostile repositories: %d refused, %d harmless", len(table), refused, harmless)
	if len(table) < 200 {
		t.Errorf("%d rows", len(table))
	}
}

// cleaned checks that gitdd clean leaves nothing of all searches.
func (a *arena) cleaned() {
	before := a.contents("repo")
	a.run("repo", "gitdd", "clean")
	if left, _ := os.ReadDir(a.path(".sessions")); len(left) > 0 {
		a.t.Errorf("left behind: %v", left)
	}
	if a.contents("repo") != before {
		a.t.Error("gitdd clean has changed the repository")
	}
}

// search runs gitdd in h, checks what it says and leaves, and returns its status.
func (a *arena) search(h hostile) int {
	t := a.t
	both := func(version string, more []node) string {
		return a.write(append([]node{file("x", version+"\n"), file("y", version+"\n")}, more...))
	}
	good := a.commit(both("0", h.good), "good \x1b[2J")
	bad := a.commit(both("1", h.bad), "bad \x1b]0;pwned\x07", good)
	if h.setup != "" {
		a.sh("repo", "GOOD="+good+"; BAD="+bad+"\n"+a.fill.Replace(h.setup))
	}
	os.Remove(a.path("ran")) // git may have run it in the setup
	before, around := a.contents("repo"), a.contents("outside")
	args := []string{"gitdd", "run"}
	for _, end := range []string{"--good=" + good, "--bad=" + bad} {
		flag, _, _ := strings.Cut(end, "=")
		if !slices.ContainsFunc(h.args, func(arg string) bool { return strings.HasPrefix(arg, flag+"=") }) {
			args = append(args, end)
		}
	}
	for _, arg := range h.args {
		args = append(args, a.fill.Replace(arg))
	}
	status, stdout, stderr := a.status("repo", append(args, "--", "sh", "-c", `test "$(cat x)" = 0`)...)
	if said := strings.Join(strings.Fields(stdout+stderr), " "); status != h.status || !strings.Contains(said, strings.TrimSpace(h.says)) {
		t.Errorf("exit status %d, want %d and %q\n%s%s", status, h.status, h.says, stdout, stderr)
	}
	if status == 0 && !strings.Contains(stdout, "\nx\n") {
		t.Errorf("x was not found:\n%s", stdout)
	}
	if lines := strings.Split(strings.TrimSpace(stderr), "\n"); status == exitTrouble && (!strings.HasPrefix(lines[len(lines)-1], "gitdd: ") || strings.Contains(stderr, "panic")) {
		t.Errorf("that is no clear error:\n%s", stderr)
	}
	if strings.ContainsAny(stdout+stderr, "\x1b\x07") {
		t.Errorf("a terminal would obey %q", stdout+stderr)
	}
	if ran, err := os.ReadFile(a.path("ran")); err == nil {
		t.Errorf("this ran:\n%s", ran)
	}
	if a.contents("outside") != around {
		t.Error("something was written outside")
	}
	if a.contents("repo") != before {
		t.Error("the repository has changed")
	}
	entries, _ := os.ReadDir(a.dir)
	for _, e := range entries {
		if !slices.Contains([]string{"repo", "outside", "evil", ".sessions", "hooks", "more"}, e.Name()) {
			t.Errorf("%s was written", e.Name())
			os.RemoveAll(a.path(e.Name()))
		}
	}
	return status
}
