package trial

// A Layout says where a task is performed on the machine that has it, as its wrapper
// sees it: absolute, or relative to the directory in which the wrapper is started.
type Layout struct {
	Top   string // of the workspace
	Out   string // a directory, which it makes, for outcome.json and the outputs
	State string // a directory that may be there again for the next task in this workspace: what was set up is noted there; "" = none
}
