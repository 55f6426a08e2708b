#!/usr/bin/env python3
"""Says how a search of gitdd goes on: gitdd run --events - ... | follow.py"""
import json
import sys


def numbers(runs):
    """The numbers of "0-3,7"."""
    for run in filter(None, runs.split(",")):
        first, _, last = run.partition("-")
        yield from range(int(first), int(last or first) + 1)


elements = {}  # by the number of a set: its changes, or commits
stage = {}     # the plan of the stage that began last
suspects = set()
trials = 0

for line in sys.stdin:
    if not line.endswith("\n"):
        break  # gitdd was killed while it wrote
    event = json.loads(line)
    name = event["event"]
    body = event[name]
    if name == "begun":
        elements, trials = {}, 0
    elif name == "plan":
        stage = body
        if body["of"] in body:
            elements[body["set"]] = body[body["of"]]
        suspects = set(range(body["elements"]))
    elif name == "trial_ended" and body["outcome"] != "cancelled":
        trials += 1
    elif name == "step":
        suspects -= set(numbers(body.get("cleared", "")))
        suspects |= set(numbers(body.get("suspected", "")))
        left = [elements[stage["set"]][i] for i in suspects]
        where = sorted({e.get("path") or e["id"][:12] for e in left})
        print(f"{trials} trials, {len(left)} {stage['of']} left in", *where[:3])
    elif name == "answer":
        print("status", body["status"], "exit", body["exit"])
        for change in body.get("result", {}).get("cause", []):
            print(f"{change['path']}:{change['new_start']}")
