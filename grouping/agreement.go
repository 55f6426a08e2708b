package grouping

import "slices"

// alone is how much an explanation counts that no other message of the same text speaks
// for, beside one that another message speaks for with all of its weight.
const alone = 0.2

// agree weighs the explanations of messages that say the same of several places: they are
// taken to have one reason, such as a declaration that all of these places use. So an
// explanation counts by how much those of the other messages speak for one of its two
// changes. Cost: the explanations, twice.
func agree(list []Message) {
	of := map[string][]int{}
	for k, m := range list {
		text := alike(m.Text)
		of[text] = append(of[text], k)
	}
	for _, group := range of {
		if len(group) < 2 {
			continue
		}
		shares := make([]map[int]float64, len(group))
		sum := map[int]float64{}
		for g, k := range group {
			shares[g] = map[int]float64{}
			total := 0.0
			for _, e := range list[k].Explanations {
				total += e.Weight
			}
			for _, e := range list[k].Explanations {
				shares[g][e.Change] += e.Weight / total
				shares[g][e.Requires] += e.Weight / total
			}
			for i, share := range shares[g] {
				sum[i] += share
			}
		}
		for g, k := range group {
			for x, e := range list[k].Explanations {
				others := max(sum[e.Change]-shares[g][e.Change], sum[e.Requires]-shares[g][e.Requires])
				list[k].Explanations[x].Weight *= alone + others
			}
			slices.SortFunc(list[k].Explanations, Explanation.compare)
		}
	}
}
