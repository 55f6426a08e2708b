package escapes

import (
	"bytes"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// sequence matches an escape sequence (ECMA-48): a colour, a movement, a link, a title.
var sequence = lazyregexp.New(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-Z\\^-~])`)

// Remove returns a text without its escape sequences. It returns the text itself if there are none.
func Remove(text []byte) []byte {
	if bytes.IndexByte(text, 0x1b) < 0 {
		return text
	}
	return sequence().ReplaceAll(text, nil)
}
