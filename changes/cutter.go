package changes

// A Cutter cuts the two texts of the file at path into pieces, if it knows more about them than that they
// consist of lines: for example that some lines of both are about one package. The pieces are in the
// order of both texts. If there are no pieces, or if the pieces do not lead from old to new, the file is
// cut by lines, as without a Cutter.
//
// If repair is not nil, and a text is composed with some of the file's text changes but not all of them, then
// the text is replaced by repair(text). repair changes only what makes the text well-formed, such as the commas
// between its elements. Its result depends on the text alone.
type Cutter func(path string, old, new []byte) (pieces []Piece, repair func(text []byte) []byte)

// A Piece is a change of text: it replaces the bytes OldOff to before OldEnd of the old text by the
// bytes NewOff to before NewEnd of the new one. Both ranges hold whole lines, and at most one is empty.
// Between two pieces both texts are equal; there may be nothing between them.
type Piece struct {
	OldOff, OldEnd, NewOff, NewEnd int
	Whole                          bool // Split does not cut it further
}

// cutBy returns the hunks of the cutter for a file, and how finely each is cut, and sets the file's repair. They are
// nil if the file is to be cut by lines.
func cutBy(cutter Cutter, f *file, old, new []byte) ([]hunk, []depth) {
	if cutter != nil {
		path, _ := f.paths()
		pieces, repair := cutter(path, old, new)
		hunks, depths := make([]hunk, len(pieces)), make([]depth, len(pieces))
		if fitting(pieces, hunks, depths, old, new) {
			f.repair = repair
			return hunks, depths
		}
	}
	return nil, nil
}

// fitting fills in the hunks and depths of pieces, and reports whether they lead from old to new.
func fitting(pieces []Piece, hunks []hunk, depths []depth, old, new []byte) bool {
	var last hunk
	for k, p := range pieces {
		if p.OldOff < last.oldEnd || p.OldEnd < p.OldOff || p.OldEnd > len(old) ||
			p.NewOff < last.newEnd || p.NewEnd < p.NewOff || p.NewEnd > len(new) ||
			p.OldOff == p.OldEnd && p.NewOff == p.NewEnd {
			return false
		}
		h := hunk{oldOff: p.OldOff, oldEnd: p.OldEnd, newOff: p.NewOff, newEnd: p.NewEnd}
		h.oldLine = last.oldLine + last.oldLines + len(lines(old[last.oldEnd:h.oldOff]))
		h.newLine = last.newLine + last.newLines + len(lines(new[last.newEnd:h.newOff]))
		h.oldLines, h.newLines = len(lines(old[h.oldOff:h.oldEnd])), len(lines(new[h.newOff:h.newEnd]))
		if p.Whole {
			depths[k] = inner
		}
		hunks[k], last = h, h
	}
	return len(pieces) > 0 && exact(hunks, old, new, false)
}
