package report

import (
	"fmt"
	"strings"
)

// literally is a message that says just text: braces stand for arguments else
// (SARIF 2.1.0, 3.11.5).
func literally(text string) string {
	return strings.NewReplacer("{", "{{", "}", "}}").Replace(text)
}

// unlinked has nothing in names that reads as a link in a plain message, but links to
// the other changes by the ids of their locations (SARIF 2.1.0, 3.11.6).
var unlinked = markup{
	name:    withoutLink,
	subject: func(s string) string { return `"` + withoutLink(s) + `"` },
	command: func(s string) string { return "`" + withoutLink(s) + "`" },
	prose:   withoutLink,
	place: func(id int, at string) string {
		return fmt.Sprintf("[%s](%d)", strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(at), id)
	},
}

func withoutLink(text string) string { return strings.ReplaceAll(text, "](", "] (") }

// inMarkdown has names as code, where nothing in them means anything.
var inMarkdown = markup{
	name:    codeSpan,
	subject: codeSpan,
	command: codeSpan,
	prose:   escapeMarkdown,
	place:   func(id int, at string) string { return fmt.Sprintf("[%s](%d)", codeSpan(at), id) },
}

// escapeMarkdown is printable text that means nothing in Markdown (CommonMark, 2.4).
func escapeMarkdown(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// codeSpan is printable text as inline code: between more backticks than it has in
// a row (CommonMark, 6.1).
func codeSpan(text string) string {
	longest, run := 0, 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if text == "" || strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || strings.TrimSpace(text) != text {
		text = " " + text + " "
	}
	return fence + text + fence
}
