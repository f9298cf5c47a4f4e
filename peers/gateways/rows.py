"""Recorded messages through gateways: `rows.py CASES NAME=URL..`. A row is right if the client gets the recorded calls, by value."""

import json
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor


def calls(url, case):
    """The calls of a whole answer; a failure in words."""
    tools = [{"type": "function", "function": tool} for tool in case["tools"]]
    body = {"model": case["model"], "messages": [{"role": "user", "content": case["model"]}], "tools": tools}
    head = {"content-type": "application/json", "authorization": "Bearer any"}
    request = urllib.request.Request(url + "/v1/chat/completions", json.dumps(body).encode(), head)
    try:
        with urllib.request.urlopen(request, timeout=120) as response:
            message = json.load(response)["choices"][0]["message"]
        return [[call["function"]["name"], json.loads(call["function"]["arguments"])] for call in message.get("tool_calls") or []]
    except urllib.error.HTTPError as error:
        return f"status {error.code}: {error.read()[:200]}"
    except Exception as error:
        return repr(error)[:200]


def main(path, *gateways):
    with open(path, encoding="utf-8") as file:
        cases = [case for case in json.load(file) if case["group"] == "recorded"]
    print("| gateway | rows with calls, right | rows without calls, right | errors |\n|---|--:|--:|--:|")
    for gateway in gateways:
        name, url = gateway.rsplit("=", 1)
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda case: calls(url, case), cases))
        right, n, errors = [0, 0], [0, 0], []
        for case, answer in zip(cases, answers):
            expected = [[call["name"], call["arguments"]] for call in case["expected"]]
            n[bool(expected)] += 1
            right[bool(expected)] += answer == expected
            if isinstance(answer, str):
                errors.append(f"{name}, {case['id']}: {answer}")
        print(f"| {name} | {right[1]} of {n[1]} | {right[0]} of {n[0]} | {len(errors)} |", flush=True)
        print(*errors[:3], sep="\n", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
