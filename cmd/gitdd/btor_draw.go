package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/outfile"
	"github.com/gitdd/gitdd/internal/settings"
)

// mostDrawn is how many nodes are laid out in a picture: that takes seconds, and tens
// of megabytes. DOT has no limit.
const mostDrawn = 50_000

func (a *app) btorDrawCommand() *cobra.Command {
	var output, as string
	cmd := &cobra.Command{
		Use:   "draw FILE [AFTER]",
		Short: "Draw the graph of a BTOR file, or what a reduction left of it",
		Long: `Draw the graph of a BTOR file, roots on top, operands below: as SVG, which every
browser shows, or as DOT, for Graphviz. A ring where a line begins says that the
operand is complemented. One FILE may be -, standard input.

With the result of a reduction in AFTER it draws both graphs as one: what was
removed is grey and dashed, what is new is orange and bold. Numbers change in a
reduction, so which node is which is told by the structure.

Without -o it prints DOT; else the suffix of the file says what to write: .svg,
.dot or .gv. SVG is limited to 50,000 nodes; to read one, draw hundreds.`,
		Example: `  gitdd btor draw bug.btor -o bug.svg
  gitdd btor draw bug.btor bug.btor.reduced -o left.svg
  gitdd btor draw bug.btor | dot -Tpdf -o bug.pdf`,
		Args: cli.Args(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, list []string) error {
			format, err := drawnAs(as, output)
			if err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			if len(list) == 2 && list[0] == "-" && list[1] == "-" {
				return &cli.UsageError{Cmd: cmd, Err: errors.New("both files are standard input: name one of them")}
			}
			files := make([]*btor.File, len(list))
			var nodes int
			for i, name := range list {
				if files[i], err = a.readGraph(cmd, name); err != nil {
					return err
				}
				nodes += len(files[i].Graph.Nodes)
			}
			if format == "svg" && nodes > mostDrawn {
				return &cli.UsageError{Cmd: cmd, Err: fmt.Errorf("%d nodes are too many for a picture, %d is the limit: reduce the file first, or write DOT with --as dot", nodes, mostDrawn)}
			}
			drawing := btor.Draw(files[0])
			if len(files) == 2 {
				drawing = btor.Compare(files[0], files[1])
			}
			text := drawing.DOT
			if format == "svg" {
				text = drawing.SVG
			}
			return a.writeFile(output, text())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&output, "output", "o", "-", "write to `FILE`, whole or not at all; - is standard output")
	flags.StringVar(&as, "as", "", "write `FORMAT`, dot or svg, whatever the name of the file")
	return cmd
}

// drawnAs is the format to draw in.
func drawnAs(as, output string) (string, error) {
	switch suffix := strings.ToLower(filepath.Ext(output)); {
	case as != "":
		return as, settings.OneOf("as", as)
	case output == "-" || suffix == ".dot" || suffix == ".gv":
		return "dot", nil
	case suffix == ".svg":
		return "svg", nil
	default:
		return "", fmt.Errorf("-o %s: its name does not say what to write: end it in .svg, .dot or .gv, or say --as svg or --as dot", outfile.Shown(output))
	}
}
