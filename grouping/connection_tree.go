package grouping

import (
	"path"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// A source is a file of the failing tree.
type source struct {
	starts       []int // of its lines
	content      []byte
	declarations []declaration
}

// A treePlace is a printed place that is in the failing tree.
type treePlace struct {
	printedPlace
	path string
}

// inTree returns the places whose files and lines are in the tree, each once: the first and the last
// ones of more than maxNamed, of which left are left out.
func (c *connector) inTree(list []printedPlace) (found []treePlace, left int) {
	byBase := c.candidatesByBase(list)
	seen := map[spot]bool{}
	for _, p := range list {
		name := c.resolve(p.path, byBase)
		if at := (spot{name, p.line}); name != "" && !seen[at] {
			seen[at] = true
			found = append(found, treePlace{p, name})
		}
	}
	if left = max(0, len(found)-maxNamed); left > 0 {
		found = slices.Concat(found[:maxNamed/2], found[len(found)-maxNamed/2:])
	}
	found = slices.DeleteFunc(found, func(p treePlace) bool {
		f := c.source(p.path)
		return f == nil || f.line(p.line) == nil
	})
	return found, left
}

// candidatesByBase returns the paths of the tree that places may mean, by their last elements.
func (c *connector) candidatesByBase(list []printedPlace) map[string][]string {
	byBase := map[string][]string{}
	for _, s := range list {
		byBase[path.Base(slashed(s.path))] = nil
	}
	for _, p := range c.Paths() {
		base := path.Base(p)
		if list, ok := byBase[base]; ok && len(list) < maxSameBase {
			byBase[base] = append(list, p)
		}
	}
	return byBase
}

func slashed(printed string) string { return path.Clean(strings.ReplaceAll(printed, "\\", "/")) }

// installed are directories of code that was not written here.
var installed = lazyregexp.New(`(?:^|/)(?:site-packages|dist-packages|node_modules|vendor|third_party|thirdparty|external|\.cargo/registry|pkg/mod|rustc/[0-9a-f]+|\.rustup|\.gradle|\.m2|gems|lib/python[\d.]+|usr/(?:lib|include|share|local/go|local/lib))/`)

// resolve returns the path in the tree that a printed one means: from the top, from the directory of
// the command, with directories before it that are not in the tree, or without those that are. Of
// several files it is one of the cause, or the first; "" if there is none, or too many.
func (c *connector) resolve(printed string, byBase map[string][]string) string {
	printed = slashed(printed)
	list := byBase[path.Base(printed)]
	for _, exact := range []string{path.Join(c.Dir, printed), printed} {
		if slices.Contains(list, exact) {
			return exact
		}
	}
	best := ""
	var tails []string
	for _, p := range list {
		switch before, ok := strings.CutSuffix(printed, "/"+p); {
		case ok && len(p) > len(best) && !installed().MatchString(before+"/"):
			best = p
		case strings.HasSuffix(p, "/"+strings.TrimLeft(printed, "./")):
			tails = append(tails, p)
		}
	}
	if best != "" || path.IsAbs(printed) {
		return best
	}
	if i := slices.IndexFunc(tails, func(p string) bool { return c.files[p] }); i >= 0 {
		return tails[i]
	}
	if len(tails) == 0 || len(tails) > maxPlaces {
		return ""
	}
	return tails[0]
}

// source returns a file of the failing tree; nil if it cannot be read.
func (c *connector) source(name string) *source {
	f, ok := c.contents[name]
	if ok || len(c.contents) >= maxFilesRead || c.read >= maxBytesRead {
		return f
	}
	if content, ok := c.Content(name); ok && len(content) <= maxFileBytes {
		c.read += len(content)
		f = &source{content: content, starts: lineStarts(content), declarations: outline(c.parsers, name, content, c.read <= parseBytes)}
	}
	c.contents[name] = f
	return f
}

// line returns a line, nil if there is none of that number.
func (f *source) line(n int) []byte { return f.lines(n, n) }

// lines returns the lines from first to last, at most maxBody bytes of them; nil if the first is not
// there.
func (f *source) lines(first, last int) []byte {
	if first < 1 || first > len(f.starts) || f.starts[first-1] >= len(f.content) {
		return nil
	}
	end := len(f.content)
	if last < len(f.starts) {
		end = f.starts[last]
	}
	return f.content[f.starts[first-1]:min(end, f.starts[first-1]+maxBody)]
}

// at returns the innermost declaration with a symbol around a line, nil if there is none.
func (f *source) at(line int) (inner *declaration) {
	for i := range f.declarations {
		if d := &f.declarations[i]; d.symbol != "" && d.doc <= line && line <= d.end && (inner == nil || d.end-d.doc <= inner.end-inner.doc) {
			inner = d
		}
	}
	return inner
}
