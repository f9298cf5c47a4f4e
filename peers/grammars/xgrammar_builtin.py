"""xgrammar's own structural tags beside those of `toolglot grammar`, by model family.

    python3 peers/grammars/xgrammar_builtin.py TOOLGLOT [DIALECT..]

Tried with xgrammar 0.2.8. Rendered calls of `toolglot conform --list` are given to both tags. Then sentences are sampled from
each tag and given to the other, and to `toolglot parse`: is it closed calls with arguments that fit? `TOOLGLOT` is the binary.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import xgrammar
from xgrammar.builtin_structural_tag import get_model_structural_tag

# Our dialect, and xgrammar's name of the family.
FAMILIES = {
    "llama3_json": "llama",
    "kimi_k2": "kimi",
    "kimi_k3": "kimi_k3",
    "deepseek_v3": "deepseek_r1",
    "deepseek_v31": "deepseek_v3_1",
    "deepseek_v32": "deepseek_v3_2",
    "deepseek_v4": "deepseek_v4",
    "deepseek_v41": "deepseek_v4_1",
    "qwen3_coder": "qwen_3_coder",
    "hermes": "qwen_3",
    "mimo": "mimo",
    "harmony": "harmony",
    "minimax_m2": "minimax",
    "minimax_m3": "minimax_m3",
    "glm47": "glm_4_7",
    "cohere_cmd5": "cohere",
}
# The bytes, and the end of the text.
END = 256
VOCABULARY = [bytes([byte]) for byte in range(256)] + [b"</s>"]
SENTENCES = 20
TOOLS = {
    "get_weather": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "unit": {"enum": ["c", "f"]}},
        "required": ["city"],
    },
    "list_windows": {"type": "object", "properties": {}},
}


def run(toolglot: str, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([toolglot, *arguments], input=text, capture_output=True, text=True, check=False)


def accepts(compiled: xgrammar.CompiledGrammar, text: str) -> bool:
    matcher = xgrammar.GrammarMatcher(compiled)
    return matcher.accept_string(text) and matcher.accept_token(END)


def sentence(compiled: xgrammar.CompiledGrammar, seed: int) -> str | None:
    """A sentence of a grammar: plain characters where it may be any, and its end as soon as it may end in the last third."""
    chance = random.Random(seed)
    matcher = xgrammar.GrammarMatcher(compiled)
    mask = xgrammar.allocate_token_bitmask(1, len(VOCABULARY))
    usual = [ord(c) for c in 'ab 7<>/"{}\\\n']
    written = bytearray()
    while len(written) < 3000:
        matcher.fill_next_token_bitmask(mask)
        bits = mask[0].tolist()
        may = [token for token in range(len(VOCABULARY)) if bits[token // 32] >> (token % 32) & 1]
        if END in may and (len(may) == 1 or len(written) > 400 or chance.random() < 0.3):
            return written.decode(errors="replace")
        may = [token for token in may if token != END]
        if not may:
            return None
        # Free text and strings come to their end sooner or later: what closes is preferred with time.
        closing = [token for token in may if token in b'"<}]|'] if chance.random() < len(written) / 600 else []
        plain = [token for token in may if token in usual] if len(may) > 20 else []
        token = chance.choice(closing or plain or may)
        matcher.accept_token(token)
        written.append(token)
    return None


def main(toolglot: str, dialects: list[str]) -> int:
    tokens = xgrammar.TokenizerInfo(VOCABULARY, vocab_type=xgrammar.VocabType.RAW, stop_token_ids=[END])
    compiler = xgrammar.GrammarCompiler(tokens, cache_enabled=False)
    print(f"{'dialect':14} {'xgrammar':14} {'rendered: ours':>14} {'theirs':>7} {'of theirs: ours':>16} {'valid':>7} {'of ours: theirs':>16} {'valid':>7}")
    with tempfile.TemporaryDirectory() as folder:
        tools = Path(folder, "tools.json")
        for dialect in dialects or FAMILIES:
            family = FAMILIES[dialect]
            listed = run(toolglot, "conform", "--list", "--dialect", dialect).stdout.split("\n")
            cases = [json.loads(line) for line in listed if line]
            cases = [case for case in cases if ": " not in case["id"] and case["expected"]["calls"] and not case["expected"]["content"]]

            def both(functions: list[dict[str, object]]) -> tuple[xgrammar.CompiledGrammar, xgrammar.CompiledGrammar]:
                tools.write_text(json.dumps(functions))
                written = run(toolglot, "grammar", "--dialect", dialect, "--tools", str(tools), "--tool-choice", "required", "--format", "structural-tag")
                if written.returncode:
                    raise RuntimeError(written.stderr)
                theirs = get_model_structural_tag(family, functions, "required", reasoning="disabled")
                return compiler.compile_structural_tag(written.stdout), compiler.compile_structural_tag(theirs)

            try:
                ours, theirs = both(cases[0]["tools"])
            except Exception as error:  # noqa: BLE001: whatever it raises is its verdict
                print(f"{dialect:14} {family:14} {type(error).__name__}: {str(error)[:160]}")
                continue
            texts = [case["input"] for case in cases]
            n_ours = [accepts(ours, text) for text in texts]
            n_theirs = [accepts(theirs, text) for text in texts]
            functions = [{"type": "function", "function": {"name": name, "parameters": schema}} for name, schema in TOOLS.items()]
            ours, theirs = both(functions)
            row = []
            examples = []
            for of, other, whose in [(theirs, ours, "theirs"), (ours, theirs, "ours")]:
                sentences = [text for seed in range(SENTENCES) if (text := sentence(of, seed)) is not None]
                lines = [json.dumps({"id": str(n), "input": text, "dialect": dialect, "tools": functions}) for n, text in enumerate(sentences)]
                read = run(toolglot, "parse", "--jsonl", text="\n".join(lines) + "\n").stdout.split("\n")
                read = [json.loads(line) for line in read if line]
                parsed = [
                    bool(one["calls"])
                    and all(call["end"] == "closed" for call in one["calls"])
                    and not any(note["name"] == "invalid-arguments" for note in one["notes"])
                    for one in read
                ]
                taken = [accepts(other, text) for text in sentences]
                row += [f"{sum(taken)} of {len(sentences)}", str(sum(parsed))]
                examples += [f"    {whose}, not taken by the other: {text!r}" for text, ok in zip(sentences, taken) if not ok][:2]
                examples += [f"    {whose}, not valid calls: {text!r}" for text, ok in zip(sentences, parsed) if not ok][:2]
            print(f"{dialect:14} {family:14} {f'{sum(n_ours)} of {len(texts)}':>14} {sum(n_theirs):>7} {row[0]:>16} {row[1]:>7} {row[2]:>16} {row[3]:>7}")
            examples += [f"    rendered, not taken by theirs: {text!r}" for text, is_ours, is_theirs in zip(texts, n_ours, n_theirs) if is_ours and not is_theirs][:2]
            print("\n".join(example[:300] for example in examples), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
