package changes

import (
	"cmp"
	"slices"
	"strings"
)

// requires returns the structural requirements among the changes of the files:
//
//   - content and mode of a created or copied file need the file;
//   - a file can be deleted only when the pieces its content was cut into are
//     gone;
//   - a file can take a path only when the file or the directory that has it in
//     good has left it, and its own directories' names must be free in the same
//     way. So files that swap their names require each other.
//
// The last needs no more than this rule, for two files that arrive are both in
// bad and two that leave are both in good, where they do not disturb each other.
//
// Time: O(n log n) and the number of requirements.
func requires(files []file, changes []Change) [][]int {
	out := make([][]int, len(changes))
	for _, f := range files {
		switch head := f.first; {
		case f.created() || f.copied:
			for i := head + 1; i < f.end; i++ {
				out[i] = append(out[i], head)
			}
		case f.deleted():
			for i := head + 1; i < f.end; i++ {
				out[head] = append(out[head], i)
			}
		}
	}

	type departure struct {
		path   string
		change int
	}
	var left []departure
	for _, f := range files {
		if path, ok := f.leaves(); ok {
			left = append(left, departure{path, f.first})
		}
	}
	slices.SortFunc(left, func(a, b departure) int { return cmp.Compare(a.path, b.path) })
	find := func(path string) int {
		i, _ := slices.BinarySearchFunc(left, path, func(d departure, p string) int { return cmp.Compare(d.path, p) })
		return i
	}
	for _, f := range files {
		path, ok := f.arrives()
		if !ok {
			continue
		}
		need := func(change int) {
			if change != f.first {
				out[f.first] = append(out[f.first], change)
			}
		}
		// The path itself, and each of its directories, may be a file of good.
		for end := 0; end < len(path); {
			end++
			if n := strings.IndexByte(path[end:], '/'); n >= 0 {
				end += n
			} else {
				end = len(path)
			}
			if i := find(path[:end]); i < len(left) && left[i].path == path[:end] {
				need(left[i].change)
			}
		}
		// The path may be a directory of good.
		for i := find(path + "/"); i < len(left) && strings.HasPrefix(left[i].path, path+"/"); i++ {
			need(left[i].change)
		}
	}
	for i := range out {
		slices.Sort(out[i])
		out[i] = slices.Compact(out[i])
	}
	return out
}
