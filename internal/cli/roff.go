package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// roff collects a manual page in the man macros (man(7)), which groff and mandoc
// read alike. Those of cobra/doc do not name the values of flags, and make mandoc
// warn.
type roff struct{ bytes.Buffer }

func (r *roff) lines(lines ...string) {
	for _, line := range lines {
		r.WriteString(line)
		r.WriteByte('\n')
	}
}

func (r *roff) header(p Page, date time.Time, source, title string) {
	r.lines(fmt.Sprintf(`.TH "%s" "%d" "%s" "%s" "%s"`, escape(strings.ToUpper(p.Name)), p.Section, date.Format(time.DateOnly), escape(source), escape(title)),
		`.nh`, // a broken flag cannot be copied
		`.ad l`)
}

// name writes the section that whatis(1) reads.
func (r *roff) name(p Page, short string) {
	r.section("NAME")
	r.lines(escape(p.Name) + ` \- ` + escape(strings.ToLower(short[:1])+short[1:]))
}

// references writes a list of pages.
func (r *roff) references(list []Page) {
	for i, p := range list {
		end := ","
		if i == len(list)-1 {
			end = ""
		}
		r.lines(p.String() + end)
	}
}

func (r *roff) section(name string) { r.lines(".SH " + name) }

// text writes paragraphs, which empty lines part. Lines that are indented stay
// as they are; the others are filled.
func (r *roff) text(text string) {
	verbatim, first := false, true
	end := func() {
		if verbatim {
			r.lines(".fi", ".RE")
		}
		verbatim = false
	}
	parted := false
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		indented := strings.HasPrefix(line, "  ")
		switch {
		case line == "":
			parted = true
			continue
		case indented && !verbatim:
			if !first {
				r.lines(".PP")
			}
			r.lines(".RS 2", ".nf")
			verbatim = true
		case indented && parted:
			r.lines("")
		case !indented && (verbatim || parted && !first):
			end()
			r.lines(".PP")
		}
		r.lines(escape(strings.TrimPrefix(line, "  ")))
		parted, first = false, false
	}
	end()
}

// item writes a term with what it means.
func (r *roff) item(term, meaning string) { r.lines(".TP", term, escape(meaning)) }

// flags writes an item for each flag, under their headings.
func (r *roff) flags(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		if text := heading(f); text != "" {
			r.lines(".SS " + text)
		}
		value, usage := pflag.UnquoteUsage(f)
		term := `\fB` + escape("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			term = `\fB` + escape("-"+f.Shorthand) + `\fR, ` + term
		}
		switch {
		case f.NoOptDefVal != "" && value != "":
			term += `[=\fI` + escape(value) + `\fR]`
		case value != "":
			term += ` \fI` + escape(value) + `\fR`
		}
		if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) {
			usage += " (default " + f.DefValue + ")"
		}
		r.item(term, usage)
	})
}

// escape keeps text from being read as requests, and its hyphens what a shell
// reads as such.
func escape(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}
