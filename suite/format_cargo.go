package suite

import (
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/isolate"
)

// cargoDoc is behind the name of the crate in the name of its documentation tests.
const cargoDoc = " doc"

var (
	cargoRuns    = lazyregexp.New(`^\s*Running (?:unittests )?(\S.*) \((?:.*[/\\])?(.+)-[0-9a-f]{16}(?:\.exe)?\)$`)
	cargoDocs    = lazyregexp.New(`^\s*Doc-tests (\S+)$`)
	cargoBegins  = lazyregexp.New(`^running (\d+) tests?$`)
	cargoEnds    = lazyregexp.New(`^test result: (?:ok|FAILED)\. `)
	cargoTest    = lazyregexp.New(`^test (.+?)(?: - should panic| - compile fail| - compile)? \.\.\. (.*)$`)
	cargoOutcome = lazyregexp.New(`^(ok|FAILED|ignored|bench:)(?:\W.*)?$`)
	cargoPrinted = lazyregexp.New(`^---- (.+) stdout ----$`)
	cargoUnbuilt = lazyregexp.New("^error: could not compile `([^`]+)`")
	cargoStops   = lazyregexp.New(`^error: (?:doc)?test failed, to rerun pass`)
	cargoGoesOn  = lazyregexp.New(`^error: \d+ targets? failed:$`)
	cargoLine    = lazyregexp.New(` \(line \d+\)$`)
)

func beginsCargo(line string) bool {
	return cargoRuns().MatchString(line) || cargoBegins().MatchString(line) || cargoUnbuilt().MatchString(line)
}

// A cargoReader has what was read of the binary that runs.
type cargoReader struct {
	b        *builder
	binary   string             // its crate and source file; "" if cargo has not printed them before
	nameless []cargoBinary      // those that ran before cargo named one
	named    []string           // the binaries that cargo has named since
	left     int                // tests of it of which no outcome was read
	open     bool               // it began, and has not ended
	failed   map[string]*Result // tests of it that failed, by the names that it prints
	pending  string             // a test that printed something before its outcome
	printed  *Result            // the test whose output is being read
}

// A cargoBinary is what was read of a binary whose name is not known yet.
type cargoBinary struct {
	tests   []Result
	stopped bool
	kept    int // bytes of the room of the builder that tests take until they are added
}

