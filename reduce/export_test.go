package reduce

import "context"

// Structure reduces a text of nested elements with a tree algorithm alone, and
// returns what is left and how many trials it took: before the certificate, and
// with it. Element i lies from[i]..to[i] within its parent; 0 is the root.
func Structure(ctx context.Context, algorithm, source string, parent, from, to []int, fails func(string) bool) (left string, trials, certified int, err error) {
	nodes := make([]*Node, len(parent))
	for i := range nodes {
		nodes[i] = &Node{From: from[i], To: to[i]}
		if i > 0 {
			p := nodes[parent[i]]
			p.Children = append(p.Children, nodes[i])
		}
	}
	run, err := structure(algorithm)
	if err != nil {
		return "", 0, 0, err
	}
	s := searching(&Tree{Source: []byte(source), Root: nodes[0]}, fails, Options{})
	if err := run(ctx, s); err != nil {
		return s.left(), s.trials, s.trials, err
	}
	trials = s.trials
	err = s.certify(ctx)
	return s.left(), trials, s.trials, err
}
