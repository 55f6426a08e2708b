package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/hunt"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// A finding is reduced as gitdd reduce does it, in a session of its own below the
// cache directory: cd into the hunt, and gitdd list shows those that are not ended.

// reducing are the settings by which the finding of a run is reduced: what remains
// has to fail in the same way, and not just somehow.
func (h *hunter) reducing(r hunt.Run) (s reducing, err error) {
	_, flags := (&reducing{}).keptFlags() // for the defaults
	s, err = reducingOf(trial.Header{Args: flagWords(flags)})
	if err != nil {
		return s, err
	}
	s.paths = []string{h.manifest.File(r.Seed, ".btor")}
	s.output = h.manifest.File(r.Seed, ".reduced.btor")
	s.format, s.algorithm = btorFormat, h.hunting.algorithm
	s.timeout, s.maxMemory = h.hunting.timeout, h.hunting.maxMemory
	s.maxTime, s.maxTrials = h.hunting.reduceTime, h.hunting.reduceTrials
	s.command = h.hunting.command
	f := r.Failure
	switch {
	case f.Class == hunt.Disagreement:
		s.sameOutput = differLine
		s.command, err = h.comparing()
		s.timeout *= time.Duration(len(h.hunting.commands()) + 1)
		if s.maxMemory > 0 {
			s.maxMemory += comparingMemory
		}
	case slices.ContainsFunc(h.hunting.command, func(arg string) bool { return strings.Contains(arg, hunt.SMT2) }):
		s.command, err = h.translating(hunt.FileName(r.Seed))
	case slices.ContainsFunc(h.hunting.command, func(arg string) bool { return strings.Contains(arg, hunt.BTOR) }):
		s.command = slices.Clone(h.hunting.command)
		for i, arg := range s.command {
			s.command[i] = strings.ReplaceAll(arg, hunt.BTOR, hunt.Here)
		}
	}
	s.match = f.Pattern()
	if f.Signature != "" {
		s.sameOutput = trial.AutoSignature
	}
	return s, errors.Join(err, s.check())
}

// comparingMemory is what gitdd btor compare itself may take, beside a command.
const comparingMemory = 256 << 20

// comparing is the command that fails where the solvers disagree, which it runs one by
// one, each within the limits. gitdd reduce leaves {btor} alone, so that what the
// solvers get is quoted where it has to be.
func (h *hunter) comparing() ([]string, error) {
	name, err := self()
	command := []string{name, "btor", "compare", "{}", "--timeout", h.hunting.timeout.String(), "--max-memory", h.hunting.maxMemory.String()}
	inner := func(text string) string { return strings.ReplaceAll(text, hunt.Here, hunt.BTOR) }
	for _, line := range h.hunting.against {
		command = append(command, "--against", inner(line))
	}
	command = append(command, "--")
	for _, arg := range h.hunting.command {
		command = append(command, inner(arg))
	}
	return command, err
}

// translating is the command that runs a solver which reads SMT-LIB 2 on a file in
// BTOR.
func (h *hunter) translating(stem string) ([]string, error) {
	name, err := self()
	translated := stem + ".smt2"
	command := []string{"sh", "-c", `"$0" btor smt2 "$1" >"$2" || exit 125; shift 2; exec "$@"`, name, "{}", translated}
	replace := strings.NewReplacer(hunt.SMT2, translated, hunt.BTOR, hunt.Here)
	for i, arg := range h.hunting.command {
		if arg = replace.Replace(arg); i == 0 && strings.Contains(arg, "/") && !filepath.IsAbs(arg) {
			arg = filepath.Join(h.start, arg) // sh does not look there
		}
		command = append(command, arg)
	}
	return command, err
}

// reduce reduces a finding, or goes on with its reduction.
func (h *hunter) reduce(ctx context.Context, worker int, r hunt.Run) (reduced hunt.Reduction, err error) {
	began := h.now()
	reduced.Seed = r.Seed
	s, err := h.reducing(r)
	if err != nil {
		return reduced, err
	}
	input, err := testcase.Read(s.paths...)
	if err != nil {
		return reduced, err
	}
	out, err := h.outlets(&s, input)
	if err != nil {
		return reduced, err
	}
	session, err := h.reductionSession(s, input)
	if err != nil {
		return reduced, err
	}
	if len(session.Records()) == 0 {
		again, err := h.again(ctx, worker, r.Seed, input.Files[0].Content)
		if err == nil && !r.Failure.Alike(again) {
			reduced.Status, reduced.Reason = string(report.NotReduced), "it did not fail so again: "+again.String()
			err = removed(s.output)
		}
		if err != nil {
			return reduced, errors.Join(err, session.Close())
		}
		if reduced.Status != "" {
			h.ended(r.Seed, session)
			return reduced, nil
		}
	}
	result, found, err := h.reduction(ctx, session, versions{}, input, testcase.Input{}, out, s, h.view.Reduction(worker, session.Output))
	if ctx.Err() != nil {
		return reduced, errors.Join(ctx.Err(), session.Close())
	}
	if result.Status == "" {
		return reduced, errors.Join(err, session.Close())
	}
	reduced.Status, reduced.Reason = string(result.Status), strings.ReplaceAll(result.Reason, "(--max-", "(--reduce-")
	reduced.Trials, reduced.Minimal = result.Trials.Run, result.Minimal
	if result.Status != report.NotReduced {
		err = h.look(ctx, worker, found, &reduced)
	} else {
		err = removed(s.output)
	}
	reduced.Seconds = h.now().Sub(began).Round(time.Millisecond).Seconds()
	if err != nil {
		return reduced, errors.Join(err, session.Close())
	}
	h.ended(r.Seed, session)
	return reduced, nil
}

