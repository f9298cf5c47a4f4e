"""A real small model without and with a grammar: `constrained.py TOOLGLOT MODEL [DIALECT..]`.

llama.cpp's own server (`xllamacpp`) completes the same prompts twice at temperature 0: free, and under the GBNF of
`toolglot grammar --tool-choice required`. It counts how many of the answers that end before the limit are calls that
`toolglot parse` closes and validates, how many name the right tool, how many have the right arguments, and tokens per second.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

LIMIT = 120
TEXT, NUMBER = {"type": "string"}, {"type": "number"}


def schema(required: str, optional: str = "", **properties: Any) -> dict[str, Any]:
    names = {name: properties.get(name, TEXT) for name in (required + " " + optional).split()}
    return {"type": "object", "properties": names, "required": required.split()}


TOOLS = {
    "get_weather": schema("city", "unit", unit={"enum": ["celsius", "fahrenheit"]}),
    "search_web": schema("query", "max_results", max_results={"type": "integer", "minimum": 1, "maximum": 20}),
    "send_email": schema("to subject body"),
    "calculate": schema("expression"),
    "read_file": schema("path"),
    "convert_currency": schema("amount from_currency to_currency", amount=NUMBER),
    "translate": schema("text language"),
    "set_timer": schema("minutes", minutes={"type": "integer", "minimum": 1, "maximum": 600}),
}
EXAMPLES = [
    ("What is the weather in Oslo in celsius?", "get_weather", {"city": "Oslo", "unit": "celsius"}),
    ("Mail bob@example.org with the subject Lunch: See you at noon.", "send_email", {"to": "bob@example.org", "subject": "Lunch", "body": "See you at noon."}),
    ("Set a timer for 12 minutes.", "set_timer", {"minutes": 12}),
    ("How much is 12*7?", "calculate", {"expression": "12*7"}),
]
REQUESTS = [
    ("What is the weather in Paris?", "get_weather", {"city": "Paris"}),
    ("What is the weather in Lima in fahrenheit?", "get_weather", {"city": "Lima", "unit": "fahrenheit"}),
    ("Is it cold in Cairo?", "get_weather", {"city": "Cairo"}),
    ("Set a timer for 45 minutes.", "set_timer", {"minutes": 45}),
    ("Set a timer for 5 minutes, please.", "set_timer", {"minutes": 5}),
    ("Remind me in 90 minutes.", "set_timer", {"minutes": 90}),
    ("How much is 25+17?", "calculate", {"expression": "25+17"}),
    ("How much is (3+4)*5?", "calculate", {"expression": "(3+4)*5"}),
    ("Compute 144/12.", "calculate", {"expression": "144/12"}),
    ("Read notes.txt.", "read_file", {"path": "notes.txt"}),
    ("Show me the file src/main.rs.", "read_file", {"path": "src/main.rs"}),
    ("What is in /etc/hosts?", "read_file", {"path": "/etc/hosts"}),
    ("Search the web for red pandas.", "search_web", {"query": "red pandas"}),
    ("Find pages about solar cells.", "search_web", {"query": "solar cells"}),
    ("Search the web for Rust books, at most 3 results.", "search_web", {"query": "Rust books", "max_results": 3}),
    ("Translate good morning into German.", "translate", {"text": "good morning", "language": "German"}),
    ("Translate thank you into French.", "translate", {"text": "thank you", "language": "French"}),
    ("Mail ann@example.org with the subject Report: The report is done.", "send_email", {"to": "ann@example.org", "subject": "Report", "body": "The report is done."}),
    ("Mail tom@example.org with the subject Hi: How are you?", "send_email", {"to": "tom@example.org", "subject": "Hi", "body": "How are you?"}),
    ("Convert 100 USD to EUR.", "convert_currency", {"amount": 100, "from_currency": "USD", "to_currency": "EUR"}),
    ("Convert 20 GBP to JPY.", "convert_currency", {"amount": 20, "from_currency": "GBP", "to_currency": "JPY"}),
    ("What is the weather in Tokyo in celsius?", "get_weather", {"city": "Tokyo", "unit": "celsius"}),
    ("Set a timer for one hour.", "set_timer", {"minutes": 60}),
    ("How much is 1000-1?", "calculate", {"expression": "1000-1"}),
]


def run(*arguments: str, text: str = "", check: bool = True) -> str:
    return subprocess.run(arguments, input=text, capture_output=True, text=True, check=check).stdout


def complete(port: str, prompt: str, grammar: str | None) -> tuple[str, bool, dict[str, float]]:
    body: dict[str, Any] = {"prompt": prompt, "temperature": 0, "n_predict": LIMIT, "cache_prompt": True, "stop": ["<|im_end|>"]}
    if grammar:
        body["grammar"] = grammar
    request = urllib.request.Request(f"http://127.0.0.1:{port}/completion", json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as answer:
        answer = json.load(answer)
    return answer["content"], answer["stop_type"] != "limit", answer["timings"]


def main(toolglot: str, model: str, dialects: list[str]) -> int:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.sampling.temp = 0
    params.n_ctx, params.n_parallel, params.cpuparams.n_threads = 2048, 1, 1
    params.port = 0
    server = xllamacpp.Server(params)
    port = server.listening_address.rpartition(":")[2]
    functions = [{"type": "function", "function": {"name": name, "parameters": parameters}} for name, parameters in TOOLS.items()]
    print(f"{'dialect':16} {'':8} {'ended':>6} {'valid':>6} {'tool':>6} {'right':>6} {'tokens/s':>9} {'first token':>12}")
    with tempfile.TemporaryDirectory() as folder:
        tools = str(Path(folder, "tools.json"))
        Path(tools).write_text(json.dumps(functions))
        for dialect in dialects or ["hermes", "tool_call", "qwen3_coder", "tool_call_xml"]:

            def render(name: str, arguments: dict[str, Any]) -> str:
                call = {"calls": [{"name": name, "arguments": arguments}]}
                return run(toolglot, "render", "--dialect", dialect, "--tools", tools, "-", text=json.dumps(call)).strip("\n")

            grammar = run(toolglot, "grammar", "--dialect", dialect, "--tools", tools, "--tool-choice", "required", "--parallel", "no", "--format", "gbnf")
            lines = [f"- {name}({', '.join(schema['properties'])})" for name, schema in TOOLS.items()]
            before = "<|im_start|>system\nYou use tools. Answer each request with a call.\nTools:\n" + "\n".join(lines) + "<|im_end|>\n"
            for question, name, arguments in EXAMPLES:
                before += f"<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n{render(name, arguments)}<|im_end|>\n"
            for word, used in [("free", None), ("grammar", grammar)]:
                rows, n_tokens, ms, first = [], 0.0, 0.0, 0.0
                for question, name, arguments in REQUESTS:
                    start = time.monotonic()
                    text, is_ended, timings = complete(port, f"{before}<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n", used)
                    first += (time.monotonic() - start) * 1e3 - timings["predicted_ms"]
                    n_tokens += timings["predicted_n"]
                    ms += timings["predicted_ms"]
                    rows.append({"id": str(len(rows)), "input": text, "dialect": dialect, "tools": functions, "ended": is_ended})
                read = run(toolglot, "parse", "--jsonl", text="".join(json.dumps(row) + "\n" for row in rows), check=False).split("\n")
                n_ended = n_valid = n_tool = n_right = 0
                for row, line, (_, name, arguments) in zip(rows, read, REQUESTS):
                    one = json.loads(line)
                    calls = one["calls"]
                    n_ended += row["ended"]
                    is_fitting = not any(note["name"] in ("invalid-arguments", "unknown-tool") for note in one["notes"])
                    is_valid = len(calls) == 1 and calls[0]["end"] == "closed" and is_fitting and not one["content"].strip()
                    n_valid += row["ended"] and is_valid
                    if row["ended"] and not is_valid and used:
                        print("    not a valid call:", json.dumps(row["input"]))
                    n_tool += len(calls) == 1 and calls[0]["name"] == name
                    n_right += len(calls) == 1 and calls[0]["name"] == name and calls[0]["arguments"] == arguments
                print(f"{dialect:16} {word:8} {n_ended:>6} {n_valid:>6} {n_tool:>6} {n_right:>6} {n_tokens / ms * 1e3:>9.1f} {first / len(rows):>9.0f} ms", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
