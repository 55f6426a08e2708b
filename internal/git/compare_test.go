package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCompareReadsNoConfiguration(t *testing.T) {
	s := newSandbox(t)
	s.git("", "init", "-q", "r")
	s.git("r", "config", "diff.context", "0")
	s.write("r/.gitattributes", "x binary\n")
	s.write("r/temp/a/x", "one\ntwo\n")
	s.write("r/temp/b/x", "one\nTWO\n")
	patch, err := Compare(t.Context(), filepath.Join(s.dir, "r/temp"), "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(patch); !strings.HasSuffix(got, "@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n") {
		t.Errorf("got %s", got)
	}
}

func TestCompareSaysWhatItCannotRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "a"), 0o777); err != nil {
		t.Fatal(err)
	}
	if patch, err := Compare(t.Context(), dir, "a", "b"); err == nil {
		t.Errorf("got %q for a directory that is not there", patch)
	}
}
