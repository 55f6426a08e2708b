package btor

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/graph"
)

// What is read, line by line, as Text prints the graph as it stands.
func TestRead(t *testing.T) {
	for _, row := range []struct {
		text    string
		want    string
		version int
		ids     []int // nil = 1..n
	}{
		{"", "", 3, nil},
		{"\n \n\t\n", "", 3, nil},
		{"; a comment", "", 3, nil},
		{";", "", 3, nil},
		{"; a comment\r\n;\n", "", 3, nil},
		{"1 zero 1\n; no newline", "1 zero 1\n", 3, nil},
		{"1 zero 1 ; no newline", "1 zero 1\n", 3, nil},
		{"1 zero 4 ; note\n2 root 4 1;note\n", "1 zero 4\n2 root 4 1\n", 3, nil},
		{" 1\tvar \t 4\n\t\t2  root\t4  -1 \t\n", "1 var 4\n2 root 4 -1\n", 3, nil},
		{"\v\f1 zero 1\n", "1 zero 1\n", 3, nil},

		// Numbers have gaps, and any order.
		{"7 var 4\n3 not 4 7\n2147483647 root 4 -3\n", "1 var 4\n2 not 4 1\n3 root 4 -2\n", 3, []int{7, 3, 2147483647}},

		// A symbol is what stands there, be it a comment.
		{"1 var 4\n", "1 var 4\n", 3, nil},
		{"1 var 4 \t \n", "1 var 4\n", 3, nil},
		{"1 var 4 a\n2 var 4 a\n", "1 var 4 a\n2 var 4 a\n", 3, nil},
		{"1 var 4 a ; note\n", "1 var 4 a\n", 3, nil},
		{"1 var 4 ;\n", "1 var 4 ;\n", 3, nil},
		{"1 var 4 ;note\n", "1 var 4 ;note\n", 3, nil},
		{"1 var 4;note\n", "1 var 4 ;note\n", 3, nil},
		{"1 var 4a\n", "1 var 4 a\n", 3, nil},
		{"1 array 4 2 ;\n", "1 array 4 2 ;\n", 3, nil},
		{"1 array 4 2 12\n", "1 array 4 2 12\n", 3, nil},
		{"1 var 4 \xff\u00e9\x01\n", "1 var 4 \xff\u00e9\x01\n", 3, nil},
		{"1 var 2147483647\n", "1 var 2147483647\n", 3, nil},
		{"1 array 2147483647 2147483647\n", "1 array 2147483647 2147483647\n", 3, nil},

		{"1 const 1 0\n2 const 4 0110;\n", "1 const 1 0\n2 const 4 0110\n", 3, nil},
		{"1 constd 1 0\n2 constd 4 15\n3 constd 64 18446744073709551615\n4 constd 4 3;\n", "1 constd 1 0\n2 constd 4 15\n3 constd 64 18446744073709551615\n4 constd 4 3\n", 3, nil},
		{"1 consth 1 0\n2 consth 4 f\n3 consth 4 000F\n4 consth 3 7\n5 consth 64 ffffFFFFffffFFFF;\n6 consth 9 1aB\n", "1 consth 1 0\n2 consth 4 f\n3 consth 4 000F\n4 consth 3 7\n5 consth 64 ffffFFFFffffFFFF\n6 consth 9 1aB\n", 3, nil},
		{"1 zero 2147483647\n2 one 1\n3 ones 70\n", "1 zero 2147483647\n2 one 1\n3 ones 70\n", 3, nil},

		{"1 var 2\n2 redand 1 -1\n3 slice 2 1 1 0\n4 uext 2 1 0\n5 sext 2147483647 1 2147483645\n", "1 var 2\n2 redand 1 -1\n3 slice 2 1 1 0\n4 uext 2 1 0\n5 sext 2147483647 1 2147483645\n", 3, nil},
		{"1 var 1073741824\n2 var 30\n3 sll 1073741824 1 2\n", "1 var 1073741824\n2 var 30\n3 sll 1073741824 1 2\n", 3, nil},
		{"1 var 2147483646\n2 var 1\n3 concat 2147483647 1 2\n", "1 var 2147483646\n2 var 1\n3 concat 2147483647 1 2\n", 3, nil},

		// Roots: none, several, with uses, below other lines.
		{"1 var 4\n2 root 4 1\n3 not 4 2\n4 root 4 -3\n5 zero 1\n", "1 var 4\n2 root 4 1\n3 not 4 2\n4 root 4 -3\n5 zero 1\n", 3, nil},

		{leaves + "5 write 4 2 1 2 3\n6 acond 4 2 -4 1 5\n7 eq 1 6 1\n8 ne 1 2 2\n9 read 4 6 -2\n", leaves + "5 write 4 2 1 2 3\n6 acond 4 2 -4 1 5\n7 eq 1 6 1\n8 ne 1 2 2\n9 read 4 6 -2\n", 3, nil},
		{leaves + "5 next 4 3 -3\n6 anext 4 2 1 1\n7 not 4 5\n", leaves + "5 next 4 3 -3\n6 anext 4 2 1 1\n7 not 4 5\n", 4, nil},
		{leaves + "5 acond 4 2 4 1 1\n6 next 4 3 3\n7 write 4 2 1 2 3\n", leaves + "5 acond 4 2 4 1 1\n6 next 4 3 3\n7 write 4 2 1 2 3\n", 4, nil},

		// Version 2.
		{leaves + "5 write 4 1 2 3\n6 cond 4 4 1 5\n7 cond 4 4 3 3\n", leaves + "5 write 4 2 1 2 3\n6 acond 4 2 4 1 5\n7 cond 4 4 3 3\n", 2, nil},
		{leaves + "5 write 4 1 2 3 ; note\n", leaves + "5 write 4 2 1 2 3\n", 2, nil},
		{leaves + "5 cond 4 4 1 1\n6 write 4 1 2 3\n", leaves + "5 acond 4 2 4 1 1\n6 write 4 2 1 2 3\n", 2, nil},
		{leaves + "5 nego 1 -3\n6 nego 1 3\n7 nego 1 2\n", leaves + "5 const 4 1000\n6 eq 1 -3 5\n7 eq 1 3 5\n8 const 2 10\n9 eq 1 2 8\n", 2, []int{1, 2, 3, 4, 0, 5, 6, 0, 7}},
		{leaves + "5 nego 1 4\n6 nego 1 -5\n7 not 1 -6\n", leaves + "5 not 1 4\n", 2, []int{1, 2, 3, 4, 7}},
		{"1 var 257\n2 nego 1 1\n", "1 var 257\n2 one 1\n3 zero 256\n4 concat 257 2 3\n5 eq 1 1 4\n", 2, []int{1, 0, 0, 0, 2}},
	} {
		file, err := Read([]byte(row.text))
		if err != nil {
			t.Errorf("%q: %v", row.text, err)
			continue
		}
		if row.ids == nil {
			for i := range file.Graph.Nodes {
				row.ids = append(row.ids, i+1)
			}
		}
		if got := string(Text(file.Graph)); got != row.want || file.Version != row.version || !slices.Equal(file.IDs, row.ids) {
			t.Errorf("%q:\nversion %d, ids %v\n%s\nwant version %d, ids %v\n%s", row.text, file.Version, file.IDs, got, row.version, row.ids, row.want)
		}
		if len(file.Warnings) > 0 {
			t.Errorf("%q: %v", row.text, file.Warnings)
		}
		if err := Check(file.Graph); err != nil {
			t.Errorf("%q: %v", row.text, err)
		}
		var roots []int
		for i, n := range file.Graph.Nodes {
			if IsRoot(n) {
				roots = append(roots, i)
			}
		}
		if !slices.Equal(roots, file.Graph.Roots) {
			t.Errorf("%q: roots %v, not %v", row.text, file.Graph.Roots, roots)
		}
	}
}

