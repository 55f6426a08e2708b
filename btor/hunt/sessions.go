package hunt

import (
	"errors"
	"slices"

	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// session opens the session of a reduction that was stopped, or makes one.
func (h *hunter) session(s reducing, input testcase.Input) (*trial.Session, error) {
	root, err := trial.InputRoot(h.Dir)
	if err != nil {
		return nil, err
	}
	all, err := trial.Sessions(root)
	if err != nil {
		return nil, err
	}
	header := h.header(s)
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
	if err := errors.Join(reduction.KeepInput(session, reduction.OriginalFile, input), reduction.KeepInput(session, reduction.PassingFile, testcase.Input{})); err != nil {
		return nil, errors.Join(err, session.Discard())
	}
	return session, nil
}

// settled removes the sessions of reductions that are in the manifest: a process that was
// killed may have recorded a reduction and not removed its session.
func (h *hunter) settled(known []Record) error {
	root, err := trial.InputRoot(h.Dir)
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
			done[inputWord+h.manifest.File(r.Reduction.Seed, ".btor")] = true
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
