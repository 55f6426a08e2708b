package grouping

import (
	"bytes"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
)

// namesOf returns the names that a remark is about, and how much each counts. Most tools
// quote the names that they speak of. In what others say, every word may be such a name.
func (d *Diagnosis) namesOf(r remark, at []pointed) map[string]float64 {
	names := map[string]float64{}
	name := func(weight float64) func(string) {
		return func(n string) { names[n] = max(names[n], weight) }
	}
	words := ofText
	text, suggested := withoutSuggestion(r.text)
	for _, part := range quotations(suggested) {
		identifiers(part, name(ofMore))
	}
	for _, part := range quotations(text) {
		identifiers(part, func(n string) {
			name(ofText)(n)
			words = ofWords
			if len(d.saying[n]) <= 1 { // a macro may have made the name of another one
				eachTail(n, name(ofTail))
			}
		})
	}
	identifiers(text, name(words))
	fileNames(text, name(ofText))
	for _, m := range r.more {
		identifiers(m, name(ofMore))
	}
	for _, p := range at {
		ofSource(p.source, name(ofLine))
		for _, above := range p.above {
			ofSource(above, name(ofAbove))
		}
	}
	return names
}

// withoutSuggestion cuts a message where the tool begins to guess what another name may be meant.
func withoutSuggestion(text string) (message, suggested string) {
	for _, cue := range []string{"id you mean", "imilar name"} {
		if at := strings.Index(text, cue); at > 0 {
			return text[:at], text[at:]
		}
	}
	return text, ""
}

// ofSource yields the first names of a line.
func ofSource(line []byte, yield func(string)) {
	k := 0
	eachIdentifier(line, func(n string) {
		if k++; k <= maxNamesOfLine {
			yield(n)
		}
	})
}

// eachTail yields what stands behind each underscore in a name, if it is long enough for a name of its own.
func eachTail(name string, yield func(string)) {
	for {
		_, tail, found := strings.Cut(name, "_")
		if !found || len(tail) <= shortestName {
			return
		}
		yield(tail)
		name = tail
	}
}

// stems returns what the files of some changes are called without the extension, by which others include them or import from
// them: those of at most maxPlaces files.
func (d *Diagnosis) stems(list []int) (stems []string) {
	for _, i := range list {
		if stem := stem(d.set.Changes[i].Path); len(stem) >= shortestName && !slices.Contains(stems, stem) {
			stems = append(stems, stem)
		}
		if len(stems) > maxPlaces {
			return nil
		}
	}
	return stems
}

// declares reports whether a change declares the first name that a remark quotes, or it quotes none: else it may be a name of
// another project, which an include brings.
func (d *Diagnosis) declares(r remark) bool {
	quoted := quotations(r.text)
	if len(quoted) == 0 {
		return true
	}
	name := lastName(quoted[0])
	return name == "" || len(d.names[name]) > 0 || len(d.saying[name]) > maxSaying
}

// including returns the changes of C that take away an include without putting it elsewhere, or bring one.
func (d *Diagnosis) including() (list []int) {
	for i := range d.set.Changes {
		c := &d.set.Changes[i]
		if d.families[d.fileOf[i]] != "c" || c.Kind != changes.Text {
			continue
		}
		included := map[string]int{}
		for sign, text := range map[int][]byte{-1: c.Old, 1: c.New} {
			for row := range bytes.Lines(text) {
				for _, target := range includes(string(bytes.TrimSpace(row))) {
					included[target] += sign
				}
			}
		}
		for _, n := range included {
			if n != 0 {
				list = append(list, i)
				break
			}
		}
	}
	return list
}
