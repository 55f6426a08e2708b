package report

import "strings"

// Surroundings say what lay on every configuration beside its own files, and what
// the trials took of the machine.
type Surroundings struct {
	Patches []string `json:"patches"` // files of --with-patch; the answer and its trees are without
	Overlay []string `json:"overlay"` // of --overlay, likewise

	Memory int64 `json:"peak_memory"` // bytes, of the trial that took most at once; 0 = not known
	Disk   int64 `json:"disk"`        // bytes, of workspaces, temporary files and outputs in the end; 0 = not known
}

// surroundings names what an answer rests on that is not in it, and the cost.
func (p *page) surroundings() {
	s := p.r.Around
	if len(s.Patches) > 0 {
		one := "it is"
		if len(s.Patches) > 1 {
			one = "they are"
		}
		p.item("with", list(s.Patches, len(s.Patches))+" put on every configuration; "+one+" in none of the files and patches of the answer")
	}
	if len(s.Overlay) > 0 && p.full {
		p.item("overlay", list(s.Overlay, len(s.Overlay))+" laid over every configuration")
	}
	const worth = 1 << 20 // telling
	var used []string
	if s.Memory >= worth {
		used = append(used, Size(s.Memory)+" of memory at most in a trial")
	}
	if s.Disk >= worth {
		used = append(used, Size(s.Disk)+" of disk")
	}
	if len(used) > 0 {
		p.item("used", strings.Join(used, ", "))
	}
}
