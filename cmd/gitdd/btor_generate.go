package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/internal/cli"
)

func (a *app) btorGenerateCommand() *cobra.Command {
	o := btor.Defaults()
	var output string
	cmd := &cobra.Command{
		Use:   "generate [flags]",
		Short: "Print a random graph, the same for a seed everywhere",
		Long: `Print a random graph of bit-vectors and arrays, to test a solver with. It is
well-formed, has one root, and has the same bytes for the same flags on every
machine; its first line is a comment that repeats them all.

Variables, arrays and writes come first, then nodes of random operators until -n
or -d is reached. Arrays that nothing refers to are then read, wider bit-vectors
made one bit, and the bits joined into one: that exceeds -n by a fifth or more.
With --cnf they are joined by clauses, and the graph is several times larger.`,
		Example: `  gitdd btor generate -s 7 -n 1000 -o seven.btor
  gitdd btor generate -s 7 --minwidth 8 --maxwidth 32 --noarrays | boolector
  gitdd btor generate --cnfonly --vars 100 --clauses 4.26`,
		Args:              cli.Args(cobra.NoArgs),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Check(); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			_, text, err := btor.Generate(o)
			if err != nil {
				return err
			}
			return a.writeFile(output, text)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Uint64VarP(&o.Seed, "seed", "s", o.Seed, "draw by seed `N`")
	generateFlags(flags, &o)
	flags.StringVarP(&output, "output", "o", "-", "write the graph to `FILE`, whole or not at all; - is standard output")
	return cmd
}

// generateFlags are the options of the generator, but for the seed.
func generateFlags(flags *pflag.FlagSet, o *btor.Options) {
	flags.IntVarP(&o.Count, "count", "n", o.Count, "draw no more nodes when there are `N`")
	flags.IntVarP(&o.Depth, "depth", "d", o.Depth, "nor when one lies `N` above the leaves")
	flags.IntVar(&o.Vars, "vars", o.Vars, "begin with `N` variables")
	flags.IntVar(&o.Arrays, "arrays", o.Arrays, "and `N` arrays")
	flags.IntVar(&o.Writes, "writes", o.Writes, "and `N` writes to them")
	flags.IntVar(&o.MinWidth, "minwidth", o.MinWidth, "least `WIDTH` of a bit-vector")
	flags.IntVar(&o.MaxWidth, "maxwidth", o.MaxWidth, "largest `WIDTH` of a bit-vector")
	flags.IntVar(&o.ArrMaxWidth, "arrmaxwidth", o.ArrMaxWidth, "largest `WIDTH` of the index of an array")
	flags.IntVar(&o.DAG, "dag", o.DAG, "draw this `PERCENT` of operands from all nodes, the others from those that nothing refers to yet")
	flags.IntVar(&o.Neg, "neg", o.Neg, "complement this `PERCENT` of operands")
	flags.BoolVar(&o.All, "all", o.All, "begin with a node of every operator")
	flags.BoolVar(&o.NoArrays, "noarrays", o.NoArrays, "no arrays at all")
	flags.BoolVar(&o.NewFormat, "newformat", o.NewFormat, "write version 3 of the format; =false is version 2")
	flags.BoolVar(&o.CNF, "cnf", o.CNF, "join the bits by clauses of three")
	flags.Float64Var(&o.Clauses, "clauses", o.Clauses, "at least `N` clauses for each variable of these")
	flags.BoolVar(&o.CNFOnly, "cnfonly", o.CNFOnly, "nothing but clauses, over --vars variables of one bit")
	flags.BoolVar(&o.Next, "next", o.Next, "give variables and arrays a next state (few solvers read that)")
	flags.IntVar(&o.LayerMax, "layer-max", o.LayerMax, "at most `N` nodes equally far above the leaves, before they are joined (0 = any)")
}
