package report

import (
	"slices"
	"testing"
)

func TestWindow(t *testing.T) {
	tests := []struct {
		name          string
		weights       []int
		limit, hidden int
		from, to      int
	}{
		{"nothing is known", make([]int, 20), 5, 3, 0, 5},
		{"too few to be hidden", []int{0, 0, 0, 0, 0, 0, 9}, 5, 3, 0, 7},
		{"the first lines tell as much as others", []int{0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 9, 0}, 5, 3, 0, 5},
		{"one line", []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 5, 3, 8, 13},
		{"two lines, of which one tells more", []int{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 5, 3, 8, 13},
		{"two lines that do not fit together with a third", []int{0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0}, 3, 3, 9, 12},
		{"few lines before", []int{0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0}, 5, 4, 0, 8},
		{"the last line", []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9}, 5, 3, 7, 12},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if from, to := window(tt.weights, tt.limit, tt.hidden); from != tt.from || to != tt.to {
				t.Errorf("got %d to %d, want %d to %d", from, to, tt.from, tt.to)
			}
		})
	}
}

func TestTelling(t *testing.T) {
	s := side{lines: []string{"max_size := max_sizes", "max := size", "put(max_sizes, max_size)", `say("no key")`, "}"}}
	p := page{r: &Result{Printed: []string{"max_size", "no key", "size_t"}}}
	if got, want := p.weights(&s, 4), []int{nameWeight / 2, 0, nameWeight / 2, nameWeight, placeWeight}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	p.r.Place = &FailurePlace{Name: "put"}
	if got, want := p.weights(&s, -1), []int{nameWeight / 2, 0, nameWeight/2 + nameWeight, nameWeight, 0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
