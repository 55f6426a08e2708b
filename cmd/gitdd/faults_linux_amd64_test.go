package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/report"
)

var everyFault = flag.Bool("faults-all", false, "inject faults at every call, not at a sample of them")

// leastFaults is how many faults are injected at the very least, but with -short.
const leastFaults = 200

// TestFaults runs whole searches in real repositories, each with one fault: the
// machine, the test or the user does something that was not to be expected.
// After each, gitdd has said clearly what was wrong or nothing was; `gitdd
// resume` comes to the answer of an undisturbed search; the repository is byte
// for byte what it was; and after `gitdd clean` no process, lock or
// temporary file is left. What does not hold is lost, and fails the test. The table
// at the end is that of docs/reliability.md.
func TestFaults(t *testing.T) {
	t.Parallel()
	if err := supervisable(); err != nil {
		t.Skipf("no faults are injected: this machine does not let a test supervise system calls: %v", err)
	}
	l := newLedger(t)
	t.Run("kinds", func(t *testing.T) {
		for _, kinds := range faultKinds {
			kinds(t, l)
		}
	})
	injected := l.print(t)
	if injected < leastFaults && !testing.Short() && !t.Failed() && flag.Lookup("test.run").Value.String() == "" && len(l.skipped) == 0 {
		t.Errorf("only %d faults were injected, want %d", injected, leastFaults)
	}
}

// faultKinds are the functions that inject faults, one per file.
var faultKinds = []func(*testing.T, *ledger){
	killFaults,
	partFaults,
	diskFaults,
	cacheFaults,
	testFaults,
	userFaults,
	journalFaults,
}

// A ledger counts what was injected and what came of it.
type ledger struct {
	template string // a repository to be copied

	injected map[string]int // faults of each kind that have begun

	mu      sync.Mutex
	kinds   []string
	rows    map[string]*ledgerRow
	wholes  map[string]report.Result // of undisturbed searches
	skipped []string                 // kinds that this machine forbids, and why
}

type ledgerRow struct{ survived, said, lost int }

func newLedger(t *testing.T) *ledger {
	f := newField(t)
	f.run("", "git", "init", "-q", "--template=", "-b", "main", "repo")
	// Of seven changes two break the test, but only together; and of two others
	// one requires the other, which nobody knows before a build has said so.
	f.sh("repo", `
cat > check <<'END'
[ -z "$ACT" ] || . "$ACT"
! grep -q total=3 value || ! grep -q 2 b
END
cat > build <<'END'
name=$(sed -n 's/^NAME = //p' Makefile)
[ -e gen/$name.c ] || { echo "make: *** No rule to make target 'gen/$name.c', needed by 'all'.  Stop." >&2; exit 2; }
END
mkdir gen
printf 'NAME = list\nall: gen/$(NAME).c\n' > Makefile
echo 1 > gen/list.c
echo total=2 > value
for i in b c d; do echo 1 > $i; done
git add .
git commit -qm 'The old state'
git tag old
for i in b c d; do echo 2 > $i; git commit -qam "Change $i"; done
echo total=3 > value
git commit -qam 'Change value'
printf 'NAME = table\nall: gen/$(NAME).c\n' > Makefile
git rm -q gen/list.c
mkdir -p gen
printf 'a\nb\nc\nd\n' > gen/table.c
git add .
git commit -qam 'Change the list into a table'
git tag new
git tag once $(git commit-tree -p old -m 'All at once' new^{tree})
`)
	return &ledger{template: f.path("repo"), injected: map[string]int{}, rows: map[string]*ledgerRow{}, wholes: map[string]report.Result{}}
}

// The searches that faults are injected into.
var (
	atOnce  = []string{"--good", "old", "--bad", "once", "--", "sh", "check"}
	learner = []string{"--good", "old", "--bad", "once", "--build", "sh build", "--", "sh", "check"}
	commits = []string{"--good", "old", "--bad", "new", "--", "sh", "check"}
	twoJobs = []string{"--good", "old", "--bad", "once", "-j", "2", "--", "sh", "check"}
)

// A fault is a search that something happens to.
type fault struct {
	*field
	l      *ledger
	t      *testing.T
	search []string // behind "run"
	before string   // the repository
	refuse string   // what the resumed search may say, as a regular expression, in place of an answer; "" = it answers

	named  string // the session to be resumed; "" = the newest
	aimed  bool   // it is to strike at one call,
	struck bool   // and has done so
	ends   bool   // it is the end of gitdd
	loose  bool   // the search may take another way to the same answer
	moved  bool   // the user has another commit checked out than at the beginning

	status int    // of the search, -1 when it was killed
	output string // what it printed
	said   bool   // it came to a clear error
}

