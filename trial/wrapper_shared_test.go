//go:build unix

package trial

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What a machine shares among its tasks, by hard links or by a link to the workspace, a
// task can write to and does not change; what is its own is not copied.
func TestWrapperShared(t *testing.T) {
	for _, test := range []struct {
		name                  string
		linked, folder, fixed bool // files, the workspace; none of them can be written to
		silent                bool // the layout does not say by what this is seen
		untouched             bool // it says that no file is written to
		copied                bool
	}{
		{name: "own"},
		{name: "linked", linked: true, copied: true},
		{name: "fixed", linked: true, fixed: true, copied: true},
		{name: "folder", folder: true, copied: true},
		{name: "fixed folder", folder: true, linked: true, fixed: true, copied: true},
		{name: "silent", linked: true, silent: true},
		{name: "untouched", linked: true, untouched: true},
		{name: "untouched folder", folder: true, untouched: true, copied: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			eachShell(t, func(t *testing.T, s posixShell) {
				layout := Layout{Top: "w", Out: "out", Twins: [2]string{"run.sh", "twin.sh"}, Untouched: test.untouched}
				if test.silent {
					layout.Twins = [2]string{}
				}
				w := s.wrap(t, Task{Command: []string{"sh", "-c",
					"cat 'a b' .deep/c; ./-run; echo 1 >>'a b' && echo 2 >>.deep/c && echo 3 >.deep/new && echo 4 >>-run"}}, layout)
				kept, given := t.TempDir(), filepath.Join(w.dir, "w")
				if test.folder {
					folder := filepath.Join(kept, "folder")
					if err := os.Rename(given, folder); err != nil {
						t.Fatal(err)
					}
					if err := os.Symlink(folder, given); err != nil {
						t.Fatal(err)
					}
				}
				if err := os.Mkdir(filepath.Join(given, ".deep"), 0o777); err != nil {
					t.Fatal(err)
				}
				texts := map[string]string{"w/a b": "one\n", "w/.deep/c": "two\n", "w/-run": "#!/bin/sh\necho ran\n", "run.sh": "same\n", "twin.sh": "same\n"}
				for name, text := range texts {
					file := filepath.Join(w.dir, name)
					mode := os.FileMode(0o644)
					if test.fixed {
						mode = 0o444
					}
					if strings.Contains(name, "run") {
						mode |= 0o111
					}
					if test.linked {
						file = filepath.Join(kept, strings.ReplaceAll(strings.Replace(name, "twin", "run", 1), "/", "-"))
					}
					if err := os.WriteFile(file, []byte(text), 0o777); err != nil && !os.IsPermission(err) {
						t.Fatal(err)
					}
					if err := os.Chmod(file, mode); err != nil {
						t.Fatal(err)
					}
					if test.linked {
						if err := os.Link(file, filepath.Join(w.dir, name)); err != nil {
							t.Fatal(err)
						}
					}
				}
				if test.fixed {
					for _, dir := range []string{".deep", "."} {
						dir = filepath.Join(given, dir)
						if err := os.Chmod(dir, 0o555); err != nil {
							t.Fatal(err)
						}
					}
					defer func() { // or nobody but root could remove them
						for _, dir := range []string{w.dir, kept} {
							filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
								if d != nil && d.IsDir() {
									os.Chmod(path, 0o777)
								}
								return nil
							})
						}
					}()
				}
				before, err := os.Stat(filepath.Join(given, "a b"))
				if err != nil {
					t.Fatal(err)
				}
				r := w.run(t, s)
				if want := "one\ntwo\nran\n"; r.Test.Exit != 0 || w.read(t, "out") != want {
					t.Errorf("%+v: %q instead of %q; %s", r, w.read(t, "out"), want, w.read(t, "err"))
				}
				after, err := os.Stat(filepath.Join(given, "a b"))
				if err != nil {
					t.Fatal(err)
				}
				if after.Mode() != 0o644 {
					t.Errorf("a file has mode %v", after.Mode())
				}
				if copied := !os.SameFile(before, after); copied != test.copied {
					t.Errorf("copied: %v", copied)
				}
				for name, text := range texts {
					if !test.copied || !strings.HasPrefix(name, "w/") {
						continue
					}
					if test.folder {
						name = filepath.Join(kept, "folder", strings.TrimPrefix(name, "w/"))
					} else {
						name = filepath.Join(kept, strings.ReplaceAll(name, "/", "-"))
					}
					if got, err := os.ReadFile(name); err != nil || string(got) != text {
						t.Errorf("%s became %q (%v)", name, got, err)
					}
				}
				if _, err := os.Stat(filepath.Join(kept, "folder", ".deep", "new")); err == nil {
					t.Error("a file is there that the task made")
				}
			})
		})
	}
}

// TestWrapperSharedKept: in a directory that is kept an earlier task has left what was shared
// with it, where nobody may write in the folders. The next works on its own files; where what
// was left cannot be removed it is lost.
func TestWrapperSharedKept(t *testing.T) {
	eachShell(t, func(t *testing.T, s posixShell) {
		if s.name == "busybox" {
			t.Skip("its programs cannot be replaced by others")
		}
		for _, test := range []struct {
			name, refuses string // rm does so; for others than root it is so without it
			lost          bool
		}{
			{"until it may", `case "$*" in *.kept) grep -q chmod ${0%/*}/log || exit 1 ;; esac`, false},
			{"always", `case "$*" in *.kept) exit 1 ;; esac`, true},
		} {
			path, _ := logged(t, s, map[string]string{"rm": test.refuses})
			s.env = append(slices.Clone(s.env), "PATH="+path)
			w := s.wrap(t, Task{Command: []string{"sh", "-c", "cat a; echo *"}}, Layout{Top: "w", Out: "out", Twins: [2]string{"run.sh", "run.sh"}})
			for name, text := range map[string]string{"w/a": "new\n", "run.sh": "", "w.kept/a": "old\n", "w.kept/b": "old\n"} {
				name = filepath.Join(w.dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
					t.Fatal(err)
				}
			}
			shared := filepath.Join(w.dir, "shared")
			if err := errors.Join(os.Link(filepath.Join(w.dir, "w.kept/a"), shared), os.Chmod(shared, 0o444)); err != nil {
				t.Fatal(err)
			}
			if !test.lost {
				if r := w.run(t, s); r.Test.Exit != 0 || w.read(t, "out") != "new\na\n" {
					t.Errorf("%s: %+v, %q", test.name, r, w.read(t, "out"))
				}
				if info, err := os.Stat(shared); err != nil || info.Mode() != 0o444 {
					t.Errorf("%s: a shared file is changed: %v, %v", test.name, info, err)
				}
				continue
			}
			cmd, said := w.command(t, s)
			err := cmd.Run()
			if cmd.ProcessState.ExitCode() != 3 || !strings.Contains(said.String(), "w.kept, which an earlier task left, cannot be removed") {
				t.Errorf("%s: %v, %s", test.name, err, said)
			}
			if _, err := os.Stat(w.out(OutcomeFile)); err == nil {
				t.Errorf("%s: there is an outcome", test.name)
			}
		}
	})
}
