#!/usr/bin/env bash
# Lists the commits of the last green runs of a workflow, the newest first, in $RUNNER_TEMP/gitdd-green. The file is empty if there
# are none, or if GITDD_GOOD, the good revision, is known.
#
# GITDD_WORKFLOW is the file name of the workflow, or "" for the one that runs; GITDD_BRANCH is the branch that it ran on.
set -euo pipefail

green=$RUNNER_TEMP/gitdd-green
: >"$green"
if [ -n "$GITDD_GOOD" ]; then exit; fi
file=$GITDD_WORKFLOW
if [ -z "$file" ]; then
	file=${GITHUB_WORKFLOW_REF%@refs/*}
	file=${file##*/}
fi
gh api --method GET "repos/$GITHUB_REPOSITORY/actions/workflows/$file/runs" \
	-f branch="$GITDD_BRANCH" -f status=success -F per_page=100 --jq '.workflow_runs[].head_sha' >"$green" || {
	echo "::warning title=gitdd::Which runs of $file were green could not be read; a commit that passes is looked for. Does the job have the permission actions: read?"
	: >"$green"
}
