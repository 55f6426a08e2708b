package reduce

import "context"

// file reduces what is in one file. The structure first, then the passes, in
// their order. As long as one of them makes the file smaller, it is the turn of
// those again that worked when they ran last, and of the structure.
func (r *reduction) file(ctx context.Context, path string) error {
	worked := map[string]bool{"structure": r.structured}
	for _, p := range r.chosen {
		worked[p.name] = true
	}
	for {
		before := r.best
		ran := false
		turn := func(name string, run func(i int) error) error {
			i := r.fileAt(path)
			if !worked[name] || i < 0 {
				return nil
			}
			at := r.best
			r.enter(name)
			err := run(i)
			worked[name] = smaller(r.best, at)
			ran = true
			return err
		}
		if err := turn("structure", func(i int) error {
			s, err := r.elements(i)
			if err != nil {
				return err
			}
			return r.structure(ctx, s)
		}); err != nil {
			return err
		}
		for _, p := range r.chosen {
			if err := turn(p.name, func(i int) error {
				return p.run(ctx, r.open(i, styleOf(r.formats[path], r.archives.nameOf(path))))
			}); err != nil {
				return err
			}
		}
		if !ran || !smaller(r.best, before) {
			return nil
		}
	}
}
