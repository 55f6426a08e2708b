package trial

import "github.com/gitdd/gitdd/internal/process"

// Supervisor has to be the first statement of main: when gitdd has started this
// process as a supervisor of the commands of trials, it serves until gitdd closes the pipe or dies, and exits.
// In any other process it returns at once.
func Supervisor() { process.Supervise() }
