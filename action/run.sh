#!/usr/bin/env bash
# Runs gitdd, and shows what it found with the run. It fails if gitdd itself is in trouble.
#
# COMMAND, BUILD, GOOD, BAD, FLAGS and MAX_TIME are the inputs of the action; $RUNNER_TEMP/gitdd-green has the green commits.
set -euo pipefail

out=$RUNNER_TEMP/gitdd
mkdir -p "$out"
arguments=()
if [ -n "$GOOD" ]; then
	arguments+=(--good "$GOOD")
elif [ -s "$RUNNER_TEMP/gitdd-green" ]; then
	arguments+=(--since-green "$RUNNER_TEMP/gitdd-green")
else
	arguments+=(--good auto)
fi
if [ -n "$BUILD" ]; then arguments+=(--build "$BUILD"); fi
eval "more=($FLAGS)" # by whoever wrote the workflow
arguments+=("${more[@]}" --bad "$BAD" --max-time "$MAX_TIME")
arguments+=(--json "$out/result.json" --html "$out/report.html" --markdown "$out/report.md" --sarif "$out/cause.sarif" --patch "$out/cause.patch")

if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
	echo "::notice title=gitdd::The checkout has no history: give actions/checkout fetch-depth: 0."
fi
# What is printed may quote the repository: no command in it is one.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
gitdd run "${arguments[@]}" -- sh -c "$COMMAND" && status=0 || status=$?
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
} >>"$GITHUB_OUTPUT"
case $status in
0 | 1 | 3) ;;
*) exit "$status" ;;
esac