// ended keeps the session of a reduction until its record is written.
func (h *hunter) ended(seed uint64, session *trial.Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions[seed] = session
}

// again runs the file of a finding once more: gitdd reduce would take whatever it does
// now for the failure.
func (h *hunter) again(ctx context.Context, worker int, seed uint64, text []byte) (f hunt.Failure, err error) {
	file, err := btor.Read(text)
	if err != nil {
		return f, err
	}
	all, err := h.solvers.Run(ctx, worker, hunt.Case{Seed: seed, Graph: file.Graph, Text: text})
	if err != nil {
		return f, err
	}
	return hunt.Judge(all, h.hunting.goodExit, hunt.Label(h.hunting.commands())), nil
}

// look runs what is left of a finding once more: how it fails, and what it is made of,
// says which findings are alike. What is no graph any more is taken away: the solver
// did not fail on one that is written otherwise, so it cannot be reduced as one.
func (h *hunter) look(ctx context.Context, worker int, found shrunk, reduced *hunt.Reduction) error {
	text := found.Result.Output.Files[0].Content
	file, err := btor.Read(text)
	if err == nil {
		err = btor.SingleRoot(file.Graph)
	}
	if err != nil {
		reduced.Reason = fmt.Sprintf("what is left is no graph any more (%v)", err)
		if len(found.Result.Notes) > 0 {
			_, why, told := strings.Cut(found.Result.Notes[0], " is reduced as lines: ")
			if !told {
				why = found.Result.Notes[0]
			}
			reduced.Reason = why
		}
		return removed(h.manifest.File(reduced.Seed, ".reduced.btor"))
	}
	f, err := h.again(ctx, worker, reduced.Seed, text)
	if err != nil {
		return err
	}
	if f.Class != hunt.Passed {
		reduced.Failure = &f
	}
	reduced.Nodes, reduced.Shape = len(file.Graph.Nodes), hunt.Shape(file.Graph)
	return nil
}

// removed removes a file if it is there.
func removed(name string) error {
	err := os.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// reductionSession opens the session of a reduction that was stopped, or makes one.
func (h *hunter) reductionSession(s reducing, input testcase.Input) (*trial.Session, error) {
	root, err := trial.InputRoot(h.hunting.output)
	if err != nil {
		return nil, err
	}
	all, err := trial.Sessions(root)
	if err != nil {
		return nil, err
	}
	header := trial.Header{
		Version: released(), Started: h.now(), Name: reductionName,
		Args: s.words(), Dir: h.start, Command: s.command,
	}
	for _, one := range slices.Backward(all) {
		if one.State == trial.StateDamaged || !slices.Equal(one.Header.Args, header.Args) || !slices.Equal(one.Header.Command, header.Command) || one.Header.Dir != header.Dir {
			continue
		}
		if session, err := trial.OpenSession(one.Dir); err == nil {
			return session, nil
		}
	}
	session, err := trial.CreateSession(root, header)
	if err != nil {
		return nil, err
	}
	if err := keepInputs(session, input, testcase.Input{}); err != nil {
		return nil, errors.Join(err, session.Discard())
	}
	return session, nil
}

// settled removes the sessions of reductions that are in the manifest: a kill may have
// come between the two.
func (h *hunter) settled(known []hunt.Record) error {
	root, err := trial.InputRoot(h.hunting.output)
	if err != nil {
		return err
	}
	all, err := trial.Sessions(root)
	if err != nil || len(all) == 0 {
		return err
	}
	done := map[string]bool{}
	for _, r := range known {
		if r.Reduction != nil {
			done["--input="+h.manifest.File(r.Reduction.Seed, ".btor")] = true
		}
	}
	for _, one := range all {
		if one.State == trial.StateDamaged || !slices.ContainsFunc(one.Header.Args, func(arg string) bool { return done[arg] }) {
			continue
		}
		if session, err := trial.OpenSession(one.Dir); err == nil {
			if err := session.Discard(); err != nil {
				return err
			}
		}
	}
	return nil
}
