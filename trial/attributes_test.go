package trial

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// The role filter speaks git's protocol for filters that serve many files
// (gitattributes, "Long Running Filter Process"). It behaves as Git LFS does: a
// blob is a pointer, its content lies in the directory that is the argument, and
// one that is missing there is an error.
func init() {
	roles["filter"] = func(args []string) {
		if err := serveFilter(os.Stdin, os.Stdout, args[0]); err != nil {
			fmt.Fprintln(os.Stderr, "filter:", err)
			os.Exit(1)
		}
	}
}

func serveFilter(stdin io.Reader, out io.Writer, store string) error {
	in := bufio.NewReader(stdin)
	// packets reads up to the next flush.
	packets := func() (all []string, err error) {
		for {
			var head [4]byte
			if _, err := io.ReadFull(in, head[:]); err != nil {
				return nil, err
			}
			size, err := strconv.ParseUint(string(head[:]), 16, 16)
			if err != nil || size == 0 {
				return all, err
			}
			body := make([]byte, size-4)
			if _, err := io.ReadFull(in, body); err != nil {
				return nil, err
			}
			all = append(all, string(body))
		}
	}
	send := func(all ...string) {
		for _, p := range all {
			for len(p) > 0 {
				n := min(len(p), 60000)
				fmt.Fprintf(out, "%04x%s", n+4, p[:n])
				p = p[n:]
			}
		}
		io.WriteString(out, "0000")
	}
	if _, err := packets(); err != nil { // git-filter-client, version=2
		return err
	}
	send("git-filter-server\n", "version=2\n")
	if _, err := packets(); err != nil { // capabilities
		return err
	}
	send("capability=smudge\n")
	for {
		if _, err := packets(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		content, err := packets()
		if err != nil {
			return err
		}
		text := strings.Join(content, "")
		if id, ok := strings.CutPrefix(text, "pointer "); ok {
			stored, err := os.ReadFile(filepath.Join(store, strings.TrimSpace(id)))
			if err != nil {
				send("status=error\n")
				continue
			}
			text = string(stored)
		}
		send("status=success\n")
		send(text)
		send()
	}
}

// pointer stores a content for the role filter and returns what stands for it.
func pointer(t testing.TB, store, content string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(content))
	id := hex.EncodeToString(sum[:8])
	if err := os.MkdirAll(store, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(store, id), []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return "pointer " + id + "\n"
}

// lfs configures the role filter in the repository, and returns its store.
func (h history) lfs(name string, required bool) (store string) {
	h.t.Helper()
	self, err := os.Executable()
	if err != nil {
		h.t.Fatal(err)
	}
	store = filepath.Join(h.dir, ".git/store")
	h.run("config", "filter."+name+".process", fmt.Sprintf("'%s' filter '%s'", self, store))
	h.run("config", "filter."+name+".required", strconv.FormatBool(required))
	return store
}

// raw commits files byte for byte, whatever the attributes say, as a tree that is
// wanted by the tag.
func (h history) raw(tag string, files map[string]string) {
	h.t.Helper()
	var index strings.Builder
	for name, content := range files {
		mode := "100644"
		if target, ok := strings.CutPrefix(content, "->"); ok {
			mode, content = "120000", target
		}
		fmt.Fprintf(&index, "%s %s\t%s\x00", mode, h.blob(content), name)
	}
	h.run("read-tree", "--empty")
	h.input(index.String(), "update-index", "-z", "--index-info")
	h.run("commit", "--quiet", "--allow-empty", "--message="+tag)
	h.run("tag", "--force", tag)
}

// TestRandomAttributes walks through random trees with random attributes, in files
// that change with the trees, in info/attributes and in core.attributesFile, with
// filters of both kinds and settings of line ends, and compares each workspace, with
// all that did not change too, with a fresh checkout by git.
func TestRandomAttributes(t *testing.T) {
	seed.SkipLong(t, 6)
	random := rand.New(rand.NewPCG(seed.New(t), 0))
	pick := func(all ...string) string { return all[random.IntN(len(all))] }
	compared := 0
	for range 5 {
		h := newHistory(t)
		h.commit("start", "start", "x")
		h.run("config", "filter.up.smudge", "tr a-z A-Z")
		h.run("config", "filter.broken.smudge", "false")
		store := h.lfs("lfs", true)
		contents := []string{"", "one\ntwo\n", "one\r\ntwo\r\n", "one\ntwo\r\nthree", "\x00bi\nnary\r\n", "$Id$\n", "$Id: 123 $\r\nx\n", "h\xc3\xa4\n", "\xff\xfe\n",
			pointer(t, store, "large\n"), pointer(t, store, "large\r\n\x00"), "pointer nothing\n", "pointer nothing\n", "lone\rcr\n", "end\x1a"}
		values := []string{"text", "-text", "text=auto", "!text", "eol=crlf", "eol=lf", "text eol=crlf", "text=auto eol=crlf", "crlf", "-crlf", "crlf=input", "binary", "ident", "-ident",
			"working-tree-encoding=UTF-16", "working-tree-encoding=UTF-16LE-BOM", "working-tree-encoding=latin1", "filter=up", "filter=lfs", "filter=lfs", "filter=lfs", "-filter", "filter=broken", "filter=nothing", "export-subst", "diff=x", "windows"}
		patterns := []string{"*.txt", "*.c", "*.bin", "d/*", "d/e/**", "a.txt", "*", "/b.c", "**/x.bin"}
		attributes := func() string {
			var b strings.Builder
			for range random.IntN(4) {
				switch pattern := pick(patterns...); pattern {
				case "*", "d/*", "d/e/**":
					// Not what would convert the attribute file itself: git reads that as it is
					// in the tree, not as it was written.
					fmt.Fprintf(&b, "%s %s\n", pattern, pick("text", "text=auto", "-text", "eol=crlf", "binary", "ident"))
				default:
					fmt.Fprintf(&b, "%s %s\n", pattern, pick(values...))
				}
			}
			return b.String()
		}
		names := []string{"a.txt", "b.c", "x.bin", "d/a.txt", "d/b.c", "d/e/x.bin", "d/e/f.txt", "plain"}
		macro := "[attr]windows text eol=crlf\n"
		files := map[string]string{}
		fill := func(some int) {
			for _, n := range names {
				if random.IntN(some) == 0 {
					files[n] = pick(contents...)
				}
			}
			for _, dir := range []string{"", "d/", "d/e/"} {
				switch random.IntN(3) {
				case 0:
					files[dir+".gitattributes"] = attributes()
					if dir == "" {
						files[".gitattributes"] = macro + files[".gitattributes"]
					}
				case 1:
					if random.IntN(3) == 0 {
						delete(files, dir+".gitattributes")
					}
				}
			}
		}
		if key := pick("", "core.autocrlf=true", "core.autocrlf=input", "core.eol=crlf", "core.eol=lf"); key != "" {
			name, value, _ := strings.Cut(key, "=")
			h.run("config", name, value)
		}
		if random.IntN(3) == 0 {
			h.files(".git/info/attributes", attributes())
		}
		if random.IntN(3) == 0 {
			h.files(".git/mine", attributes())
			h.run("config", "core.attributesFile", filepath.Join(h.dir, ".git/mine"))
		}
		if random.IntN(4) == 0 {
			h.run("config", "core.symlinks", "false")
		}
		files["link"] = "->plain"
		fill(1)
		h.raw("good", files)
		fill(3)
		files["link"] = "->a.txt"
		h.raw("bad", files)
		b := h.bench(func(o *Options) { o.Command = []string{"true"} })
		for range 8 {
			c, tree := b.draw(random)
			if tree == nil {
				continue
			}
			want, failure := h.tryCheckout(b, tree)
			b.memo = newMemo(nil, nil)
			v, err := b.ask(t.Context(), b.set, c, Search)
			if err != nil {
				begin, err2 := b.set.Compose(isolate.Of(b.set.Len()).All()) // as a workspace begins
				if err2 != nil {
					t.Fatal(err2)
				}
				if good, _ := h.tryCheckout(b, begin); good != nil {
					t.Fatalf("{%v}: %v\n%s", c, err, attributeFiles(files))
				}
				break
			}
			if (want == nil) != (v.Trial == 0) {
				t.Fatalf("{%v}: git: %v; gitdd: %s\n%s", c, failure, v.Reason, attributeFiles(files))
			}
			if want == nil {
				continue
			}
			compared++
			if diff := cmp.Diff(want, trackedFiles(t, b.space())); diff != "" {
				t.Fatalf("{%v}: -git +workspace\n%s\n%s\n%s", c, diff, h.run("config", "--list", "--local"), attributeFiles(files))
			}
		}
		b.close()
	}
	t.Logf("%d trees compared", compared)
}

// attributeFiles shows the attribute files.
func attributeFiles(files map[string]string) string {
	var b strings.Builder
	for name, content := range files {
		if strings.HasSuffix(name, ".gitattributes") {
			fmt.Fprintf(&b, "%s: %q\n", name, content)
		}
	}
	return b.String()
}
