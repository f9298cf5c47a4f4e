"""Asks a client for every scenario, and compares what it saw by value. One line of JSON for each goes to standard output."""

import json
import os
import urllib.request

READ_FILE = {
    "name": "read_file",
    "description": "Reads a file.",
    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
}
GATEWAY = os.environ["GATEWAY"]
UPSTREAM = os.environ["UPSTREAM"]


def equal(want, saw):
    """`None` where a client cannot show something."""
    for key in ("text", "reasoning", "calls", "end"):
        if saw.get(key, "") is None:
            continue
        if want["end"] == "error" and key in ("text", "reasoning"):
            continue
        have, need = saw.get(key, ""), want[key]
        if want["end"] == "error" and key == "calls":
            # Calls that were complete before the error may have come.
            need = need[: len(have)]
        if isinstance(need, str):
            # Blanks between the pieces of a text are the model's own affair.
            have, need = "".join(have.split()), "".join(need.split())
        if have != need:
            return f"{key}: {saw.get(key)!r} and not {want[key]!r}"
    return None


def see(ask, model, scenario, tools, want):
    """`None`, or how what the client saw differs."""
    try:
        saw = ask(model, scenario, tools)
    except Exception as error:  # What a client raises is its answer.
        saw = {"text": None, "reasoning": None, "calls": [], "end": "error", "why": repr(error)[:300]}
    why = equal(want, saw)
    return why and f"{why} {saw.get('why', '')}"


def judge(client, ask, without=(), with_cases=True):
    """`ask(model, scenario, tools)` gives text, reasoning, calls and end, or raises what the client raises."""
    with urllib.request.urlopen(UPSTREAM + "/scenarios") as response:
        known = json.load(response)
    for scenario, want in known["scenarios"].items():
        failures, n = [], 0
        if scenario in without:
            print(json.dumps({"client": client, "scenario": scenario, "n": 0, "failures": []}))
            continue
        for dialect in known["dialects"]:
            for cut in known["cuts"]:
                if scenario == "around" and dialect == "mistral":
                    continue
                n += 1
                why = see(ask, f"{scenario}.{dialect}.{cut}", scenario, [READ_FILE], want)
                if why:
                    failures.append(f"{dialect} {cut}: {why}")
        print(json.dumps({"client": client, "scenario": scenario, "n": n, "failures": failures}), flush=True)
    groups = {}
    for case in known["cases"] if with_cases else ():
        row = groups.setdefault(case["group"], {"client": client, "scenario": case["group"], "n": 0, "failures": []})
        row["n"] += 1
        why = see(ask, case["model"], "case", case["tools"], case["want"])
        if why:
            row["failures"].append(f"{case['id']} {case['model']}: {why}")
    for row in groups.values():
        print(json.dumps(row), flush=True)
