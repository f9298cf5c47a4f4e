"""Other parsers of Python beside toolglot, on the recorded cases: `python bench/peers.py FOLDER/models.jsonl`.

Each parser reads the rows whose dialect it has, whole and in pieces of four characters. A row is right where names and
arguments are those that its own project states. Times are CPU time of the second reading, so tools are compiled and
regular expressions are too; making a parser for the message is a part of it. What is not installed is left out.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import re
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import toolglot

Calls = list[tuple[str, Any]]
PIECE = 4

# Where a peer has another name for a dialect.
VLLM = {"granite_20b_fc": "granite-20b-fc", "internlm2": "internlm", "harmony": "openai", "phi4_mini": "phi4_mini_json", "mistral_args": "mistral"}
SGLANG = {
    "deepseek_v3": "deepseekv3", "deepseek_v31": "deepseekv31", "deepseek_v32": "deepseekv32", "glm45": "glm", "harmony": "gpt-oss", "hermes": "hermes",
    "llama3_json": "llama3", "minimax_m2": "minimax-m2", "mistral_args": "mistral", "qwen3_coder": "qwen3_coder",
}  # fmt: skip


class Tokenizer:
    """A stand-in: each text that a parser asks for is a special token, and other characters are tokens."""

    eos_token_id, bos_token_id, vocab_size = 1, 2, 2_000_000
    all_special_tokens: list[str] = []
    all_special_ids: list[int] = []
    chat_template = None

    class Vocabulary(dict[str, int]):
        def __missing__(self, text: str) -> int:
            self[text] = 1_500_000 + len(self)
            return self[text]

        def get(self, text: str, default: Any = None) -> Any:
            return self[text]

        def __contains__(self, text: object) -> bool:
            return True

    def __init__(self) -> None:
        self.vocabulary = Tokenizer.Vocabulary()
        self.texts: dict[int, str] = {}

    def get_vocab(self) -> dict[str, int]:
        return self.vocabulary

    def encode(self, text: str, **_: Any) -> list[int]:
        ids = []
        for part, is_special in self.parts(text):
            ids += [dict.__getitem__(self.vocabulary, part)] if is_special else [ord(letter) + 10 for letter in part]
        return ids

    def pieces(self, text: str) -> list[str]:
        return [piece for part, is_special in self.parts(text) for piece in ([part] if is_special else pieces(part))]

    def parts(self, text: str) -> list[tuple[str, bool]]:
        special = sorted((token for token in self.vocabulary if len(token) > 1), key=len, reverse=True)
        cut = re.split("(" + "|".join(map(re.escape, special)) + ")", text) if special else [text]
        return [(part, n % 2 == 1) for n, part in enumerate(cut) if part]

    def convert_tokens_to_ids(self, token: str) -> int:
        return self.vocabulary[token]

    def convert_ids_to_tokens(self, ids: list[int], **_: Any) -> list[str]:
        return [self.decode([id]) for id in ids]

    def decode(self, ids: Any, **_: Any) -> str:
        known = {id: text for text, id in self.vocabulary.items()}
        return "".join(known.get(id) or chr(id - 10) for id in ([ids] if isinstance(ids, int) else ids))


class Toolglot:
    name = f"toolglot {toolglot.__version__}"

    def __init__(self, is_named: bool) -> None:
        self.is_named = is_named
        self.name += ", dialect named" if is_named else ", auto"

    def has(self, dialect: str) -> bool:
        if not self.is_named:
            return True
        try:
            toolglot.Parser(dialect)
        except toolglot.DialectError:
            return False
        return True

    def options(self, row: dict[str, Any]) -> dict[str, Any]:
        found = {"dialect": row["dialect"] if self.is_named else "auto", "tools": tools_of(row)}
        if "reasoning_open" in row:
            found["reasoning_open"] = row["reasoning_open"]
        if row.get("prompt_suffix"):
            found["prompt_tail"] = row["prompt_suffix"]
        return found

    def whole(self, row: dict[str, Any]) -> Calls:
        return [(call.name, call.arguments) for call in toolglot.parse(row["input"], **self.options(row)).calls]

    def streamed(self, row: dict[str, Any]) -> Calls:
        parser = toolglot.Parser(**self.options(row))
        for piece in pieces(row["input"]):
            parser.push(piece)
        return [(call.name, call.arguments) for call in parser.finish().calls]


class Vllm:
    def __init__(self) -> None:
        import vllm
        from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
        from vllm.tool_parsers import ToolParserManager

        self.name = f"vLLM {vllm.__version__}"
        self.request, self.parsers = ChatCompletionRequest, ToolParserManager

    def has(self, dialect: str) -> bool:
        try:
            self.parsers.get_tool_parser(VLLM.get(dialect, dialect))
        except (KeyError, ImportError):
            return False
        return True

    def made(self, row: dict[str, Any]) -> tuple[Any, Any, Any]:
        request = self.request(model="m", messages=[{"role": "user", "content": "x"}], tools=tools_of(row))
        tokenizer = Tokenizer()
        return self.parsers.get_tool_parser(VLLM.get(row["dialect"], row["dialect"]))(tokenizer, request.tools), request, tokenizer

    def whole(self, row: dict[str, Any]) -> Calls:
        parser, request, _ = self.made(row)
        found = parser.extract_tool_calls(row["input"], request)
        return [(call.function.name, json.loads(call.function.arguments)) for call in found.tool_calls or []]

    def streamed(self, row: dict[str, Any]) -> Calls:
        parser, request, tokenizer = self.made(row)
        names: dict[int, str] = {}
        arguments: dict[int, str] = {}
        text, ids = "", []

        def deltas() -> Any:
            nonlocal text, ids
            # A special token comes whole.
            for piece in tokenizer.pieces(row["input"]):
                new = tokenizer.encode(piece)
                yield parser.extract_tool_calls_streaming(text, text + piece, piece, ids, ids + new, new, request)
                text, ids = text + piece, ids + new
            if getattr(parser, "engine_based_streaming", False):
                yield parser.finish_streaming()

        for delta in deltas():
            for call in (delta.tool_calls or []) if delta else []:
                if call.function:
                    names[call.index] = names.get(call.index) or call.function.name or ""
                    arguments[call.index] = arguments.get(call.index, "") + (call.function.arguments or "")
        return [(names[n], json.loads(arguments[n])) for n in sorted(names)]


class Sglang:
    def __init__(self) -> None:
        import sglang
        from sglang.srt.entrypoints.openai.protocol import Tool
        from sglang.srt.function_call.function_call_parser import FunctionCallParser

        self.name = f"SGLang {sglang.__version__}"
        self.tool, self.parser = Tool, FunctionCallParser

    def has(self, dialect: str) -> bool:
        return SGLANG.get(dialect, dialect) in self.parser.ToolCallParserEnum

    def made(self, row: dict[str, Any]) -> tuple[Any, list[Any]]:
        # It drops calls of tools that it was not told.
        named = [{"type": "function", "function": {"name": call["name"], "parameters": {}}} for call in row["expected"]["calls"]]
        tools = [self.tool.model_validate(tool) for tool in tools_of(row) or named]
        return self.parser(tools, SGLANG.get(row["dialect"], row["dialect"])), tools

    def whole(self, row: dict[str, Any]) -> Calls:
        _, calls = self.made(row)[0].parse_non_stream(row["input"])
        return [(call.name, json.loads(call.parameters)) for call in calls]

    def streamed(self, row: dict[str, Any]) -> Calls:
        parser, _ = self.made(row)
        names: dict[int, str] = {}
        arguments: dict[int, str] = {}
        for piece in pieces(row["input"]):
            for call in parser.parse_stream_chunk(piece)[1]:
                names[call.tool_index] = names.get(call.tool_index) or call.name or ""
                arguments[call.tool_index] = arguments.get(call.tool_index, "") + (call.parameters or "")
        return [(names[n], json.loads(arguments[n])) for n in sorted(names)]


class AgentToolParser:
    def __init__(self) -> None:
        from importlib.metadata import version

        import agent_tool_parser

        self.name = f"agent-tool-parser {version('agent-tool-parser')}"
        self.parse = agent_tool_parser.parse_tool_calls

    def has(self, dialect: str) -> bool:
        return True

    def whole(self, row: dict[str, Any]) -> Calls:
        return [named(call) for call in self.parse(row["input"])]

    streamed = None


def named(call: Any) -> tuple[str, Any]:
    get = call.get if isinstance(call, dict) else lambda key: getattr(call, key, None)
    function = get("function")
    if function is not None:
        return named(function)
    arguments = get("arguments") if get("arguments") is not None else get("args")
    return str(get("name")), json.loads(arguments) if isinstance(arguments, str) else arguments


def tools_of(row: dict[str, Any]) -> Any:
    tools = row.get("tools")
    is_stub = isinstance(tools, list) and any((tool.get("function") or tool).get("name") == "stub" for tool in tools)
    return None if is_stub or not isinstance(tools, list) else tools


def pieces(text: str) -> list[str]:
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


def canonical(calls: Any) -> Any:
    """Calls that are equal by JSON value: 42 is 42.0, and no boolean is a number."""

    def value(one: Any) -> Any:
        if isinstance(one, dict):
            return {key: value(item) for key, item in one.items()}
        if isinstance(one, list):
            return [value(item) for item in one]
        return ("boolean", one) if isinstance(one, bool) else one

    return [(name, value({} if arguments is None else arguments)) for name, arguments in calls]


def reading(read: Callable[[dict[str, Any]], Calls], row: dict[str, Any], expected: Any) -> tuple[bool, float]:
    """Whether a row is right, and what its second reading costs in seconds of CPU time."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            is_right = canonical(read(row)) == expected
            start = time.thread_time()
            read(row)
            return is_right, time.thread_time() - start
    except (Exception, BaseException) as error:
        # A panic of a parser in Rust is no `Exception`.
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        return False, float("nan")


