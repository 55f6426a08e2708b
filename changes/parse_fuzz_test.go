package changes

import (
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/git"
)

const fuzzID = "1111111111111111111111111111111111111111"

func FuzzParseBlame(f *testing.F) {
	f.Add([]byte(fuzzID + " 1 2 3\nauthor filename x\nsummary y\nfilename a b\n" + fuzzID + " 4 5 6\nfilename c\n"))
	f.Add([]byte("filename x\n"))
	f.Add([]byte(fuzzID + " 1 -2 99999999999999999999\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		origins, err := parseBlame(out)
		if err != nil {
			return
		}
		for i, o := range origins {
			if o.id == "" || strings.ContainsAny(o.path, "\n") || o.path == "" && i < len(origins)-1 && !strings.Contains(string(out), "filename \n") {
				t.Errorf("%q: %+v", out, o)
			}
		}
	})
}

func FuzzParseTouches(f *testing.F) {
	f.Add([]byte(fuzzID + "\x00:100644 100755 a b M\x00p\x00::100644 100644 000000 a b c MM\x00q\x00"))
	f.Add([]byte(":\x00p\x00:::\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		for path, list := range parseTouches(out, map[git.ID]int{fuzzID: 7}, map[string]bool{"p": true, "q": true}) {
			for _, touch := range list {
				if path != "p" && path != "q" || touch.commit != 7 || touch.status == 0 {
					t.Errorf("%q: %s: %+v", out, path, touch)
				}
			}
		}
	})
}
