package grouping

import (
	"slices"
	"strings"
)

// Quote returns the lines of an output that say most of what is wrong, at most so
// many of them, in their order: those that Learn reads messages from, with the
// places that belong to them. Where there are none, these are the first lines that
// speak of an error, or else the last lines. They are valid UTF-8, and without
// escape sequences and carriage returns. Cost: as of Learn, the first and last
// 128 KB, of each line 1 KB.
func Quote(output []byte, most int) []string {
	lines := logLines(output)
	var r logReader
	var told, spoken []string
	for _, text := range lines {
		if len(told) >= most {
			break
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		messages, open := len(r.list), r.open
		r.read(text)
		switch {
		case len(r.list) > messages, open && r.open && goesWith(text):
			told = append(told, text)
		case len(spoken) < most && speaks(text):
			spoken = append(spoken, text)
		}
	}
	switch {
	case len(told) > 0:
		return told
	case len(spoken) > 0:
		return spoken
	}
	for _, text := range slices.Backward(lines) {
		if strings.TrimSpace(text) != "" && len(spoken) < most {
			spoken = append(spoken, text)
		}
	}
	slices.Reverse(spoken)
	return spoken
}

// goesWith reports whether a line says where the message before it is, or what it
// is about.
func goesWith(text string) bool {
	return arrowed().MatchString(text) || called().MatchString(text) || symboled().MatchString(text) || located().MatchString(text) ||
		placed().MatchString(text) && (related().MatchString(text) || expanded().MatchString(text))
}

// speaks reports whether a line of a tool that is not known looks like one that
// says what is wrong.
func speaks(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc([]string{"error", "fatal", "panic", "exception", "assert", "undefined", "cannot ", "not found", "no such file"}, func(word string) bool {
		return strings.Contains(text, word)
	})
}
