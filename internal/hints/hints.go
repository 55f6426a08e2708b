package hints

// Settings are those of a search on which hints depend.
type Settings struct {
	Command  []string          // argv of the test
	Build    string            // --build
	Check    string            // --check
	Keep     []string          // --keep, without auto
	Brings   bool              // the search brings along files that are not committed
	Good     string            // --good, as the user has it
	Bad      string            // --bad, likewise
	Limits   map[string]string // the values of --timeout, --max-memory and --max-disk; "" = there is none
	Repeated bool              // trials are repeated, so that a flaky test would have been seen
}
