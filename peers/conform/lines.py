"""The line protocol of `toolglot conform` (docs/conform.md), for adapters in Python."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

Question = dict[str, Any]


class Skip(Exception):
    """The parser does not read such messages."""


class Events:
    """The events of a message, in order."""

    def __init__(self) -> None:
        self.list: list[dict[str, Any]] = []
        self._open: list[Any] = []

    def text(self, text: str | None) -> None:
        if text:
            self.list.append({"type": "text", "text": text})

    def call(self, call: Any, name: str | None, arguments: str | None) -> None:
        """A piece of a call, as a delta of Chat Completions has it."""
        if name:
            self.list.append({"type": "call_start", "call": call, "name": name})
            self._open.append(call)
        if arguments:
            self.list.append({"type": "args", "call": call, "json": arguments})

    def finish(self) -> list[dict[str, Any]]:
        self.list.extend({"type": "call_end", "call": call} for call in dict.fromkeys(self._open))
        return self.list


def unsplit(chunks: list[str], tokens: list[tuple[int, int]]) -> list[str]:
    """The same text, with each end of a chunk that splits a token after the token. Tokens are spans, in order."""
    ends: list[int] = []
    end = 0
    spans = iter(tokens)
    span = next(spans, None)
    for chunk in chunks:
        end += len(chunk)
        while span and span[1] <= end:
            span = next(spans, None)
        ends.append(span[1] if span and span[0] < end < span[1] else end)
    text = "".join(chunks)
    starts = [0, *ends]
    return [text[start:end] for start, end in zip(starts, ends, strict=False) if start < end]


def serve(answer: Callable[[Question], list[dict[str, Any]]]) -> None:
    """Answers each line of standard input by the events that `answer` gives."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # What a library prints is no answer.
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        question = json.loads(line)
        try:
            reply: dict[str, Any] = {"events": answer(question)}
        except Skip as why:
            reply = {"skipped": str(why)}
        except Exception as error:  # noqa: BLE001: whatever a parser raises is its answer
            reply = {"error": f"{type(error).__name__}: {error}"}
        # Lone surrogates cannot be written as UTF-8: JSON escapes them.
        out.write(json.dumps({"id": question["id"], **reply}) + "\n")
        out.flush()
