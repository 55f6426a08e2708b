package reduce

import (
	"context"
	"fmt"
)

// structure returns the tree algorithm of a name, "" is auto.
func structure(name string) (func(ctx context.Context, s *search) error, error) {
	if name != "" && name != "auto" && name != "hdd" {
		return nil, fmt.Errorf("there is no algorithm %q", name)
	}
	return hdd, nil
}

// hdd minimises the children of one level of the tree after the other, from the
// root on: Misherghi and Su, "HDD: hierarchical delta debugging" (ICSE 2006).
func hdd(ctx context.Context, s *search) error {
	level := []*Node{s.tree.Root}
	for len(level) > 0 {
		var proposals []Proposal
		var nodes []*Node
		for _, n := range level {
			for _, c := range n.Children {
				if !c.Fixed && !c.Separator {
					proposals, nodes = append(proposals, removing(c)), append(nodes, c)
				}
			}
		}
		made, err := s.minimise(ctx, proposals)
		if err != nil {
			return err
		}
		level = level[:0]
		for i, n := range nodes {
			if !made[i] {
				level = append(level, n)
			}
		}
	}
	return nil
}