def repairs(folder: Path) -> None:
    """`toolglot.repair` beside json_repair, on the recorded documents of two libraries that state a value and no options."""
    try:
        import json_repair
    except ImportError as error:
        print(f"left out: json_repair: {error}", file=sys.stderr)
        return
    from importlib.metadata import version

    def with_preset(preset: Any) -> Callable[[dict[str, Any]], Any]:
        return lambda row: toolglot.repair(row["input"], preset=preset).value

    readers = {f"toolglot.repair, {preset}": with_preset(preset) for preset in ["llm", "jsonrepair", "json_repair"]}
    readers[f"json_repair {version('json-repair')}"] = lambda row: json_repair.loads(row["input"])
    for name in ["jsonrepair", "json_repair"]:
        lines = (folder / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")
        rows = [json.loads(line) for line in lines if line]
        rows = [row for row in rows if row["expected_kind"] != "error" and not row.get("options") and row.get("group", "plain") == "plain"]
        print(f"{len(rows)} documents of {name}")
        for reader, read in readers.items():
            found = [reading(lambda row: [("", read(row))], row, canonical([("", row["value"])])) for row in rows]
            times = [cost for _, cost in found if cost == cost]
            print(f"    {reader:30}{sum(right for right, _ in found):6}{statistics.median(times) * 1e6:8.1f} us", flush=True)


def main(path: str) -> None:
    asyncio.set_event_loop(asyncio.new_event_loop())
    with open(path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    rows = [{"input": "", **row} for row in rows if row.get("tool_choice") != "none" and (row.get("expected") or {}).get("calls") is not None]
    with_calls = [row for row in rows if row["expected"]["calls"]]
    readers: list[Any] = [Toolglot(False), Toolglot(True)]
    for kind in [Vllm, Sglang, AgentToolParser]:
        try:
            readers.append(kind())
        except ImportError as error:
            print(f"left out: {kind.__name__}: {error}", file=sys.stderr)
    print(f"{len(with_calls)} rows with calls, Python {sys.version.split()[0]}")
    print(f"{'':34}{'rows':>6}{'right':>7}{'us':>8}{'streamed':>10}{'us/piece':>10}")
    for reader in readers:
        chosen = [row for row in with_calls if reader.has(row["dialect"])]
        line = f"{reader.name:34}{len(chosen):6}"
        for read, width in [(reader.whole, 7), (reader.streamed, 10)]:
            if read is None:
                line += f"{'-':>{width}}{'-':>8}"
                continue
            is_streamed = width == 10
            found = [(row, reading(read, row, canonical((c["name"], c["arguments"]) for c in row["expected"]["calls"]))) for row in chosen]
            times = [cost / (max(1, len(pieces(row["input"]))) if is_streamed else 1) for row, (_, cost) in found if cost == cost]
            right = sum(is_right for _, (is_right, _) in found)
            line += f"{right:{width}}{statistics.median(times) * 1e6:{10 if is_streamed else 8}.1f}"
        print(line, flush=True)
        if reader.name.startswith(("vLLM", "SGLang")):
            same = [row for row in with_calls if reader.has(row["dialect"])]
            for ours in readers[:2]:
                right = sum(reading(ours.whole, row, canonical((c["name"], c["arguments"]) for c in row["expected"]["calls"]))[0] for row in same)
                print(f"    {ours.name:30}{len(same):6}{right:7}  on the same rows")
    repairs(Path(path).parent / "repair")


if __name__ == "__main__":
    main(*sys.argv[1:])
