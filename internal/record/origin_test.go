package record

import "testing"

func TestPublicURI(t *testing.T) {
	for remote, want := range map[string]string{
		"https://example.com/a/b.git":                      "https://example.com/a/b.git",
		"https://ada:secret@example.com:8443/a.git":        "https://example.com:8443/a.git",
		"https://x-access-token:t0ken@example.com/a?k=s#f": "https://example.com/a",
		"git@example.com:a/b.git":                          "ssh://git@example.com/a/b.git",
		"ada@example.com:/srv/b.git":                       "ssh://example.com/srv/b.git",
		"ssh://git:secret@example.com/a.git":               "ssh://git@example.com/a.git",
		"ssh://ada@example.com/a.git":                      "ssh://example.com/a.git",
		"/srv/a.git":                                       "",
		"../a":                                             "",
		`C:\a`:                                             "",
		"file:///srv/a.git":                                "",
		"ext::sh -c evil":                                  "",
		"https://example.com/a%zz":                         "",
		"git://example.com/a":                              "git://example.com/a",
	} {
		if got := publicURI(remote); got != want {
			t.Errorf("%s: %q, want %q", remote, got, want)
		}
	}
}
