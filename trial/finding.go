package trial

// A Finding is what a look at something that trials need has shown: at this machine, at
// a cluster, at one of its machines. gitdd doctor prints them.
type Finding struct {
	Check string // what was looked at, a word or two: "git", "disk", "capabilities"
	OK    bool   // trials can be expected to work, as far as this goes
	Saw   string // what there is, a sentence without a full stop
	Do    string // what mends it, a sentence in the imperative; "" when there is nothing to do
}
