#!/usr/bin/env bash
# Runs gitdd, and shows what it found with the run. It fails if gitdd itself is in trouble.
#
# GITDD_COMMAND, GITDD_BUILD, GITDD_GOOD, GITDD_BAD, GITDD_FLAGS and GITDD_MAX_TIME are the inputs of the action;
# $RUNNER_TEMP/gitdd-green has the green commits.
set -euo pipefail

command=$GITDD_COMMAND build=$GITDD_BUILD good=$GITDD_GOOD bad=$GITDD_BAD flags=$GITDD_FLAGS max_time=$GITDD_MAX_TIME
unset "${!GITDD_@}" # the command that is tested gets what it gets without this action

out=$RUNNER_TEMP/gitdd
rm -rf "$out"
mkdir -p "$out"
arguments=()
if [ -n "$good" ]; then
	arguments+=(--good "$good")
elif [ -s "$RUNNER_TEMP/gitdd-green" ]; then
	arguments+=(--since-green "$RUNNER_TEMP/gitdd-green")
else
	arguments+=(--good auto)
fi
if [ -n "$build" ]; then arguments+=(--build "$build"); fi
eval "more=($flags)" # by whoever wrote the workflow
arguments+=(${more[@]+"${more[@]}"} --bad "$bad" --max-time "$max_time")
arguments+=(--json "$out/result.json" --html "$out/report.html" --markdown "$out/report.md" --sarif "$out/cause.sarif" --patch "$out/cause.patch")

if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
	echo "::notice title=gitdd::The checkout has no history: give actions/checkout fetch-depth: 0."
fi
# What is printed may quote the repository: no command in it is one.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
gitdd run "${arguments[@]}" -- sh -e -c "$command" && status=0 || status=$?
echo "::$token::"

session=
if [ -s "$out/result.json" ]; then
	session=$(jq -r '.session // empty' "$out/result.json")
fi
if [ -n "$session" ]; then gitdd show --annotations "$session" >/dev/null; fi
if [ -s "$out/report.md" ]; then cat "$out/report.md" >>"$GITHUB_STEP_SUMMARY"; fi
commit=$(jq -r '.commit.id // empty' "$out/result.json" 2>/dev/null || true)
{
	echo "status=$status"
	echo "commit=$commit"
	echo "report=$out"
	echo "bad=$(git rev-parse --verify --quiet "$bad^{commit}" || true)"
} >>"$GITHUB_OUTPUT"
case $status in
0 | 1 | 3) ;;
*) exit "$status" ;;
esac
