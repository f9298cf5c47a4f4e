"""The recorded cases: the documents are those of the command line, whole and byte by byte."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import toolglot
from conftest import rows
from toolglot.adapters._answer import AnswerStream


def options(row: dict[str, Any]) -> dict[str, Any]:
    names = {"dialect": "dialect", "tools": "tools", "tool_choice": "tool_choice", "reasoning_open": "reasoning_open"}
    found = {name: row[key] for key, name in names.items() if key in row}
    return found | ({"prompt_tail": row["prompt_suffix"]} if "prompt_suffix" in row else {})


def canonical(row: dict[str, Any], known: set[str]) -> dict[str, Any]:
    # Some rows name systems that are no dialects, or several.
    return row if row["dialect"] in known else {**row, "dialect": "auto"}


def test_documents_are_those_of_the_command_line(cases: Path, is_full: bool) -> None:
    listed = subprocess.run([sys.executable, "-m", "toolglot", "dialects", "list"], capture_output=True, text=True, check=True)
    known = {line.split()[0] for line in listed.stdout.splitlines()}
    chosen = [canonical(row, known) for row in rows(cases)][:: 1 if is_full else 25]
    assert len(chosen) > (5000 if is_full else 200)
    lines = "".join(json.dumps(row) + "\n" for row in chosen)
    command = [sys.executable, "-m", "toolglot", "parse", "--jsonl"]
    told = subprocess.run(command, input=lines.encode(), capture_output=True, check=False)
    documents = [json.loads(line) for line in told.stdout.splitlines()]
    assert len(documents) == len(chosen)
    n_failed = 0
    for row, document in zip(chosen, documents):
        identity = document.pop("id")
        assert identity == row["id"]
        if "error" in document:
            n_failed += 1
            try:
                toolglot.parse(row["input"], **options(row))
            except toolglot.Error:
                continue
            raise AssertionError(f"{row['id']}: the command line refuses it: {document['error']}")
        whole = toolglot.parse(row["input"], **options(row))
        read = whole.to_dict()
        read.pop("id")
        assert read == document, row["id"]
        if len(row["input"]) > 20_000 and not is_full:
            continue
        parser = toolglot.Parser(**options(row))
        text = row["input"].encode("utf-8", "surrogatepass")
        for at in range(len(text)):
            parser.push(text[at : at + 1])
        streamed = parser.finish()
        assert streamed.to_json() == whole.to_json(), row["id"]
        # Where no bytes were pushed, none come back.
        assert streamed.source == (text or ""), row["id"]
        # Each byte has one class.
        end = 0
        for start, stop, _ in whole.segments:
            assert start == end, row["id"]
            end = stop
        assert end == len(whole.text), row["id"]
    assert n_failed < len(chosen) / 100


def test_the_deltas_of_an_adapter_are_the_whole_message(cases: Path, is_full: bool) -> None:
    n_read = 0
    for n, row in enumerate(list(rows(cases))[:: 1 if is_full else 12]):
        try:
            parser = toolglot.Parser(**{**options(row), "dialect": "auto"})
            stream = AnswerStream(parser, has_calls=row.get("tool_choice") != "none")
        except toolglot.Error:
            continue
        text, step = row["input"], 1 + n % 7
        deltas = [stream.push(text[at : at + step]) for at in range(0, len(text), step)] + [stream.finish()]
        assert stream.message is not None
        whole = stream.message.to_openai()
        assert "".join(delta.content for delta in deltas) == (whole["content"] or ""), row["id"]
        assert "".join(delta.reasoning for delta in deltas) == whole.get("reasoning_content", ""), row["id"]
        calls = [call for delta in deltas for call in delta.calls]
        assert [call.pop("index") for call in calls] == list(range(len(calls)))
        assert [without_id(call) for call in calls] == [without_id(call) for call in whole.get("tool_calls", [])], row["id"]
        n_read += 1
    assert n_read > (4000 if is_full else 300)


def without_id(call: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in call.items() if key != "id"}
