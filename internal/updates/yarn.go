package updates

import (
	"strconv"
	"strings"
)

// readYarn reads a yarn.lock of version 1. A block begins with the ranges that its package is there for.
func readYarn(_ string, text []byte) (list []Entry, err error) {
	if !strings.Contains(string(text[:min(len(text), 500)]), "# yarn lockfile v1") {
		return nil, atLine(0, "want # yarn lockfile v1: others are not known")
	}
	lines := rows(text)
	inside := "" // "dependencies" or the like
	for n, raw := range lines {
		line := strings.TrimRight(string(raw), "\r\n")
		switch body := strings.TrimLeft(line, " "); {
		case body == "" || body[0] == '#':
			continue
		case len(body) == len(line): // a block
			if !strings.HasSuffix(line, ":") {
				return nil, atLine(n, "want ranges of a package, and a colon")
			}
			e := Entry{From: spaced(lines, n), Exact: true}
			for _, pattern := range strings.Split(strings.TrimSuffix(line, ":"), ", ") {
				pattern = unquote(pattern)
				at := strings.LastIndexByte(pattern, '@')
				if i := strings.IndexByte(pattern[min(1, len(pattern)):], '@'); i >= 0 { // not that of a scope
					at = i + 1
				}
				if at <= 0 {
					return nil, atLine(n, "want NAME@RANGE, and there is %q", pattern)
				}
				e.Name = pattern[:at]
				e.Provides = append(e.Provides, patternKey(pattern[:at], pattern[at+1:]))
			}
			e.ID = e.Name
			list = append(list, e)
			inside = ""
		case len(list) == 0:
			return nil, atLine(n, "want ranges of a package first")
		case len(line)-len(body) == 2 && strings.HasSuffix(body, ":"):
			inside = strings.TrimSuffix(body, ":")
		default:
			e := &list[len(list)-1]
			key, rest, _ := cutQuoted(body)
			if len(line)-len(body) == 2 {
				inside = ""
				if key == "version" {
					e.Version = unquote(rest)
				}
			} else if inside == "dependencies" || inside == "optionalDependencies" {
				version := unquote(rest)
				e.Needs = append(e.Needs, need(key+" "+version, patternKey(key, version)))
			}
		}
		list[len(list)-1].To = n + 1
	}
	return list, nil
}

// cutQuoted cuts a line into its first word, which may be quoted, and the rest.
func cutQuoted(line string) (word, rest string, ok bool) {
	if strings.HasPrefix(line, `"`) {
		if i := strings.Index(line[1:], `" `); i >= 0 {
			return line[1 : 1+i], line[i+3:], true
		}
	}
	return strings.Cut(line, " ")
}

func unquote(text string) string {
	if s, err := strconv.Unquote(text); err == nil {
		return s
	}
	return text
}
