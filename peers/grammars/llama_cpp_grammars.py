"""GBNF grammars judged by llama.cpp: does its reader take each, and are the answers under it calls?

    python3 peers/grammars/llama_cpp_grammars.py TOOLGLOT MODEL.gguf [DIALECT..]

Tried with xllamacpp 2026.10.11549, which is llama.cpp's server as a package. The model need not know any dialect: the answers
are sampled at temperature 1 under the grammar, and those that end before the limit are given to `toolglot parse`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

import xllamacpp

LIMIT = 90


def run(toolglot: str, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([toolglot, *arguments], input=text, capture_output=True, text=True, check=False)


def complete(port: str, grammar: str, seed: int) -> tuple[str, bool]:
    body = {"prompt": "<|im_start|>assistant\n", "grammar": grammar, "n_predict": LIMIT, "temperature": 1, "seed": seed}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/completion", json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        answer = json.load(answer)
    return answer["content"], answer["stop_type"] != "limit"


def main(toolglot: str, model: str, dialects: list[str]) -> int:
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx, params.n_parallel, params.cpuparams.n_threads = 2048, 1, 1
    params.port = 0
    server = xllamacpp.Server(params)
    port = server.listening_address.rpartition(":")[2]
    listed = run(toolglot, "conform", "--list", *(["--dialect", ",".join(dialects)] if dialects else []))
    cases = [json.loads(line) for line in listed.stdout.split("\n") if line]
    n_grammars = n_taken = n_ended = n_valid = 0
    with tempfile.TemporaryDirectory() as folder:
        tools = Path(folder, "tools.json")
        for dialect in dict.fromkeys(case["dialect"] for case in cases):
            functions = next(case["tools"] for case in cases if case["dialect"] == dialect)
            tools.write_text(json.dumps(functions))
            words = ["--dialect", dialect, "--tools", str(tools), "--tool-choice", "required", "--parallel", "no"]
            written = run(toolglot, "grammar", *words, "--format", "gbnf")
            if written.returncode:
                print(f"{dialect}: no grammar: {written.stderr.strip()[:160]}")
                continue
            n_grammars += 1
            try:
                answers = [complete(port, written.stdout, seed) for seed in range(2)]
            except urllib.error.HTTPError as error:
                print(f"{dialect}: refused: {error.read()[:200]!r}", flush=True)
                continue
            n_taken += 1
            for text in [text for text, is_ended in answers if is_ended]:
                n_ended += 1
                question = {"id": "1", "input": text, "dialect": dialect, "tools": functions}
                read = json.loads(run(toolglot, "parse", "--jsonl", text=json.dumps(question) + "\n").stdout)
                is_closed = len(read["calls"]) == 1 and read["calls"][0]["end"] == "closed"
                if is_closed and not any(note["name"] == "invalid-arguments" for note in read["notes"]):
                    n_valid += 1
                else:
                    print(f"{dialect}: not a valid call: {text!r}", flush=True)
    print(f"{n_taken} of {n_grammars} grammars are taken; {n_ended} answers ended, {n_valid} of them are valid calls")
    return int(n_taken < n_grammars or n_valid < n_ended)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
