package syntax

// Indentation returns the column at which the text of a line begins, and that
// text. A tab goes on to the next multiple of eight.
func Indentation(line []byte) (column int, text []byte) {
	for i, c := range line {
		switch c {
		case ' ':
			column++
		case '\t':
			column += 8 - column%8
		default:
			return column, line[i:]
		}
	}
	return column, nil
}
