"""Structural tags judged by xgrammar: does each compile, and does it take the calls that the renderer writes?

    python3 peers/grammars/xgrammar_tags.py TOOLGLOT [DIALECT..]

Tried with xgrammar 0.2.8. The tokenizer has one token for each byte, so no model is needed. `TOOLGLOT` is the binary.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import xgrammar


def run(toolglot: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([toolglot, *arguments], capture_output=True, text=True, check=False)


def accepts_end(compiled: xgrammar.CompiledGrammar, text: str) -> bool:
    matcher = xgrammar.GrammarMatcher(compiled)
    return matcher.accept_string(text) and matcher.accept_token(END)


# The bytes, and the end of the text.
END = 256
VOCABULARY = [bytes([byte]) for byte in range(256)] + [b"</s>"]


def main(toolglot: str, dialects: list[str]) -> int:
    listed = run(toolglot, "conform", "--list", *(["--dialect", ",".join(dialects)] if dialects else []))
    cases = [json.loads(line) for line in listed.stdout.split("\n") if line]
    tokens = xgrammar.TokenizerInfo(VOCABULARY, vocab_type=xgrammar.VocabType.RAW, stop_token_ids=[END])
    compiler = xgrammar.GrammarCompiler(tokens, cache_enabled=False)
    n_tags = n_compiled = n_texts = n_taken = 0
    slowest = 0.0
    for dialect in dict.fromkeys(case["dialect"] for case in cases):
        # The texts of the renderer: calls of the same five tools, and nothing around them.
        texts = [case for case in cases if case["dialect"] == dialect and ": " not in case["id"] and case["expected"]["calls"]]
        texts = [case for case in texts if not case["expected"]["content"]]
        if not texts:
            continue
        with tempfile.TemporaryDirectory() as folder:
            tools = Path(folder, "tools.json")
            tools.write_text(json.dumps(texts[0]["tools"]))
            for choice in ["required", "auto", "none"]:
                words = ["--dialect", dialect, "--tools", str(tools), "--tool-choice", choice]
                written = run(toolglot, "grammar", *words, "--format", "structural-tag")
                if written.returncode:
                    print(f"{dialect}, {choice}: no tag: {written.stderr.strip()}")
                    continue
                n_tags += 1
                start = time.process_time()
                try:
                    compiled = compiler.compile_structural_tag(written.stdout)
                except Exception as error:  # noqa: BLE001: whatever it raises is its verdict
                    print(f"{dialect}, {choice}: refused: {str(error)[:300]}")
                    continue
                slowest = max(slowest, time.process_time() - start)
                n_compiled += 1
                if choice == "none":
                    continue
                for case in texts:
                    n_texts += 1
                    if accepts_end(compiled, case["input"]):
                        n_taken += 1
                    else:
                        print(f"{dialect}, {choice}: not taken: {case['id']}: {case['input'][:120]!r}")
    print(f"{n_compiled} of {n_tags} tags compile, the slowest in {slowest * 1e3:.0f} ms; {n_taken} of {n_texts} texts are taken")
    return int(n_compiled < n_tags or n_taken < n_texts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
