package grouping_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
)

// Hunks add and remove whole declarations and statements where that is possible.
func TestConstructs(t *testing.T) {
	for _, c := range []struct {
		file, old, new string
		want           []string
	}{
		// JSON-java 8dbf03e: the new method is not one with the new body before it.
		{"A.java", `class A {
    A keep(boolean b) {
        return super.keep(b);
    }

    int x() { return 1; }
}
`, `class A {
    A keep(boolean b) {
        A n = clone();
        n.keep = b;
        return n;
    }

    /** Keeps numbers. */
    A keepNumbers(boolean b) {
        A n = clone();
        n.numbers = b;
        return n;
    }

    int x() { return 1; }
}
`, []string{"-3,1 +3,3", "-5,0 +8,7"}},
		// No indentation tells which of the two annotations is new.
		{"B.java", "class B {\n    @Override\n    public int f() {\n        return 1;\n    }\n    @Override\n    public int h() {\n        return 2;\n    }\n}\n",
			"class B {\n    @Override\n    public int f() {\n        return 1;\n    }\n    @Override\n    public int g() {\n        return 3;\n    }\n    @Override\n    public int h() {\n        return 2;\n    }\n}\n",
			[]string{"-5,0 +6,4"}},
		{"a.go", "package a\n\n// f does.\nfunc f() {\n\tx()\n}\n", "package a\n\n// f does.\nfunc f() {\n\ty()\n}\n\n// g does.\nfunc g() {\n\tz()\n}\n",
			[]string{"-5,1 +5,1", "-6,0 +7,5"}},
		{"a.py", "@a\ndef f():\n    return 1\n@a\ndef h():\n    return 2\n", "@a\ndef f():\n    return 1\n@a\ndef g():\n    return 3\n@a\ndef h():\n    return 2\n",
			[]string{"-3,0 +4,3"}},
		{"a.rs", "#[test]\nfn f() {\n    a();\n}\n#[test]\nfn h() {\n    a();\n}\n", "#[test]\nfn f() {\n    a();\n}\n#[test]\nfn g() {\n    b();\n}\n#[test]\nfn h() {\n    a();\n}\n",
			[]string{"-4,0 +5,4"}},
		// acorn 1f8c7f1: the end of the loop is the old one.
		{"a.js", "function f() {\n  for (;;) {\n    a()\n  }\n}\n", "function f() {\n  for (;;) {\n    a()\n    b()\n  }\n  if (c) {\n    d()\n  }\n}\n",
			[]string{"-3,0 +4,1", "-4,0 +6,3"}},
		{"a.txt", "a {\nx\n}\n", "a {\ny\n}\nb {\nz\n}\n", []string{"-2,1 +2,4"}},
	} {
		if c.file != "a.go" && c.file != "a.txt" && !withGrammars() {
			continue
		}
		repo := repository(t, edit{"good", map[string]string{c.file: c.old}}, edit{"bad", map[string]string{c.file: c.new}})
		s, err := changes.Between(t.Context(), repo, "r0", "r1", changes.Options{Constructs: grouping.Constructs})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range s.Changes {
			got = append(got, fmt.Sprintf("-%d,%d +%d,%d", c.OldStart, c.OldLines, c.NewStart, c.NewLines))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.file, diff)
		}
	}
}
