package trial

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/testcase"
)

// TestSaveOther: the smallest candidate of each other failure is kept, also by a
// session that goes on, and nothing else is left in the directory.
func TestSaveOther(t *testing.T) {
	const script = `find . -type f | xargs cat > "$TMPDIR/all"
		grep -q a "$TMPDIR/all" && exit 1; grep -q abort "$TMPDIR/all" && kill -ABRT $$
		grep -q two "$TMPDIR/all" && exit 2; grep -q p "$TMPDIR/all" && { echo 'panic: index out of range' >&2; exit 2; }; exit 0`
	of := map[string]func(string) testcase.Input{
		"file": func(text string) testcase.Input { return file("in.c", text) },
		"dir":  func(text string) testcase.Input { return tree("d/sub/x", text, "d/l", "->sub/x") },
	}
	for _, kind := range []string{"file", "dir"} {
		t.Run(kind, func(t *testing.T) {
			in := of[kind]
			dir := filepath.Join(t.TempDir(), "new", "others")
			s := inputSession(t, t.TempDir())
			set := func(o *InputOptions) { o.SaveOther = dir }
			r := reducingIn(t, s, in("a"), script, set)
			r.begin()
			for _, text := range []string{"two large", "two", "two larger", "pp", "x", "a"} {
				r.verdict(in(text))
			}
			check := func(want ...string) {
				t.Helper()
				var all []string
				for name, text := range filesIn(t, dir) {
					rel, _ := filepath.Rel(dir, name)
					if strings.HasSuffix(rel, "x") || strings.HasSuffix(rel, ".c") {
						all = append(all, filepath.ToSlash(rel)+" "+text[len("-rw-r--r-- "):])
					}
				}
				slices.Sort(all)
				if !slices.Equal(all, want) {
					t.Errorf("got  %q\nwant %q", all, want)
				}
				entries, err := os.ReadDir(dir)
				if err != nil || len(entries) != len(want) {
					t.Errorf("%v, %v", entries, err)
				}
			}
			tail := map[string]string{"file": ".c ", "dir": "/d/sub/x "}[kind]
			check("exit-2-go-index-out-of-range-b5def7"+tail+"pp", "exit-2"+tail+"two")
			if others := r.Others(); len(others) != 2 || others[0].Trial+others[1].Trial != 8 || !strings.HasPrefix(others[0].Reason, "another failure: exit 2") {
				t.Errorf("%+v", others)
			}
			r.close()
			s, err := OpenSession(s.Dir())
			if err != nil {
				t.Fatal(err)
			}
			r = reducingIn(t, s, in("a"), script, set)
			r.begin()
			r.verdict(in("two longer"))
			r.verdict(in("p"))
			check("exit-2-go-index-out-of-range-b5def7"+tail+"p", "exit-2"+tail+"two")
		})
	}
}

func TestSaveOtherRefused(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	writeFiles(t, filepath.Dir(name), "file", "")
	opts := InputOptions{Original: file("in", "x"), SaveOther: name}
	opts.Session, opts.Command = inputSession(t, t.TempDir()), []string{"false"}
	defer opts.Session.Close()
	if _, err := NewInputs(t.Context(), opts); err == nil || !strings.HasSuffix(err.Error(), "it is not a directory") {
		t.Error(err)
	}
}

// TestSaveOtherInTheWay: where another failure cannot be saved, that is said.
func TestSaveOtherInTheWay(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, "exit-2.c/mine", "more than a candidate") // a smaller one would be taken for one that was saved
	r := reducingIn(t, inputSession(t, t.TempDir()), file("in.c", "a"), `case $(cat in.c) in a) exit 1;; b) exit 2;; esac`, func(o *InputOptions) { o.SaveOther = dir })
	r.begin()
	if _, err := r.Test(t.Context(), file("in.c", "b")); err == nil || !strings.Contains(err.Error(), "save another failure") {
		t.Errorf("the error is %v", err)
	}
}