// Operands that complement an array are read, since solvers fail on them.
func TestReadComplementsOfArrays(t *testing.T) {
	for _, line := range []string{
		"5 read 4 -1 2", "5 write 4 2 -1 2 3", "5 acond 4 2 4 -1 1", "5 acond 4 2 4 1 -1", "5 eq 1 -1 1", "5 ne 1 1 -1",
		"5 anext 4 2 1 -1", "5 write 4 -1 2 3", "5 cond 4 4 1 -1",
	} {
		file, err := Read([]byte(leaves + line + "\n"))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		want := []string{"line 5: operand '-1' complements an array, which means nothing and breaks solvers"}
		if !slices.Equal(file.Warnings, want) {
			t.Errorf("%s: %q", line, file.Warnings)
		}
		if err := Check(file.Graph); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if !slices.Contains(file.Graph.Nodes[4].Args, graph.Ref{To: 0, Not: true}) {
			t.Errorf("%s: the sign is gone: %s", line, Text(file.Graph))
		}
	}
}

func TestSingleRoot(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"1 var 1\n2 root 1 1\n", ""},
		{"1 var 1\n2 next 1 1 1\n3 root 1 1\n", ""},
		{"1 var 1\n", "there is no root line"},
		{"1 var 1\n2 next 1 1 1\n", "there is no root line"},
		{"1 var 1\n2 root 1 1\n3 root 1 -1\n", "there are 2 root lines"},
	} {
		file, err := Read([]byte(row.text))
		if err != nil {
			t.Fatal(err)
		}
		err = SingleRoot(file.Graph)
		if got := fmt.Sprint(err); row.want == "" && err != nil || !strings.HasPrefix(got, row.want) && row.want != "" {
			t.Errorf("%q: %v", row.text, err)
		}
	}
}

