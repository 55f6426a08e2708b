package updates

import "bytes"

// repairCommas puts a comma between two elements of a JSON text that have none, and removes one that
// is before the end of an object or array. A text that has neither is returned as it is. Nothing else of a
// text is changed, JSON or not.
func repairCommas(text []byte) []byte {
	var out bytes.Buffer
	written := 0      // text[:written] is in out
	end := -1         // behind the last element, if no comma follows
	comma := -1       // the place of the last comma, if no element follows
	start := func() { // of an element
		if end >= 0 {
			out.Write(text[written:end])
			out.WriteByte(',')
			written = end
		}
		end, comma = -1, -1
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t', '\r', '\n':
		case ',':
			end, comma = -1, i
		case ':':
			end, comma = -1, -1
		case '{', '[':
			start()
		case '}', ']':
			if comma >= 0 {
				out.Write(text[written:comma])
				written = comma + 1
			}
			end, comma = i+1, -1
		case '"':
			start()
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			end = min(i+1, len(text))
		default:
			start()
			for i+1 < len(text) && bytes.IndexByte([]byte(" \t\r\n,:{}[]\""), text[i+1]) < 0 {
				i++
			}
			end = i + 1
		}
	}
	if written == 0 {
		return text
	}
	out.Write(text[written:])
	return out.Bytes()
}