func (l *ledger) fault(t *testing.T, search []string) *fault {
	f := &fault{field: newField(t), l: l, t: t, search: search}
	for _, dir := range []string{"tmp", "out"} {
		if err := os.Mkdir(f.path(dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(f.path("repo"), os.DirFS(l.template)); err != nil {
		t.Fatal(err)
	}
	f.env = append(f.env, "TMPDIR="+f.path("tmp"), "FIELD="+f.dir)
	f.before = f.contents("repo")
	return f
}

// inject runs one search with a fault. The race detector watches the first of each kind
// and every fourth that follows it, and those whose search performs several trials at once.
func (l *ledger) inject(t *testing.T, kind, name string, search []string, do func(f *fault)) {
	raced := l.injected[kind]%4 == 0
	l.injected[kind]++
	t.Run(kind+"/"+name, func(t *testing.T) {
		t.Parallel()
		seed.SkipLong(t, 16)
		f := l.fault(t, search)
		f.raced = raced || watched(search)
		defer func() {
			if !t.Skipped() {
				l.enter(kind, f.said, t.Failed())
			}
		}()
		do(f)
		f.settle()
		if f.aimed && !f.struck {
			t.Skip("the search went without the call: no fault was injected")
		}
	})
}

func (l *ledger) enter(kind string, said, lost bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	row := l.rows[kind]
	if row == nil {
		row = &ledgerRow{}
		l.rows[kind] = row
		l.kinds = append(l.kinds, kind)
	}
	switch {
	case lost:
		row.lost++
	case said:
		row.said++
	default:
		row.survived++
	}
}

// skip notes that the machine forbids a kind of fault.
func (l *ledger) skip(t *testing.T, kind string, why any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.skipped = append(l.skipped, fmt.Sprintf("%s: %v", kind, why))
}

// print writes the table of docs/reliability.md, and returns how many faults
// were injected.
func (l *ledger) print(t *testing.T) int {
	var table strings.Builder
	var all ledgerRow
	line := func(kind string, r ledgerRow) {
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %d |\n", kind, r.survived+r.said+r.lost, r.survived, r.said, r.lost)
	}
	table.WriteString("| fault | injected | survived | clear error | lost |\n|---|---|---|---|---|\n")
	slices.Sort(l.kinds)
	for _, kind := range l.kinds {
		r := *l.rows[kind]
		line(kind, r)
		all.survived, all.said, all.lost = all.survived+r.survived, all.said+r.said, all.lost+r.lost
	}
	line("all", all)
	for _, why := range l.skipped {
		fmt.Fprintf(&table, "not injected: %s\n", why)
	}
	t.Logf("\n%s", table.String())
	return all.survived + all.said + all.lost
}

// whole is the answer of the undisturbed search.
func (l *ledger) whole(t *testing.T, search []string) report.Result {
	key := strings.Join(search, " ")
	l.mu.Lock()
	defer l.mu.Unlock()
	if whole, ok := l.wholes[key]; ok {
		return whole
	}
	f := l.fault(t, search)
	f.run("repo", f.line("run")...)
	whole, err := readResult(f.path("out/result.json"))
	if err != nil {
		t.Fatal(err)
	}
	l.wholes[key] = whole
	return whole
}

// line is the command line that begins or resumes the search.
func (f *fault) line(command string) []string {
	line := []string{"gitdd", command, "--json", "../out/result.json"}
	if command == "run" {
		line = append(line, f.search...)
	}
	return line
}

// act lets trial n begin with a line of shell, once; n = 0 lets all trials do.
func (f *fault) act(n int, script string) {
	if n > 0 {
		script = fmt.Sprintf("if [ $GITDD_TRIAL = %d ] && [ ! -e $FIELD/acted ]; then : > $FIELD/acted; %s\nfi", n, script)
	}
	if err := os.WriteFile(f.path("act"), []byte(script+"\n"), 0o666); err != nil {
		f.t.Fatal(err)
	}
	f.env = append(f.env, "ACT="+f.path("act"))
}

// begin runs the search under supervision until it and all that it started is
// gone. If the race detector watches this fault, then of the search and what resumes it the
// one that has to cope with the fault: where the fault ends gitdd that is the other one.
func (f *fault) begin(decide func(*call) fate) {
	line := f.line("run")
	if f.ends {
		line[0] = unraced(line[0])
	}
	f.supervise(decide, line...)
}

func (f *fault) supervise(decide func(*call) fate, line ...string) {
	f.t.Helper()
	cmd := f.command("repo", line...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	s, err := supervise(cmd, f.dir, decide)
	if err != nil {
		f.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cmd.Wait()
	}()
	late := time.After(patience)
	select {
	case <-ended:
	case <-late:
		cmd.Process.Kill()
		<-ended
		f.t.Fatalf("%q has not ended after %v\n%s", line, patience, output.String())
	}
	f.status, f.output = cmd.ProcessState.ExitCode(), output.String()
	select {
	case <-s.gone:
		if s.err != nil {
			f.t.Fatal(s.err)
		}
	case <-late:
		f.t.Fatalf("processes of %q are left after %v\n%s", line, patience, f.output)
	}
}

// trouble is how gitdd says that the machine or the user is at fault.
var trouble = regexp.MustCompile(`(?m)^gitdd: [^\n]{20,}|^Not isolated: `)

// bug is what no user should ever see.
var bug = regexp.MustCompile(`panic|goroutine \d|DATA RACE|runtime error|nil pointer`)

// settle resumes the search and looks at what is left.
func (f *fault) settle() {
	f.t.Helper()
	f.clear()
	args := f.line("run")
	switch list := f.run("repo", "gitdd", "list"); {
	case strings.Contains(list, "running"):
		f.t.Fatalf("the session is said to run:\n%s", list)
	case list != "":
		args = f.line("resume")
		if !f.ends {
			args[0] = unraced(args[0])
		}
		if f.named != "" {
			args = append(args, f.named)
		}
	}
	if err := os.Remove(f.path("out/result.json")); err != nil && !os.IsNotExist(err) {
		f.t.Fatal(err)
	}
	f.supervise(nil, args...)
	resumed := f.status
	f.clear()
	if resumed != 0 {
		if f.refuse == "" || !regexp.MustCompile(f.refuse).MatchString(f.output) {
			f.t.Fatalf("%q: exit status %d\n%s", args, resumed, f.output)
		}
	} else {
		f.compare()
	}
	f.cleaned()
}

// clear fails the test unless the exit status and the output are what a user
// can make sense of.
func (f *fault) clear() {
	f.t.Helper()
	if bug.MatchString(f.output) {
		f.t.Fatalf("exit status %d\n%s", f.status, f.output)
	}
	switch f.status {
	case -1, 0:
	case 1, 4:
		f.said = true
		if !trouble.MatchString(f.output) {
			f.t.Fatalf("exit status %d, and no clear error:\n%s", f.status, f.output)
		}
	default:
		f.t.Fatalf("exit status %d\n%s", f.status, f.output)
	}
}

// compare fails the test if the answer is another one than that of the
// undisturbed search.
func (f *fault) compare() {
	f.t.Helper()
	got, err := readResult(f.path("out/result.json"))
	if err != nil {
		f.t.Fatal(err)
	}
	whole := f.l.whole(f.t, f.search)
	if f.loose {
		// It may say otherwise how it came to it, and how sure it is.
		got.Timeouts, got.Minimal, got.Suspicions = whole.Timeouts, whole.Minimal, whole.Suspicions
		got.Trials, got.Hints, got.Unproven, got.Alone, got.Others = whole.Trials, whole.Hints, whole.Unproven, whole.Alone, whole.Others
	}
	if f.moved {
		got.Apply = whole.Apply // it is about what is checked out
	}
	if diff := answersDiffer(whole, got); diff != "" {
		f.t.Fatalf("the answer undisturbed (-) and with the fault (+):\n%s\n%s", diff, f.output)
	}
}

// cleaned runs gitdd clean and fails the test if anything is left.
func (f *fault) cleaned() {
	f.t.Helper()
	f.supervise(nil, "gitdd", "clean")
	if f.status != 0 {
		f.t.Errorf("clean: exit status %d\n%s", f.status, f.output)
	}
	if now := f.contents("repo"); now != f.before {
		f.t.Errorf("the repository was\n%s\nand is\n%s", f.before, now)
	}
	os.Remove(f.path("out/result.json"))
	for _, dir := range []string{".sessions", "tmp", "out"} {
		left, err := filepath.Glob(f.path(dir + "/*"))
		hidden, err2 := filepath.Glob(f.path(dir + "/.*"))
		if err != nil || err2 != nil || len(left)+len(hidden) > 0 {
			f.t.Errorf("left in %s: %q %q", dir, left, hidden)
		}
	}
}