// Constants of millions of digits are held to their width in time that is no square.
func TestReadLongConstants(t *testing.T) {
	const digits = 300_000
	nines := strings.Repeat("9", digits)
	width := decimalValue(nines).BitLen()
	for _, row := range []struct {
		digits string
		width  int
		fits   bool
	}{
		{nines, width, true},
		{nines, width - 1, false},
		{nines, 1 << 30, true},
		{nines, 1, false},
		{"1" + nines, width, false},
	} {
		_, err := Read(fmt.Appendf(nil, "1 constd %d %s\n", row.width, row.digits))
		if (err == nil) != row.fits {
			t.Errorf("%d digits, %d bits: %v", len(row.digits), row.width, err)
		}
		if err != nil && len(err.Error()) > 200 {
			t.Errorf("a message of %d bytes", len(err.Error()))
		}
	}
	// At each power of two, the bounds by digits alone and the value itself agree.
	for w := 1; w < 700; w++ {
		power := decimalValue("1")
		power.Lsh(power, uint(w))
		for _, row := range []struct {
			less int64
			fits bool
		}{{1, true}, {0, false}} {
			d := decimalValue("0").Sub(power, decimalValue(fmt.Sprint(row.less))).String()
			if got := fitsWidth(d, w); got != row.fits {
				t.Errorf("%s fits %d bits: %v", d, w, got)
			}
		}
	}
}

// Texts of a million lines and of widths without bound take time and memory linear in
// their length.
func TestReadHostile(t *testing.T) {
	n := 100_000
	if os.Getenv("GITDD_HOSTILE") != "" {
		n = 1_000_000
	}
	chain := []byte("1 var 1000000000\n2 zero 1000000000\n")
	for i := 3; i < n; i++ {
		chain = fmt.Appendf(chain, "%d add 1000000000 %d -%d\n", i, i-1, i-2)
	}
	negos := []byte("1 var 2000000000\n")
	for i := 2; i < n/2; i++ {
		negos = fmt.Appendf(negos, "%d slice %d 1 %d 0\n", i, i, i-1)
		negos = fmt.Appendf(negos, "%d nego 1 %d\n", n+i, i)
	}
	for _, text := range [][]byte{chain, negos, []byte(strings.Repeat("\n", 20*n)), []byte(strings.Repeat(";", 20*n))} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begin := time.Now()
		file, err := Read(text)
		took := time.Since(begin)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		per := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(text))
		if per > 80 {
			t.Errorf("%.20q...: %.0f bytes of memory for each byte of text", text, per)
		}
		t.Logf("%.20q...: %d bytes, %d nodes, %v, %.1f bytes of memory for each", text, len(text), len(file.Graph.Nodes), took, per)
	}
}
