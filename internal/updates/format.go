package updates

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// A format is a kind of manifest or lock file.
type format struct {
	// system is the name of the package manager. Files of one system in one project are read together.
	system string
	// matches reports whether a file with that path is of the format.
	matches func(name string) bool
	// above is how many directories a file lies below its project.
	above int
	// lock is whether the file fixes versions, also for manifests in directories below it.
	lock bool
	// read returns the entries of a text in the order of their lines. The error says where the text is not
	// as the reader knows it. name is the path of the file below its project.
	read func(name string, text []byte) (entries []Entry, err error)
	// json is whether commas are put between elements, and left out behind the last one, when the
	// text is composed.
	json bool
}

// formats are all of them. The first that matches counts.
var formats = []format{
	{system: "go", matches: named("go.mod"), read: readGoMod},
	{system: "go", matches: named("go.sum", "go.work.sum"), read: readGoSum},
	{system: "go", matches: named("go.work"), read: readGoWork},
	{system: "go", matches: vendored, above: 1, read: readVendored},
	{system: "npm", matches: named("package.json"), read: readPackage, json: true},
	{system: "npm", matches: named("package-lock.json", "npm-shrinkwrap.json"), lock: true, read: readPackageLock, json: true},
	{system: "npm", matches: named("yarn.lock"), lock: true, read: readYarn},
	{system: "npm", matches: named("pnpm-lock.yaml"), lock: true, read: readPnpm},
	{system: "cargo", matches: named("Cargo.toml"), read: readCargo},
	{system: "cargo", matches: named("Cargo.lock"), lock: true, read: readCargoLock},
	{system: "python", matches: named("pyproject.toml"), read: readPyproject},
	{system: "python", matches: named("Pipfile"), read: readPipfile},
	{system: "python", matches: named("poetry.lock", "uv.lock", "pdm.lock"), lock: true, read: readPythonLock},
	{system: "python", matches: named("Pipfile.lock"), lock: true, read: readPipfileLock, json: true},
	{system: "pip", matches: isRequirements, read: readRequirements},
	{system: "gem", matches: named("Gemfile"), read: readGemfile},
	{system: "gem", matches: named("Gemfile.lock"), lock: true, read: readGemfileLock},
	{system: "composer", matches: named("composer.json"), read: readComposer, json: true},
	{system: "composer", matches: named("composer.lock"), lock: true, read: readComposerLock, json: true},
	{system: "nix", matches: named("flake.lock"), lock: true, read: readFlake, json: true},
	{system: "actions", matches: isWorkflow, read: readWorkflow},
	{system: "docker", matches: isDockerfile, read: readDockerfile},
}

func named(names ...string) func(string) bool {
	return func(name string) bool { return slices.Contains(names, path.Base(name)) }
}

// cutByLines says of a file that cannot be read how it is cut.
func (f *format) cutByLines(name string, err error) string {
	how := "what it says of packages of a lock file goes with that"
	if f.lock {
		how = "all of it goes together, and with the manifest"
	}
	return fmt.Sprintf("%s is cut by lines, and %s: %v", name, how, err)
}

// formatOf returns the format of a file; nil if there is none.
func formatOf(name string) *format {
	for i := range formats {
		if formats[i].matches(name) {
			return &formats[i]
		}
	}
	return nil
}

// home returns the directory of the project that a file is of, if it is alone there.
func (f *format) home(name string) string {
	dir := path.Dir(name)
	for range f.above {
		dir = path.Dir(dir)
	}
	return dir
}

// maxText is the size in bytes from which on a text is not read.
const maxText = 8 << 20

// entries reads one side of a file. The error says where it is not written as its package manager writes it.
func (f *format) entries(name string, text []byte) ([]Entry, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("it has more than %d MB", maxText>>20)
	}
	list, err := f.read(name, text)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b Entry) int { return a.From - b.From })
	end, count := 0, lineCount(text)
	for _, e := range list {
		if e.From < end || e.To <= e.From || e.To > count {
			return nil, atLine(e.From, "%s shares it with something else", cmp.Or(e.Name, e.ID, "an entry"))
		}
		end = e.To
	}
	return list, nil
}

// atLine is an error about a line, which counts from 0.
func atLine(n int, format string, args ...any) error {
	return fmt.Errorf("line %d: %w", n+1, fmt.Errorf(format, args...))
}

// below is the path of a file below its project.
func (f *format) below(home, name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, home), "/")
}

// Two sides are the entries of both revisions of a file.
type sides [2][]Entry

const good, bad = 0, 1

// Known reports whether a file with that path is of a known format.
func Known(name string) bool { return formatOf(name) != nil }

// Readable reports whether both texts of a file are of a known format, so that Cut and Find read them.
func Readable(name string, old, new []byte) bool {
	f := formatOf(name)
	if f == nil {
		return false
	}
	_, err := f.sides(f.below(f.home(name), name), old, new)
	return err == nil
}

// errNothing says that a file has no entries.
var errNothing = errors.New("it names no package")

// sides reads both sides of a file. The error says on which side and where it cannot be read, or is errNothing.
func (f *format) sides(name string, old, new []byte) (s sides, err error) {
	var count [2]map[string]int
	for which, text := range [][]byte{old, new} {
		if s[which], err = f.entries(name, text); err != nil {
			return s, fmt.Errorf("at %s, %w", [2]string{"good", "bad"}[which], err)
		}
		count[which] = make(map[string]int)
		for _, e := range s[which] {
			count[which][e.ID]++
		}
	}
	if len(s[good])+len(s[bad]) == 0 {
		return s, errNothing
	}
	// Entries of one ID are paired by their versions, unless there are as many on both sides.
	for which := range s {
		seen := make(map[string]int)
		for i := range s[which] {
			e := &s[which][i]
			if count[good][e.ID] != count[bad][e.ID] && max(count[good][e.ID], count[bad][e.ID]) > 1 {
				e.ID += " " + e.Version
			}
			n := seen[e.ID]
			if seen[e.ID]++; n > 0 {
				e.ID += strings.Repeat("\x00", n)
			}
		}
	}
	return s, nil
}

// rows are the lines of a text, each with its line end.
func rows(text []byte) [][]byte { return slices.Collect(bytes.Lines(text)) }

func lineCount(text []byte) int {
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// lineStarts are the offsets at which the lines of a text start, and its length.
func lineStarts(text []byte) []int {
	starts := []int{0}
	for line := range bytes.Lines(text) {
		starts = append(starts, starts[len(starts)-1]+len(line))
	}
	return starts
}

// lineAt is the number of the line with the byte at an offset, from 0.
func lineAt(starts []int, offset int) int {
	i, found := slices.BinarySearch(starts, offset)
	if !found {
		i--
	}
	return i
}
