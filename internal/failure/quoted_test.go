package failure

import "testing"

// A failure is quoted as it was printed, but for the directories of workspaces.
func TestQuoted(t *testing.T) {
	for _, row := range []struct{ printed, want string }{
		{"error: got <p>a</p>", `"error: got <p>a</p>"`},
		{"error: got /x/y, want /x/z", `"error: got /x/y, want /x/z"`},
		{`error: got "/x/y"`, `'error: got "/x/y"'`},
		{"/home/u/.cache/gitdd/1/spaces/gitdd-0a1b-0/src/a.c:3:2: error: no b", `"src/a.c:3:2: error: no b"`},
		{"error: in </tmp/gitdd-0a1b2c3d/gitdd-0a1b2c3d-12/a.c>", `"error: in <a.c>"`},
		{"error: no file /opt/gitdd-tools/a.c", `"error: no file /opt/gitdd-tools/a.c"`},
		{"", "no output"},
	} {
		if got := TextOf(1, []byte(row.printed+"\n"), PassingOf(nil)).Quoted(); got != row.want {
			t.Errorf("%q: %s, want %s", row.printed, got, row.want)
		}
	}
}
