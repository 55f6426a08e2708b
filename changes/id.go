package changes

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
)

// identity hashes all that a change's id stands for, except the number of the
// occurrence.
func (c *Change) identity() [sha256.Size]byte {
	from := "" // where a moved or copied file comes from is what the change says
	if c.Kind == Renamed || c.Kind == Copied {
		from = c.OldPath
	}
	h := sha256.New()
	fields := []string{
		c.Kind.String(), c.Path, from, string(c.Old), string(c.New),
		strconv.FormatUint(uint64(c.OldMode), 8), strconv.FormatUint(uint64(c.NewMode), 8),
		string(c.OldBlob), string(c.NewBlob),
	}
	if c.Part != (Part{}) {
		fields = append(fields, fmt.Sprint(c.Part))
	}
	for _, field := range fields {
		var length [8]byte // so that no two lists of fields run together
		binary.BigEndian.PutUint64(length[:], uint64(len(field)))
		h.Write(length[:])
		h.Write([]byte(field))
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// name gives the changes that have no id yet theirs: equal changes are numbered
// in their order, after those that are named already.
func name(changes []Change) {
	type key = [sha256.Size]byte
	count := make(map[key]uint64)
	for i := range changes {
		if changes[i].ID != "" {
			count[changes[i].identity()]++
		}
	}
	for i := range changes {
		c := &changes[i]
		if c.ID != "" {
			continue
		}
		k := c.identity()
		sum := sha256.Sum256(binary.BigEndian.AppendUint64(k[:], count[k]))
		count[k]++
		c.ID = hex.EncodeToString(sum[:8])
	}
}
