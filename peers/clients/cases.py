"""Makes the recorded cases of all dialects into messages that the upstream replays: `cases.py TOOLGLOT MODELS.jsonl EVERY > cases.json`.

What a client has to see is what `toolglot parse` reads in the same text with the same tools: the way through the gateway and the
client must change nothing. How many of these are also the recorded calls is counted apart. Of EVERY messages one is taken.
"""

import json
import subprocess
import sys

# So many rows of a dialect are also cut off, broken and dropped, and put between two texts.
VARIED = 2
CUTS = ["bytes", "tokens", "whole"]


def tools_of(row):
    """The row's tools, or tools with the names that its calls have; `None`: they are not those of Chat Completions."""
    tools = row.get("tools") or []
    if any("function" not in tool for tool in tools):
        return None
    functions = [tool["function"] for tool in tools]
    if not functions or [function["name"] for function in functions] == ["stub"]:
        names = {call["name"] for call in (row["expected"] or {}).get("calls") or []}
        functions = [{"name": name} for name in sorted(names | {"another_tool"})]
    return [
        {"name": f["name"], "description": f.get("description") or "A tool.", "parameters": f.get("parameters") or {"type": "object"}}
        for f in functions
    ]


def variants(rows):
    """The group, the row, the text, and how it ends."""
    n_varied = {}
    for row in rows:
        yield "recorded", row, row["input"], "stop"
        has_calls = (row["expected"] or {}).get("calls")
        if not has_calls or row.get("reasoning_open") or n_varied.setdefault(row["dialect"], 0) == VARIED:
            continue
        n_varied[row["dialect"]] += 1
        text = row["input"]
        cut = text[: len(text) // 2]
        yield "between texts", row, f"Let me look.\n\n{text}\n\nThat is all.", "stop"
        yield "cut off", row, cut, "length"
        yield "garbage in it", row, cut, "garbage"
        yield "dropped", row, cut, "disconnect"


def equal(calls, expected):
    return [[c["name"], c["arguments"]] for c in calls] == [[c["name"], c["arguments"]] for c in expected]


def main(toolglot, file, every):
    usable, left_out = [], {"a prompt's end": 0, "tool_choice": 0, "other tools": 0, "no answer of their own": 0}
    for line in open(file, encoding="utf-8"):
        row = json.loads(line)
        if row.get("prompt_suffix"):
            left_out["a prompt's end"] += 1
        elif row.get("tool_choice"):
            left_out["tool_choice"] += 1
        elif tools_of(row) is None:
            left_out["other tools"] += 1
        elif row.get("expected") is None or not row.get("input"):
            left_out["no answer of their own"] += 1
        else:
            usable.append(row)
    cases, questions = [], []
    for at, (group, row, text, end) in enumerate(list(variants(usable))[:: int(every)]):
        tools = tools_of(row)
        is_open = bool(row.get("reasoning_open"))
        # Each row comes in one cut; rows of a dialect come in all.
        model = f"{'open' if is_open else 'case'}/{at}/{CUTS[at % len(CUTS)]}"
        cases.append({"group": group, "id": row["id"], "model": model, "text": text, "ending": end, "tools": tools})
        finish = "length" if end == "length" else "stop"
        functions = [{"type": "function", "function": tool} for tool in tools]
        question = {"id": str(at), "input": text, "tools": functions, "finish": finish, "reasoning_open": is_open}
        questions.append(json.dumps(question))
    read = subprocess.run([toolglot, "parse", "--jsonl", "-"], input="\n".join(questions) + "\n", capture_output=True, text=True)
    answers = [json.loads(line) for line in read.stdout.splitlines()]
    assert len(answers) == len(cases), (len(answers), len(cases), read.stderr[-2000:])
    # Some rows have names that no tool may have: they are refused, here as by the gateway.
    left_out["a tool that is refused"] = sum("error" in answer for answer in answers)
    cases, answers = zip(*[pair for pair in zip(cases, answers) if "error" not in pair[1]])
    expected = {row["id"]: row["expected"]["calls"] for row in usable}
    n = n_recorded = 0
    for case, answer in zip(cases, answers):
        calls = [call for call in answer["calls"] if call["end"] != "truncated" and isinstance(call["arguments"], dict)]
        is_cut = any(call["end"] == "truncated" for call in answer["calls"]) or case["ending"] == "length"
        end = "error" if case["ending"] in ("garbage", "disconnect") else "length" if is_cut else "call" if calls else "stop"
        case["want"] = {
            "text": answer["content"] or "",
            "reasoning": answer["reasoning"] or "",
            "calls": [[call["name"], call["arguments"]] for call in calls],
            "end": end,
        }
        if case["group"] == "recorded":
            case["expected"] = expected[case["id"]]
            n += 1
            n_recorded += equal(calls, expected[case["id"]])
    for why, count in left_out.items():
        print(f"left out: {count} rows with {why}", file=sys.stderr)
    print(f"{n_recorded} of {n} rows have the recorded calls", file=sys.stderr)
    json.dump(cases, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