// readCargo reads what cargo test prints on both of its streams. The name of a test begins with that of its binary,
// which is in the standard error of cargo: "shop src/lib.rs > tests::sum". If standard error comes behind standard output,
// as in a trial, the binaries are named in their order. The line number of a documentation test, which a change of other
// code can move, is left out.
func readCargo(_ Format, b *builder, r io.Reader) {
	c, began, stopped := &cargoReader{b: b}, false, false
	for line := range plainLines(r) {
		if m := cargoBegins().FindStringSubmatch(line); m != nil {
			c.close()
			c.open, c.failed, began = true, map[string]*Result{}, true
			if c.binary == "" {
				c.nameless = append(c.nameless, cargoBinary{})
			}
			c.left, _ = strconv.Atoi(m[1])
		} else if m := cargoRuns().FindStringSubmatch(line); m != nil {
			c.begin(m[2] + " " + strings.ReplaceAll(m[1], `\`, "/"))
		} else if m := cargoDocs().FindStringSubmatch(line); m != nil {
			c.begin(m[1] + cargoDoc)
		} else if m := cargoUnbuilt().FindStringSubmatch(line); m != nil {
			b.stopped(m[1])
		} else if cargoStops().MatchString(line) {
			c.close()
			stopped = true
		} else if cargoGoesOn().MatchString(line) {
			stopped = false
		} else {
			c.line(line)
		}
	}
	c.close()
	c.nameBinaries()
	if stopped {
		b.incomplete("cargo ends with the first binary whose tests fail; give it --no-fail-fast")
	}
	if !began && len(b.notRun) == 0 {
		b.incomplete("no tests of cargo are in it")
	}
}

// line takes a line that a binary prints.
func (c *cargoReader) line(line string) {
	if c.printed != nil && !cargoPrinted().MatchString(line) && line != "failures:" && !cargoEnds().MatchString(line) {
		c.printed.Message += line[:min(len(line), mostMessage)] + "\n"
		if len(c.printed.Message) > 2*mostMessage {
			c.printed = nil
		}
		return
	}
	if m := cargoTest().FindStringSubmatch(line); m != nil && c.open {
		c.pending = m[1]
		c.outcome(m[2])
	} else if m := cargoPrinted().FindStringSubmatch(line); m != nil {
		c.printed = c.failed[m[1]]
	} else if cargoEnds().MatchString(line) {
		if c.left > 0 {
			c.stopped()
		}
		c.open = false
		c.close()
	} else if c.pending != "" {
		c.outcome(line)
	} else {
		c.printed = nil
	}
}

// outcome takes what stands behind the name of a test, or on a line after what the test printed.
func (c *cargoReader) outcome(text string) {
	m := cargoOutcome().FindStringSubmatch(text)
	if m == nil {
		return
	}
	c.left--
	r := Result{Name: c.name(c.pending)}
	switch m[1] {
	case "ok", "bench:":
		r.Outcome = isolate.Pass
	case "FAILED":
		r.Outcome = isolate.Fail
		if c.b.keep(perTest) {
			c.failed[c.pending] = &r
		}
	}
	if r.Outcome != isolate.Fail {
		c.add(r)
	}
	c.pending = ""
}

// begin takes the name of a binary, which is that of the next one if it is the first that cargo prints.
func (c *cargoReader) begin(binary string) {
	c.close()
	if len(c.nameless) == 0 {
		c.binary = binary
	} else if c.b.keep(len(binary) + perTest) {
		c.named = append(c.named, binary)
	}
}

// add adds the result of a test of the binary, or keeps it until the binary has a name.
func (c *cargoReader) add(r Result) {
	if c.binary != "" {
		c.b.add(r)
		return
	}
	of := &c.nameless[len(c.nameless)-1]
	if size := len(r.Name) + len(r.Message) + perTest; c.b.keep(size) {
		of.kept += size
		of.tests = append(of.tests, r)
	}
}

// stopped says that the binary did not run all of its tests.
func (c *cargoReader) stopped() {
	if c.binary != "" {
		c.b.stopped(c.binary)
	} else {
		c.nameless[len(c.nameless)-1].stopped = true
	}
}

// nameBinaries adds what was read of the binaries without a name. They have the names that cargo has printed since, in
// their order, if there is one for each; documentation tests may run as several binaries, the last ones. Else they have
// none.
func (c *cargoReader) nameBinaries() {
	names := c.named
	if n := len(names); n > 0 && n < len(c.nameless) && strings.HasSuffix(names[n-1], cargoDoc) {
		names = append(slices.Clip(names), slices.Repeat(names[n-1:], len(c.nameless)-n)...)
	}
	for i, of := range c.nameless {
		c.b.room += of.kept
		if c.binary = ""; len(names) == len(c.nameless) {
			c.binary = names[i]
		}
		for _, r := range of.tests {
			r.Name = c.name(r.Name)
			c.b.add(r)
		}
		if of.stopped {
			c.b.stopped(c.name(""))
		}
	}
}

// close ends a binary: one that is open has crashed.
func (c *cargoReader) close() {
	for _, name := range slices.Sorted(maps.Keys(c.failed)) {
		c.add(*c.failed[name])
	}
	if c.open {
		c.stopped()
	}
	c.open, c.failed, c.pending, c.printed = false, nil, "", nil
}

// name is the name of a test of the binary, or of the binary itself.
func (c *cargoReader) name(test string) string {
	test = cargoLine().ReplaceAllString(test, "")
	switch {
	case test == "" && c.binary == "":
		return "a binary"
	case test == "" || c.binary == "":
		return c.binary + test
	}
	return c.binary + " > " + test
}

// selectCargo returns arguments for the binaries of tests, which cargo test takes behind --: --exact and the names
// that the binaries know. Tests of these names run in all binaries. Documentation tests cannot be selected.
func selectCargo(names []string) ([]string, bool) {
	args := []string{"--exact"}
	for _, name := range names {
		binary, test, inner := strings.Cut(name, " > ")
		if !inner {
			test = name
		}
		if strings.HasSuffix(binary, cargoDoc) && inner || strings.Contains(test, " - ") {
			return nil, false
		}
		args = append(args, test)
	}
	return args, true
}
