package events

import (
	"encoding/json"

	"github.com/gitdd/gitdd/report"
)

// Schema names the shape of an [Event]. Fields and events are only ever added to it.
const Schema = "gitdd.event/1"

// File is the name of the file in which a session has the events of the search that ran in it last.
const File = "events.jsonl"

// An Event is a line of the stream. Event is the name of the one field behind it that is there.
type Event struct {
	Schema  string  `json:"schema"`
	Event   string  `json:"event"`
	Seconds float64 `json:"seconds"`        // since the stream began
	Test    string  `json:"test,omitempty"` // with --each, that is searched for

	Begun        *Begun        `json:"begun,omitempty"`
	Ends         *Ends         `json:"ends,omitempty"`
	Plan         *Plan         `json:"plan,omitempty"`
	Preparing    *Preparing    `json:"preparing,omitempty"`
	TrialStarted *TrialStarted `json:"trial_started,omitempty"`
	TrialMoved   *TrialMoved   `json:"trial_moved,omitempty"`
	TrialEnded   *TrialEnded   `json:"trial_ended,omitempty"`
	Step         *Step         `json:"step,omitempty"`
	Learned      *Learned      `json:"learned,omitempty"`
	Best         *Best         `json:"best,omitempty"`
	Estimate     *Estimate     `json:"estimate,omitempty"`
	StageEnded   *StageEnded   `json:"stage_ended,omitempty"`
	Rewound      *Rewound      `json:"rewound,omitempty"`
	Discarded    *Discarded    `json:"discarded,omitempty"`
	Note         *Note         `json:"note,omitempty"`
	Answer       *Answer       `json:"answer,omitempty"`
	Known        *Step         `json:"known,omitempty"` // a question that took no trial: it was asked before, or nothing could pass or fail there
}

