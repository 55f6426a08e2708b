package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/outfile"
	"github.com/gitdd/gitdd/testcase"
)

// btorCommand is the parent of the commands about BTOR, one file each.
func (a *app) btorCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "btor",
		Short: "Work on bit-vector graphs with arrays (BTOR)",
		Long: `Work on bit-vector graphs with arrays in the format BTOR, which solvers such as
boolector read; gitdd reduce --format btor minimises them.

A line is ID OPERATOR, and behind it what is below: W is the width of its value,
E and I are those of the elements and of the index of an array; small letters
are bit-vectors, A and B arrays.

  W [symbol]       var
  E I [symbol]     array
  W digits         const (W binary ones), constd (decimal), consth
  W                zero one ones
  W a              not neg inc dec proxy
  1 a              redor redand redxor (of 2 bits or more)
  W a b            add sub mul udiv urem sdiv srem smod
                   and or xor nand nor xnor
  1 a b            implies iff (of single bits)
                   ult ulte ugt ugte slt slte sgt sgte
                   uaddo saddo usubo ssubo umulo smulo sdivo
                   eq ne (of two arrays, too)
  W a b            sll srl sra rol ror (W = 2, 4, 8, ..., b has log2 W)
  W a b            concat (a is the high part)
  W a HIGH LOW     slice
  W a BITS         uext sext (BITS is how many are added)
  W c a b          cond
  E I c A B        acond
  E A i            read
  E I A i v        write
  W a              root (a is not zero, or there is no solution)
  W VAR a          next, and E I ARRAY A: anext (version 4)

An ID is a number of 1 or more, of one line; operands are IDs of lines before,
and -ID is the complement of each bit. A comment begins with ';', but behind a
var or array without a symbol it is taken for the symbol.

In version 2 write and the cond of arrays go without I, and nego 1 a says that a
is 10..0. It is read, too, and printed as version 3, which is this.`,
		Example: `  gitdd btor generate -s 7 -n 1000 -o seven.btor
  gitdd btor hunt --findings 1 -- boolector {}
  gitdd reduce crash.btor -- boolector {}`,
		Args: cli.NoSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	cmd.AddCommand(
		a.btorGenerateCommand(),
		a.btorPrintCommand(),
		a.btorSMT2Command(),
		a.btorDrawCommand(),
		a.btorHuntCommand(),
		a.btorCompareCommand(),
	)
	return cmd
}

// readGraph reads a file, "-" is standard input. It prints what is odd about it on
// standard error; what is no BTOR is an error that names the line.
func (a *app) readGraph(cmd *cobra.Command, name string) (*btor.File, error) {
	what, read := outfile.Shown(name), func() ([]byte, error) { return os.ReadFile(name) }
	if name == "-" {
		what, read = "standard input", func() ([]byte, error) { return io.ReadAll(cmd.InOrStdin()) }
	}
	text, err := testcase.ReadUnlessEnded(cmd.Context(), read)
	if err != nil {
		return nil, err
	}
	file, err := btor.Read(text)
	if err != nil {
		return nil, &cli.UsageError{Cmd: cmd.Parent(), Err: fmt.Errorf("%s: %w", what, err)}
	}
	const most = 5
	for i, warning := range file.Warnings {
		if i == most {
			a.complain(fmt.Errorf("warning: %s: and %d more", what, len(file.Warnings)-most))
			break
		}
		a.complain(fmt.Errorf("warning: %s: %s", what, warning))
	}
	return file, nil
}
