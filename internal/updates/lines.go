package updates

import (
	"path"
	"strings"
	"unicode"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// uses is a step of a workflow of GitHub Actions that runs an action, or calls another workflow.
var uses = lazyregexp.New(`^\s*-?\s*uses:\s*["']?([\w.-]+/[\w./-]+)@([\w./-]+)["']?\s*(?:#\s*(\S+))?`)

func isWorkflow(name string) bool {
	base := path.Base(name)
	yaml := strings.HasSuffix(base, ".yml") || strings.HasSuffix(base, ".yaml")
	return yaml && strings.HasSuffix(path.Dir(name), ".github/workflows") || base == "action.yml" || base == "action.yaml"
}

// readWorkflow reads the actions that a workflow pins. The version is the tag in the comment behind a commit, if
// there is one.
func readWorkflow(_ string, text []byte) ([]Entry, error) {
	return matching(text, func(line string) (name, version string) {
		m := uses().FindStringSubmatch(line)
		if m == nil {
			return "", ""
		}
		if m[3] != "" {
			return m[1], m[3]
		}
		return m[1], m[2]
	})
}

// from is an instruction of a Dockerfile that begins with an image.
var from = lazyregexp.New(`(?i)^\s*FROM\s+(?:--\S+\s+)*([^\s:@]+(?::\d+/[^\s:@]+)?)(?::([^\s@]+))?(?:@(\S+))?`)

func isDockerfile(name string) bool {
	base := strings.ToLower(path.Base(name))
	return base == "dockerfile" || base == "containerfile" || strings.HasPrefix(base, "dockerfile.") || strings.HasSuffix(base, ".dockerfile")
}

func readDockerfile(_ string, text []byte) ([]Entry, error) {
	return matching(text, func(line string) (name, version string) {
		m := from().FindStringSubmatch(line)
		if m == nil || m[2] == "" && m[3] == "" {
			return "", ""
		}
		if m[2] != "" {
			return m[1], m[2]
		}
		return m[1], m[3]
	})
}

// matching makes an entry of each line that names a package and its version.
func matching(text []byte, of func(line string) (name, version string)) (list []Entry, err error) {
	for n, line := range rows(text) {
		if name, version := of(strings.TrimRight(string(line), "\r\n")); name != "" {
			list = append(list, Entry{ID: name, Name: name, Version: version, Exact: true, From: n, To: n + 1})
		}
	}
	return list, nil
}

func gem(name string) string { return "gem " + name }

// gemLine is a line of a Gemfile that asks for a gem.
var gemLine = lazyregexp.New(`^\s*gem\s*\(?\s*["']([^"']+)["'](?:\s*,\s*["']([^"']+)["'])?`)

func readGemfile(_ string, text []byte) (list []Entry, err error) {
	lines := rows(text)
	for n, line := range lines {
		if m := gemLine().FindStringSubmatch(string(line)); m != nil {
			e := Entry{ID: m[1], Name: m[1], Version: m[2], From: n, To: n + 1, Together: []string{"dependency " + m[1]}}
			for rest := strings.TrimSpace(string(line)); strings.HasSuffix(rest, ",") && e.To < len(lines); e.To++ {
				rest = strings.TrimSpace(string(lines[e.To]))
			}
			list = append(list, e)
		}
	}
	return list, nil
}

// readGemfileLock reads a Gemfile.lock: below specs a gem with its version is indented by four spaces, what it
// requires by six; below DEPENDENCIES, what the Gemfile asks for by two.
func readGemfileLock(_ string, text []byte) (list []Entry, err error) {
	section := ""
	for n, raw := range rows(text) {
		line := strings.TrimRight(string(raw), "\r\n")
		body := strings.TrimLeft(line, " ")
		words := strings.FieldsFunc(body, func(r rune) bool { return unicode.IsSpace(r) || r == '(' || r == ')' || r == '!' || r == ',' })
		indent := len(line) - len(body)
		switch {
		case len(words) == 0:
		case indent == 0:
			section = body
		case section == "DEPENDENCIES" && indent == 2:
			version := strings.Join(words[1:], " ")
			list = append(list, Entry{
				ID: "DEPENDENCIES " + words[0], Name: words[0], Version: version, From: n, To: n + 1,
				Together: []string{"dependency " + words[0]},
				Needs:    []Need{{Keys: []string{gem(words[0])}, What: strings.TrimSpace(words[0] + " " + version)}},
			})
		case section == "GEM" && indent == 4 && len(words) == 2:
			list = append(list, Entry{
				ID: words[0], Name: words[0], Version: words[1], Exact: true, From: n, To: n + 1, Provides: []string{gem(words[0])},
			})
		case section == "GEM" && indent == 6 && len(list) > 0:
			e := &list[len(list)-1]
			e.Needs = append(e.Needs, Need{Keys: []string{gem(words[0])}, What: strings.Join(words, " ")})
			e.To = n + 1
		}
	}
	return list, nil
}

func composed(name string) string { return "package " + name }

func readComposer(_ string, text []byte) (list []Entry, err error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	for _, section := range []string{"require", "require-dev"} {
		for _, d := range root.all(section) {
			list = append(list, d.entry(Entry{
				ID: section + " " + d.key, Name: d.key, Version: d.text, Together: []string{wholeManifest},
				Needs: []Need{{Keys: []string{composed(d.key)}, What: d.key + " " + d.text}},
			}))
		}
	}
	return list, nil
}

// readComposerLock reads a composer.lock, which has a checksum of what composer.json requires.
func readComposerLock(_ string, text []byte) (list []Entry, err error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	if hash := root.get("content-hash"); hash != nil {
		list = append(list, hash.entry(Entry{ID: "content-hash", Together: []string{wholeManifest}}))
	}
	for _, section := range []string{"packages", "packages-dev"} {
		for _, p := range root.all(section) {
			name := p.string("name")
			e := Entry{ID: section + " " + name, Name: name, Version: p.string("version"), Exact: true, Provides: []string{composed(name)}}
			for _, d := range p.all("require") {
				e.Needs = append(e.Needs, Need{Keys: []string{composed(d.key)}, What: d.key + " " + d.text})
			}
			list = append(list, p.entry(e))
		}
	}
	return list, nil
}

// readFlake reads a flake.lock: an input is a node, which names the nodes of its own inputs.
func readFlake(_ string, text []byte) (list []Entry, err error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	if err := root.known("version", 5, 7); err != nil {
		return nil, err
	}
	for _, n := range root.all("nodes") {
		e := Entry{ID: n.key, Name: n.key, Version: short(n.string("locked", "rev")), Exact: true, Provides: []string{"node " + n.key}}
		if n.key == root.string("root") {
			e.Name = ""
		}
		for _, input := range n.all("inputs") {
			if input.text != "" {
				e.Needs = append(e.Needs, need(input.text, "node "+input.text))
			}
		}
		list = append(list, n.entry(e))
	}
	return list, nil
}
