package sequence

import "slices"

// Merge returns base with both the changes that turn it into a and those that turn it into b. A change that is the same in a and b
// is made once. Unlike the three-way merge of git, Merge makes changes of adjacent elements. ok is false if there is more than one
// way to merge:
//
//   - a and b change the same elements in different ways;
//   - both add elements between the same two;
//   - a change may be at several places, because elements there are equal, and a change of the other sequence is at one of these.
//
// Time: that of Blocks, and the product of the numbers of changes.
func Merge[T ~string | ~[]byte](base, a, b []T) (merged []T, ok bool) {
	one, other := Blocks(base, a), Blocks(base, b)
	one = slices.DeleteFunc(one, func(k Block) bool {
		return slices.ContainsFunc(other, func(l Block) bool {
			return k.A0 == l.A0 && k.A1 == l.A1 && equal(a[k.B0:k.B1], b[l.B0:l.B1])
		})
	})
	for _, k := range one {
		for _, l := range other {
			if meet(base, a, b, k, l) {
				return nil, false
			}
		}
	}
	at := 0 // Invariant: merged is the merge of base[:at]
	for len(one) > 0 || len(other) > 0 {
		text, from := a, &one
		if len(one) == 0 || len(other) > 0 && (other[0].A0 < one[0].A0 || other[0].A0 == one[0].A0 && other[0].A1 < one[0].A1) {
			text, from = b, &other
		}
		k := (*from)[0]
		*from = (*from)[1:]
		merged = append(append(merged, base[at:k.A0]...), text[k.B0:k.B1]...)
		at = k.A1
	}
	return append(merged, base[at:]...), true
}

func equal[T ~string | ~[]byte](a, b []T) bool {
	return slices.EqualFunc(a, b, func(x, y T) bool { return string(x) == string(y) })
}

// meet reports whether block k of a and block l of b may change the same elements of base, or add elements at the same place.
func meet[T ~string | ~[]byte](base, a, b []T, k, l Block) bool {
	start, end := reach(base, a, k)
	first, last := reach(base, b, l)
	if k.A0 == k.A1 && l.A0 == l.A1 {
		return start <= last && first <= end
	}
	return start < last && first < end
}

// reach returns where in base a block may begin at the earliest and end at the latest. A block that only removes or only
// adds elements may stand further up or down if the elements there are the same.
func reach[T ~string | ~[]byte](base, text []T, k Block) (start, end int) {
	list, from, to := base, k.A0, k.A1
	switch {
	case k.A0 == k.A1:
		list, from, to = text, k.B0, k.B1
	case k.B0 != k.B1:
		return k.A0, k.A1
	}
	up, down := 0, 0
	for up < from && string(list[from-1-up]) == string(list[to-1-up]) {
		up++
	}
	for to+down < len(list) && string(list[from+down]) == string(list[to+down]) {
		down++
	}
	return max(0, k.A0-up), min(len(base), k.A1+down)
}
