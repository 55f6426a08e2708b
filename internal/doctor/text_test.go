package doctor

import "testing"

// A finding fits the screen: in columns, or in paragraphs where there is no room for these.
func TestText(t *testing.T) {
	for _, test := range []struct {
		width int
		do    string
		want  string
	}{
		{80, "see that the server runs and can be reached from here, and whether it wants TLS (grpcs://)", "" +
			"trouble  server        ask for the capabilities: unavailable: dial tcp\n" +
			"                       127.0.0.1:1: connect: connection refused\n" +
			"         do:           see that the server runs and can be reached from here,\n" +
			"                       and whether it wants TLS (grpcs://)\n"},
		{60, "", "" +
			"trouble  server        ask for the capabilities:\n" +
			"                       unavailable: dial tcp 127.0.0.1:1:\n" +
			"                       connect: connection refused\n"},
		{40, "see that the server runs and can be reached from here", "" +
			"trouble: server\n" +
			"    ask for the capabilities:\n" +
			"    unavailable: dial tcp 127.0.0.1:1:\n" +
			"    connect: connection refused\n" +
			"    do: see that the server runs and\n" +
			"    can be reached from here\n"},
	} {
		got := Finding{Name: "server", Saw: "ask for the capabilities: unavailable: dial tcp 127.0.0.1:1: connect: connection refused", Do: test.do}.Text(test.width)
		if got != test.want {
			t.Errorf("%d columns:\n%s\nwant\n%s", test.width, got, test.want)
		}
	}
}