// The fields of an event.
type (
	// Begun begins what is told of a session: whatever was told before it is void.
	Begun struct {
		Began    string   `json:"began"` // the time, to the nanosecond, so that no two streams of a session begin with the same line
		Session  string   `json:"session"`
		Dir      string   `json:"dir"` // of the session
		Gitdd    string   `json:"gitdd"`
		Good     Revision `json:"good"`
		Bad      Revision `json:"bad"`
		Command  []string `json:"command"`
		Jobs     int      `json:"jobs"`
		Changes  int      `json:"changes"`  // between good and bad
		Replayed int      `json:"replayed"` // trials that the session had before; each has its TrialEnded behind this
	}

	// A Revision is an end of the search, as the user named it and as git does.
	Revision struct {
		Rev    string `json:"rev"`
		Commit string `json:"commit"` // "" = it is a tree
		Tree   string `json:"tree"`
	}

	// Ends says that one end passes and the other fails. It may come again.
	Ends struct {
		Direction string `json:"direction"` // "break": good passes; "fix": bad does
		Good      End    `json:"good"`
		Bad       End    `json:"bad"`

		Measures bool `json:"measures,omitempty"` // with --measure, the numbers of trials tell no outcomes yet: the search looks for a step of them
	}

	// An End is the outcome of an end.
	End struct {
		Trial   int    `json:"trial"`
		Outcome string `json:"outcome"`
		Reason  string `json:"reason"`
	}

	// Plan says what a stage of the search looks at. All elements are suspects then.
	Plan struct {
		Stage    int    `json:"stage"`  // from 1
		Answer   int    `json:"answer"` // that is looked for: 0 = the first one
		Of       string `json:"of"`     // "commits" or "changes"
		Set      int    `json:"set"`    // the number of the set or line
		One      bool   `json:"one"`    // only one outcome is asked for
		Elements int    `json:"elements"`
		From     string `json:"from"` // the commit, or tree, before the first element
		To       string `json:"to"`   // behind the last one

		// Those of an earlier plan of the same set hold where these are missing.
		Commits []Commit       `json:"commits,omitempty"` // the elements, behind from
		Changes []Change       `json:"changes,omitempty"` // by their numbers
		Order   []int          `json:"order,omitempty"`   // of the changes in the search; absent = by number
		Groups  []report.Group `json:"groups,omitempty"`  // in that order

		FromSubject string `json:"from_subject,omitempty"` // of the commit From
	}

	// A Commit is one of a line.
	Commit struct {
		ID      string `json:"id"`
		Subject string `json:"subject"`
	}

	// A Change is one that is searched.
	Change struct {
		ID       string `json:"id"`
		Kind     string `json:"kind"`
		Path     string `json:"path"`
		OldPath  string `json:"old_path,omitempty"` // where it is another one
		Symbol   string `json:"symbol,omitempty"`
		OldStart int    `json:"old_start"`
		OldLines int    `json:"old_lines"`
		NewStart int    `json:"new_start"`
		NewLines int    `json:"new_lines"`

		Old string `json:"old,omitempty"` // the replaced text, and the new one
		New string `json:"new,omitempty"`
		Cut bool   `json:"cut,omitempty"` // they are not whole

		OldColumn    int `json:"old_column,omitempty"` // of a change within a line, as in a result
		OldEndColumn int `json:"old_end_column,omitempty"`
		NewColumn    int `json:"new_column,omitempty"`
		NewEndColumn int `json:"new_end_column,omitempty"`
	}

	// Preparing says that a worker prepares a workspace.
	Preparing struct {
		Worker  int    `json:"worker"`            // from 0
		Purpose string `json:"purpose,omitempty"` // as in TrialStarted, of the trial that needs it
	}

	// TrialStarted says that a trial runs.
	TrialStarted struct {
		Trial   int    `json:"trial"`   // from 1
		Attempt int    `json:"attempt"` // from 1
		Worker  int    `json:"worker"`
		Purpose string `json:"purpose"` // "end", "search", "confirm", "again", "repaired" or "older"
		Set     int    `json:"set"`     // of which config is; a plan of it may not have come yet
		Applied int    `json:"applied"` // elements of config
		Config  string `json:"config"`
		Commit  string `json:"commit,omitempty"` // that it is; absent = none
		Tree    string `json:"tree"`

		Elements int  `json:"elements,omitempty"` // that the set has; 0 = none, or an earlier process ran it
		Cleaned  bool `json:"cleaned,omitempty"`  // of "confirm": in a cleaned workspace, not in a fresh one
		Varies   bool `json:"varies,omitempty"`   // a second run of the failing end, to see whether what it prints varies
	}

	// TrialMoved says where a trial is on another machine.
	TrialMoved struct {
		Trial   int    `json:"trial"`
		Worker  int    `json:"worker"`
		State   string `json:"state"`   // "uploading", "queued", "running", "lost" or "copied"
		Machine string `json:"machine"` // "" = not known

		Loss string `json:"loss,omitempty"` // of "lost": why
	}

	// TrialEnded says how a trial went. A later one of the same trial takes its place.
	TrialEnded struct {
		Trial    int     `json:"trial"`
		Worker   int     `json:"worker"`
		Outcome  string  `json:"outcome"` // "pass", "fail", "unresolved", or "cancelled": it counts for nothing
		Reason   string  `json:"reason"`
		Seconds  float64 `json:"seconds"`            // of the command
		Last     string  `json:"last,omitempty"`     // the line of its output that says most
		Other    bool    `json:"other,omitempty"`    // it failed, but not as the failing end does
		Rejected bool    `json:"rejected,omitempty"` // by --check: it was no trial
		Cached   bool    `json:"cached,omitempty"`   // the cache of a cluster had the outcome
		Machine  string  `json:"machine,omitempty"`  // of a cluster, that ran it

		// Replayed is there of a trial that the session had before: what TrialStarted would have said.
		Replayed *TrialStarted `json:"replayed,omitempty"`

		Value *float64 `json:"value,omitempty"` // with --measure, the number of the trial, if it has one
		Unit  string   `json:"unit,omitempty"`  // of it

		// Amended is there where the outcome of a trial that had ended has changed: what TrialStarted has said.
		Amended *TrialStarted `json:"amended,omitempty"`

		Suite bool `json:"suite,omitempty"` // the reason says how many tests of a suite fail

		BuildSeconds float64 `json:"build_seconds,omitempty"` // of the build before the command
		CheckSeconds float64 `json:"check_seconds,omitempty"` // of the check before that
		Process      int     `json:"process,omitempty"`       // which of the processes that worked in the session, from 1
		Elapsed      float64 `json:"elapsed,omitempty"`       // seconds from the begin of its work to the end of the trial
		Lost         int     `json:"lost,omitempty"`          // how often a machine lost it before
	}

	// Step is a question of the search, its answer, and what is suspected by now.
	Step struct {
		Stage     int    `json:"stage"`
		Trial     int    `json:"trial"`               // that answered; 0 = none was needed
		Outcome   string `json:"outcome"`             // of the command
		Applied   int    `json:"applied"`             // elements in what was asked
		Suspects  int    `json:"suspects"`            // how many are left
		Cleared   string `json:"cleared,omitempty"`   // which are suspected no longer
		Suspected string `json:"suspected,omitempty"` // which are suspected from now on

		Among     int  `json:"among"`               // elements among which the cause is looked for: suspects without those that it may need
		Needs     bool `json:"needs,omitempty"`     // the search looks for the other changes that these need to fail
		Undecided int  `json:"undecided,omitempty"` // so many of which are left to decide, at most

		// Ran are the trials of what was asked that this process has run, or amended, and no step has named before. Of several
		// attempts it has all; the last one is the newest.
		Ran []int `json:"ran,omitempty"`

		TrialsLeft  [2]int      `json:"trials_left"`            // of the stage, at least and at most
		SecondsLeft *[2]float64 `json:"seconds_left,omitempty"` // likewise; nil = not known: no trial has ended
	}

	// Learned has requirements that an unresolved trial has taught.
	Learned struct {
		Stage    int      `json:"stage"`
		Requires [][2]int `json:"requires"` // the first change requires the second
	}

	// Best is the answer if the search stopped here.
	Best struct {
		Stage   int    `json:"stage"`
		Answer  int    `json:"answer"` // see Plan
		Set     int    `json:"set"`
		Passing int    `json:"passing"` // elements in the passing end
		Failing int    `json:"failing"`
		Cause   string `json:"cause"`             // what the failing end has and the passing one lacks
		Context string `json:"context,omitempty"` // of Settled, what the cause needs to be judged
		Settled bool   `json:"settled,omitempty"` // a search has ended with it

		Changes []Change `json:"changes,omitempty"` // of the set, where no plan has told them
	}

	// Estimate says how much is left of the present stage. It comes at most once a second.
	Estimate struct {
		Stage       int        `json:"stage"`
		Trials      [2]int     `json:"trials"`              // at least and at most
		SecondsLeft [2]float64 `json:"seconds_left"`        // likewise
		NotKnown    bool       `json:"not_known,omitempty"` // how many seconds: no trial has ended
	}

	// StageEnded says that the stage that began last is over.
	StageEnded struct {
		Stage   int    `json:"stage"`
		Cause   string `json:"cause"` // what it has found
		Minimal bool   `json:"minimal"`
		Error   string `json:"error,omitempty"` // why it ended, if not by an answer
	}

	// Rewound says that the stages after Stage no longer belong to the path.
	Rewound struct {
		Stage int `json:"stage"`
	}

	// Discarded says that what the stages after Stage have found is not used.
	Discarded struct {
		Stage int    `json:"stage"`
		Why   string `json:"why"`
	}

	// Note is something that the user should know.
	Note struct {
		Text string `json:"text"`
	}

	// Answer is the last event: with what gitdd ends.
	Answer struct {
		Session string          `json:"session"` // "" = there is none
		Status  string          `json:"status"`  // as the result has it; "" = there is none
		Exit    int             `json:"exit"`
		File    string          `json:"file,omitempty"`    // of the session, with the result
		Result  json.RawMessage `json:"result,omitempty"`  // of a search
		Results json.RawMessage `json:"results,omitempty"` // with --each
	}
)
