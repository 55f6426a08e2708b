package report

// StorySchema names the shape of a [Story]. Fields are only ever added to it.
const StorySchema = "gitdd.story/1"

// A Story is how a search or a reduction came to its result: what an HTML report
// shows and a [Result] does not say. The session keeps it beside the result. The
// story of a session of an older version has trials only.
//
// Where a search began again, because a test is flaky or a workspace was stale, the
// stages are those of its last path: the trials before it are in Trials alone. No
// array of a story is null in JSON.
type Story struct {
	Schema      string      `json:"schema"`
	Environment Environment `json:"environment"`
	Trials      []Trial     `json:"trials"` // by number; those that were cancelled are not there
	Stages      []Stage     `json:"stages"` // of a search, in the order of time; a reduction has none
	Needed      []Needed    `json:"needed"` // for members of the cause
	Files       []File      `json:"files"`  // of a reduction, those of its input, or at most 500 of them: those that stayed first, then those that had most bytes
}

// An Environment is where the trials ran, and how to run them again.
type Environment struct {
	Gitdd      string     `json:"gitdd"` // its version
	Git        string     `json:"git"`   // likewise; "" = none was used
	System     string     `json:"system"`
	CPUs       int        `json:"cpus"`
	Parser     string     `json:"parser"`     // how source code was read
	Started    string     `json:"started"`    // RFC 3339, when the session began
	Subdir     string     `json:"subdir"`     // of the repository, where the command ran; "" = at its top
	Repository string     `json:"repository"` // the URI of its remote origin without credentials; "" = it has none
	Repeat     [][]string `json:"repeat"`     // command lines, argv each, that do the same from the beginning
	Cluster    string     `json:"cluster"`    // whose machines ran the trials, in words; "" = this one did
}

// A Trial is one execution of the command.
type Trial struct {
	Number       int     `json:"number"`  // from 1
	Purpose      string  `json:"purpose"` // as trial.Purpose has it
	Stage        int     `json:"stage"`   // index into Stages; -1 = it belongs to none
	Tree         string  `json:"tree"`    // what was tested, or the digest of an input
	Commit       string  `json:"commit"`  // the commit that it is; "" = a mixture
	Applied      int     `json:"applied"` // changes, or commits, that were in it; of an input its bytes
	Attempt      int     `json:"attempt"` // from 1
	Worker       int     `json:"worker"`  // from 0
	Process      int     `json:"process"` // of gitdd, from 1: a session that was resumed has several
	Outcome      string  `json:"outcome"`
	Other        bool    `json:"other"`         // it failed, but not as the failing end does
	Reason       string  `json:"reason"`        // the outcome in words
	Diagnostics  string  `json:"diagnostics"`   // of an unresolved trial: the lines of its output that say most, at most ten; of the first 300 such trials
	Seconds      float64 `json:"seconds"`       // of the command
	BuildSeconds float64 `json:"build_seconds"` // of the build before it
	Ended        float64 `json:"ended"`         // seconds since its process began to work; 0 = not known
	Pass         string  `json:"pass"`          // of a reduction, the pass that asked; "" = none did, or it is not known
	Machine      string  `json:"machine"`       // of a cluster, that ran it; "" = not known, or none
	Cached       bool    `json:"cached"`        // the cache of the cluster had the outcome: nothing ran
	Lost         int     `json:"lost"`          // how often a machine lost it before
	Rejected     bool    `json:"rejected"`      // by --check: it was no trial, and its outcome is "unresolved"
	CheckSeconds float64 `json:"check_seconds"` // of the check before the build

	Value *float64 `json:"value,omitempty"` // the number of --measure, in the unit of Result.Measured; nil = it has none
}

// A Stage is one search in the story: in a line of commits, or among the changes
// of a set. Finer pieces of what one stage found are searched in a stage of their
// own. Commits beside the lines, which are tried one by one, are a stage together,
// without From and To: those that pass are cleared.
type Stage struct {
	Of       string `json:"of"`       // "commits" or "changes"
	From     string `json:"from"`     // id of the commit, or tree, before the first element
	To       string `json:"to"`       // likewise behind the last one
	Answer   int    `json:"answer"`   // what it looked for: 0 = Result.Cause, k = Result.Further[k-1], which may not be there
	Elements int    `json:"elements"` // numbered from 0 in the order of the search

	// Groups lead to single elements, unless these are thousands: then small groups
	// are left out, and at last all of them.
	Groups   []Group `json:"groups"`
	Requires []Edge  `json:"requires"` // among the cause, its context and what was learned, as far as no trial has refuted it; at most 300
	Steps    []Step  `json:"steps"`    // what was answered by a trial, and not by an earlier step, in the order of the path
	Left     string  `json:"left"`     // why what it found is not in the answer, a clause: that was too long to cut further; "" = it is
}

// A Group is elements From to To-1 of its stage. Groups are in preorder: those
// within a group follow it, and lie one level or more below.
type Group struct {
	Level string `json:"level"` // "commit", "directory", "file", "symbol", "identifier", "hunk" or, of a part of a hunk, "line"; for commits, "commit"
	Name  string `json:"name"`  // a path, a symbol, "path:line" or, of a commit, the first digits of its id and its subject; "" = none
	From  int    `json:"from"`
	To    int    `json:"to"`
}

// An Edge says that a configuration with From and without To cannot be judged. This
// is certain, or it is predicted from names in the source code, or an unresolved trial
// has taught it.
type Edge struct {
	From Reference `json:"from"`
	To   Reference `json:"to"`
	Kind string    `json:"kind"` // "structural", "predicted" or "learned"
}

// A Step is a question of the search and what it learned from the answer.
type Step struct {
	Trial   int    `json:"trial"`   // Number of the trial that answered; 0 = none was needed
	Outcome string `json:"outcome"` // as the command has it, also where the search is for a fix
	Applied int    `json:"applied"` // elements in what was asked

	// Suspects are the elements that may be the cause when it was answered, as
	// isolate.Configuration prints them ("0-3,7"), by their place in the order. When a
	// few of them turn out not to be enough alone, what they may need as well is among
	// them from then on, so that they can become more. Those of the last step are what
	// the stage found, none if its ends do not differ. In very long stories the steps
	// before that name some more, lest there are too many runs; Count is exact.
	Suspects string   `json:"suspects"`
	Count    int      `json:"count"`   // of Suspects
	Learned  [][2]int `json:"learned"` // the first requires the second, by place in the order
}

// Needed says which trials show that a member of the cause is needed: the command
// passes when it alone is left out of what fails, or for a fix fails. For goal
// "revert": it still fails when all of the cause but this one is taken out.
type Needed struct {
	Change string `json:"change"` // its id
	Trials []int  `json:"trials"` // numbers; none = no trial could be judged, or none was needed
}

// A File is one of the input of a reduction, and what is left of it. Texts have U+FFFD
// for what is not UTF-8; "" stands for what is no text, and for what comes after the
// first 64 KiB of all files.
type File struct {
	Path   string `json:"path"`   // within the input
	Format string `json:"format"` // what it was taken for in the end; "" = it is gone
	Before int64  `json:"before"` // bytes
	After  int64  `json:"after"`  // bytes that are left; -1 = it is gone
	Was    string `json:"was"`    // the begin of its text, in whole lines
	Is     string `json:"is"`     // the begin of what is left

	// Kept are the bytes of Was that are left, from..to-1, in order; where a name was
	// made another it is those of the old one. None = not known, or nothing is left.
	Kept [][2]int `json:"kept"`
}
