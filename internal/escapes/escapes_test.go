package escapes

import "testing"

func TestRemove(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                                 "plain",
		"\x1b[31;1mred\x1b[0m":                  "red",
		"a\x1b[2K\x1b[1Gb":                      "ab",
		"\x1b]0;title\x07text":                  "text",
		"\x1b]8;;http://a\x1b\\a\x1b]8;;\x1b\\": "a",
		"\x1b(Bx\x1b7y":                         "xy",
		"\x1b]0;no end":                         "",
		"[31m":                                  "[31m",
		"\x1b":                                  "\x1b",
	} {
		if got := string(Remove([]byte(text))); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
