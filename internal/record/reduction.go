package record

import (
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// OfReduction returns the story of how a reduction came to what it has found in an input.
func OfReduction(session *trial.Session, environment report.Environment, input testcase.Input, found reduction.Found) report.Story {
	story := report.Story{
		Schema:      report.StorySchema,
		Environment: environment,
		Trials:      storyTrials(session, ofNoStage),
		Files:       Files(input, found.Result.Output, found.Result.Formats, found.Trails),
	}
	asked := map[string]bool{}
	for i := range story.Trials {
		t := &story.Trials[i]
		if !asked[t.Tree] && t.Purpose == string(trial.Search) {
			asked[t.Tree] = true
			t.Pass = found.Passes[t.Tree]
		}
	}
	return story
}
