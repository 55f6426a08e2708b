package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
)

// kitchen is a command line of two commands, one of them with a command below it, and two guides, of
// which one has the name of a command.
func kitchen(out io.Writer) (*cobra.Command, cli.Guides) {
	guides := cli.Guides{
		{Use: "spices", Short: "What to add", Long: "Salt. See gitdd cook."},
		{Use: "cook", Short: "How to cook", Long: "Slowly."},
	}
	root := &cobra.Command{Use: "gitdd", Short: "Make food", Long: "It makes food.", SilenceErrors: true, SilenceUsage: true, Args: cli.NoSuchCommand, Run: func(*cobra.Command, []string) {}}
	root.SetOut(out)
	root.SetErr(out)
	root.SetFlagErrorFunc(cli.FlagError)
	cook := &cobra.Command{Use: "cook DISH", Short: "Cook a dish", Example: "  gitdd cook rice", Args: cli.Args(cobra.ExactArgs(1)), Run: func(*cobra.Command, []string) {}}
	cook.Flags().String("from", "", "begin with the recipe of `REV`")
	cook.Flags().IntP("minutes", "m", 20, "cook for `N` minutes")
	cook.Flags().String("oven", "", "use an oven of this `KIND`")
	cli.AddHeadings(cook.Flags(), map[string]string{"minutes": "How long it takes"})
	wash := &cobra.Command{Use: "wash", Short: "Wash up", Args: cli.NoSuchCommand, Run: func(*cobra.Command, []string) {}}
	wash.AddCommand(&cobra.Command{Use: "dishes", Short: "Wash dishes", Args: cli.Args(cobra.NoArgs), Run: func(*cobra.Command, []string) {}})
	help := &cobra.Command{Use: "help", Short: "Explain", ValidArgsFunction: guides.Complete, RunE: guides.Help}
	root.AddCommand(cook, wash, help)
	root.SetHelpCommand(help)
	root.CompletionOptions.DisableDefaultCmd = true
	guides.AddTo(root)
	return root, guides
}

