package reduce

import "bytes"

// parseCSV reads records as RFC 4180 has them, separated by the one of , ; | and
// tab that stands most often in the first.
func parseCSV(content []byte) (*Tree, error) {
	first := content[:recordEnd(content)]
	most, separator := 0, byte(',')
	for _, c := range []byte(",\t;|") {
		if n := bytes.Count(first, []byte{c}); n > most {
			most, separator = n, c
		}
	}
	return table(content, separator)
}

// parseTSV reads records of cells that tabs separate.
func parseTSV(content []byte) (*Tree, error) { return table(content, '\t') }

// recordEnd returns where the first line ends that has its quotes closed.
func recordEnd(content []byte) int {
	inside := false
	for i, c := range content {
		switch {
		case c == '"':
			inside = !inside
		case c == '\n' && !inside:
			return i
		}
	}
	return len(content)
}

// table makes rows of cells. A column goes as a whole, by Together; of a cell
// alone goes the value, so that no row is shorter than the others.
func table(content []byte, separator byte) (*Tree, error) {
	t := &csvTable{text: content, separator: separator}
	var rows []*Node
	at := bom(content)
	for at < len(content) {
		row, err := t.row(at)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
		at = row.To
	}
	tree := wholeTree(content, rows)
	tree.Together = t.columns
	return tree, nil
}

// bom returns how many bytes a byte order mark takes at the beginning.
func bom(content []byte) int {
	if bytes.HasPrefix(content, []byte("\ufeff")) {
		return len("\ufeff")
	}
	return 0
}

type csvTable struct {
	nodes
	text      []byte
	separator byte
	columns   [][]*Node
}

func (t *csvTable) row(at int) (*Node, error) {
	row := t.node("row", at, at)
	for {
		end, err := t.cellEnd(at)
		if err != nil {
			return nil, err
		}
		cell := t.node("cell", at, end)
		cell.Joint = true
		if end > at {
			cell.Children = []*Node{t.value(at, end)}
		}
		column := len(row.Children) / 2
		if column == len(t.columns) {
			t.columns = append(t.columns, nil)
		}
		t.columns[column] = append(t.columns[column], cell)
		row.Children = append(row.Children, cell)
		if at = end; at == len(t.text) {
			break
		}
		if t.text[at] == t.separator {
			mark := t.node("separator", at, at+1)
			mark.Separator = true
			row.Children = append(row.Children, mark)
			at++
			continue
		}
		end = lineEnd(t.text, at)
		last := t.node("end", at, end)
		last.Fixed = true
		row.Children = append(row.Children, last)
		at = end
		break
	}
	row.To = at
	return row, nil
}

// cellEnd returns where the cell ends that begins at an offset: at a separator, an
// end of line, or the end of the text.
func (t *csvTable) cellEnd(at int) (int, error) {
	if at == len(t.text) || t.text[at] != '"' {
		for i := at; i < len(t.text); i++ {
			switch c := t.text[i]; {
			case c == t.separator || c == '\n' || c == '\r' && i+1 < len(t.text) && t.text[i+1] == '\n':
				return i, nil
			case c == '"':
				return 0, notParsed(t.text, i, "a quote within a cell that does not begin with one")
			}
		}
		return len(t.text), nil
	}
	for i := at + 1; i < len(t.text); i++ {
		if t.text[i] != '"' {
			continue
		}
		if i++; i < len(t.text) && t.text[i] == '"' {
			continue
		}
		if rest := t.text[i:]; len(rest) == 0 || rest[0] == t.separator || rest[0] == '\n' || bytes.HasPrefix(rest, []byte("\r\n")) {
			return i, nil
		}
		return 0, notParsed(t.text, i, "%q behind the quote that ends a cell", t.text[i])
	}
	return 0, notParsed(t.text, at, "a quote that nothing closes")
}

// value is what a cell holds: words, within the quotes if there are some.
func (t *csvTable) value(from, to int) *Node {
	n := t.node("value", from, to)
	if t.text[from] == '"' {
		open, last := t.node("open", from, from+1), t.node("close", to-1, to)
		open.Fixed, last.Fixed = true, true
		n.Children = append(append([]*Node{open}, t.pieces(from+1, to-1)...), last)
		return n
	}
	if pieces := t.pieces(from, to); len(pieces) > 1 {
		n.Children = pieces
	}
	return n
}

// pieces cuts at the borders of words; a doubled quote stays whole.
func (t *csvTable) pieces(from, to int) []*Node {
	var list []*Node
	for at := from; at < to; {
		end := at
		for end < to && isWord(t.text[end]) {
			end++
		}
		switch {
		case end > at:
		case isSpace(t.text[at]):
			for end = at; end < to && isSpace(t.text[end]); end++ {
			}
			at = end
			continue
		case t.text[at] == '"':
			end = at + 2
		default:
			end = at + 1
		}
		list = append(list, t.node("text", at, end))
		at = end
	}
	return list
}

// looksCSV: at least three records, and each of the first has as many cells, two or
// more.
func looksCSV(content []byte) bool {
	head := content[:min(len(content), 8<<10)]
	if len(head) < len(content) {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	t, err := parseCSV(head)
	if err != nil || len(t.Root.Children) < 3 || len(t.Together) < 2 {
		return false
	}
	for _, column := range t.Together {
		if len(column) != len(t.Root.Children) {
			return false
		}
	}
	return true
}