func TestUsage(t *testing.T) {
	var out bytes.Buffer
	root, _ := kitchen(&out)
	for _, args := range [][]string{{"help"}, {"help", "cook"}, {"cook", "--help"}, {"help", "spices"}} {
		fmt.Fprintf(&out, "$ %s\n", strings.Join(args, " "))
		root.SetArgs(args)
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
	}
	want := `$ help
It makes food.

Usage:
  gitdd COMMAND [flags]

Commands:
  cook        Cook a dish
  wash        Wash up

Guides:
  spices       What to add
  cook         How to cook

Flags:
  -h, --help   help for gitdd

gitdd COMMAND --help explains a command, gitdd help GUIDE shows a guide.
$ help cook
Slowly.
$ cook --help
Cook a dish

Usage:
  gitdd cook DISH [flags]

Examples:
  gitdd cook rice

Flags:
      --from REV    begin with the recipe of REV
  -h, --help        help for cook

How long it takes:
  -m, --minutes N   cook for N minutes (default 20)
      --oven KIND   use an oven of this KIND
$ help spices
Salt. See gitdd cook.
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A command line that cannot be meant is a usage error of a command, with a hint where one is near.
func TestUsageErrors(t *testing.T) {
	tests := []struct{ line, want string }{
		{"cok", "gitdd: unknown command \"cok\"; did you mean `gitdd cook`?"},
		{"spice", "gitdd: unknown command \"spice\"; did you mean `gitdd help spices`?"},
		{"dishes", "gitdd: unknown command \"dishes\"; did you mean `gitdd wash dishes`?"},
		{"wash dihses", "gitdd wash: unknown command \"dihses\"; did you mean `gitdd wash dishes`?"},
		{"xyzzy", `gitdd: unknown command "xyzzy"; `},
		{"help wsah", "gitdd help: unknown command or guide \"wsah\"; did you mean `gitdd help wash`?"},
		{"help spicse", "gitdd help: unknown command or guide \"spicse\"; did you mean `gitdd help spices`?"},
		{"cook --mintues 3 rice", "gitdd cook: unknown flag: --mintues; did you mean --minutes?"},
		{"wash --minutes 3", "gitdd wash: unknown flag: --minutes; --minutes is a flag of `gitdd cook`"},
		{"cook --minutes x rice", "gitdd cook: --minutes x: want a whole number; "},
		{"cook --minutes", "gitdd cook: --minutes wants a value: --minutes N; "},
		{"cook --from -- rice", "gitdd cook: --from wants a revision, and took -- for it: --from REV; "},
		{"cook --oven -- rice", "gitdd cook: --oven wants a value, and took -- for it: --oven KIND; "},
		{"cook --oven --minutes rice", "gitdd cook: --oven wants a value, and took --minutes for it: --oven KIND; "},
		{"cook", "gitdd cook: accepts 1 arg(s), received 0; "},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			root, _ := kitchen(io.Discard)
			root.SetArgs(strings.Fields(tt.line))
			var usage *cli.UsageError
			if err := root.Execute(); !errors.As(err, &usage) {
				t.Fatalf("got %v, want a usage error", err)
			}
			if got := usage.Cmd.CommandPath() + ": " + usage.Error() + "; " + usage.Hint; got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestManual(t *testing.T) {
	root, guides := kitchen(io.Discard)
	m := cli.Manual{Root: root, Guides: guides, Title: "Kitchen", Source: "food 1", Date: time.Unix(0, 0).UTC(), About: func(cmd *cobra.Command) (about cli.About) {
		if cmd.Name() == "cook" {
			about = cli.About{Sections: []cli.Section{{Heading: "EXIT STATUS", Text: "  0  it is done\n"}}, Commands: []string{"wash"}, Pages: []cli.Page{{Name: "rice", Section: 7}}, Guides: []string{"spices"}}
		}
		return about
	}}
	var names []string
	pages := map[string]string{}
	for page, write := range m.Pages() {
		var out strings.Builder
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%s.%d", page.Name, page.Section)
		names, pages[name] = append(names, name), out.String()
	}
	if diff := cmp.Diff([]string{"gitdd.1", "gitdd-cook.1", "gitdd-wash.1", "gitdd-wash-dishes.1", "gitdd-spices.7", "gitdd-cook.7"}, names); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	want := `.TH "GITDD\-COOK" "1" "1970-01-01" "food 1" "Kitchen"
.nh
.ad l
.SH NAME
gitdd\-cook \- cook a dish
.SH SYNOPSIS
.B gitdd cook
DISH [flags]
.SH DESCRIPTION
Cook a dish.
.SH OPTIONS
.TP
\fB\-\-from\fR \fIREV\fR
begin with the recipe of REV
.SS How long it takes
.TP
\fB\-m\fR, \fB\-\-minutes\fR \fIN\fR
cook for N minutes (default 20)
.TP
\fB\-\-oven\fR \fIKIND\fR
use an oven of this KIND
.SH EXIT STATUS
.RS 2
.nf
0  it is done
.fi
.RE
.SH EXAMPLES
.RS 2
.nf
gitdd cook rice
.fi
.RE
.SH SEE ALSO
\fBgitdd\fR(1),
\fBgitdd\-wash\fR(1),
\fBrice\fR(7),
\fBgitdd\-spices\fR(7)
`
	if diff := cmp.Diff(want, pages["gitdd-cook.1"]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if guide := pages["gitdd-spices.7"]; !strings.Contains(guide, "SEE ALSO\n\\fBgitdd\\fR(1),\n\\fBgitdd\\-cook\\fR(1),\n\\fBgitdd\\-cook\\fR(7)\n") {
		t.Errorf("the guide is\n%s", guide)
	}
}

func TestComplete(t *testing.T) {
	root, guides := kitchen(io.Discard)
	for words, want := range map[string]string{"": "spices cook wash", "wash": "dishes", "nothing": ""} {
		list, _ := guides.Complete(root, strings.Fields(words), "")
		var names []string
		for _, c := range list {
			name, _, _ := strings.Cut(c, "\t")
			names = append(names, name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("behind %q: got %q, want %q", words, got, want)
		}
	}
}

func TestNamer(t *testing.T) {
	root, _ := kitchen(io.Discard)
	const text = "`gitdd cook` comes before gitdd wash; gitdd washes, and mygitdd cook"
	if got := cli.Namer("gitdd", root)(text); got != text {
		t.Errorf("got %q", got)
	}
	if got, want := cli.Namer("git dd", root)(text), "`git dd cook` comes before git dd wash; gitdd washes, and mygitdd cook"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for argv0, want := range map[string]string{"/usr/bin/git-dd": "git dd", "git-dd.exe": "git dd", "./gitdd": "gitdd"} {
		if got := cli.NameOf(argv0); got != want {
			t.Errorf("%s: got %q, want %q", argv0, got, want)
		}
	}
}
