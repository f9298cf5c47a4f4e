"""Tables of the programs that are here, in and out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import toolglot

pa = pytest.importorskip("pyarrow", reason="SKIPPED: pyarrow is not here")

from toolglot_arrow import parse_batch

CALL = "<tool_call>{'name': 'at', 'arguments': {'line': '7',}}</tool_call>"
TOOLS: Any = [{"type": "function", "function": {"name": "at", "parameters": {"type": "object", "properties": {"line": {"type": "integer"}}}}}]
TEXTS = ["Hello.", f"I go. {CALL}", CALL[:-30], f"{CALL}{CALL}", "", "\u00e9\n\u2028\U0001f600"]


def rows() -> list[dict[str, Any]]:
    return [{"id": n, "text": text, "split": "train"} for n, text in enumerate(TEXTS)]


def documents(lines: list[dict[str, Any]], tmp_path: Path) -> list[dict[str, Any]]:
    """The reports of the command line, without the numbers of the rows."""
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    tools = tmp_path / "tools.json"
    tools.write_text(json.dumps(TOOLS))
    command = [sys.executable, "-m", "toolglot", "corpus", "check", str(file), "--tools", str(tools)]
    done = subprocess.run(command, capture_output=True, check=False)
    # A `str` has more line ends than JSON lines.
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    return [{key: value for key, value in report.items() if key != "row"} for report in reports]


def test_reports_are_those_of_the_command_line(tmp_path: Path) -> None:
    conversation = [{"role": "user", "content": "?"}, {"role": "assistant", "content": f"I go. {CALL}"}]
    lines = [*rows(), {"id": 9, "text": None, "split": "test"}, {"id": 10, "text": json.dumps(conversation), "split": "test"}]
    read = pa.record_batch(parse_batch(pa.RecordBatch.from_pylist(lines), tools=TOOLS)).to_pylist()
    # A column that is null in a row is one that the row has not: only the names in the message differ.
    expected = documents([{key: value for key, value in line.items() if value is not None} for line in lines], tmp_path)
    found = [json.loads(row["toolglot_document"]) for row in read]
    assert [report.pop("error", None) is None for report in expected] == [row["toolglot_error"] is None for row in read]
    for report in found:
        report.pop("error", None)
    assert found == expected
    assert [[call["name"] for call in row["toolglot_calls"]] for row in read] == [[], ["at"], ["at"], ["at"] * 2, [], [], [], ["at"]]
    assert read[1]["toolglot_calls"] == [{"message": None, "name": "at", "arguments": '{"line":7}', "end": "closed", "dialect": "hermes"}]
    assert read[7]["toolglot_calls"][0]["message"] == 1
    assert [row["toolglot_faulty"] for row in read] == [False, False, True, False, False, False, True, False]
    assert [row["id"] for row in read] == [*range(len(TEXTS)), 9, 10]


def test_columns_are_not_copied() -> None:
    batch = pa.RecordBatch.from_pylist(rows())
    read = pa.record_batch(parse_batch(batch, tools=TOOLS))
    assert read.schema.names == ["id", "text", "split", *(f"toolglot_{name}" for name in ["document", "calls", "faulty", "error"])]
    for name in batch.schema.names:
        ours = [buffer and buffer.address for buffer in read.column(name).buffers()]
        assert ours == [buffer and buffer.address for buffer in batch.column(name).buffers()], name


def test_a_stream_is_read_batch_by_batch() -> None:
    asked: list[int] = []

    def batches() -> Any:
        for n in range(5):
            asked.append(n)
            yield pa.RecordBatch.from_pylist(rows())

    stream = pa.RecordBatchReader.from_batches(pa.RecordBatch.from_pylist(rows()).schema, batches())
    read = pa.RecordBatchReader.from_stream(parse_batch(stream, tools=TOOLS))
    assert asked == []
    first = read.read_next_batch()
    assert asked == [0] and first.num_rows == len(TEXTS)
    assert sum(batch.num_rows for batch in read) == 4 * len(TEXTS)


def test_an_error_of_the_stream_is_raised() -> None:
    def batches() -> Any:
        yield pa.RecordBatch.from_pylist(rows())
        raise ValueError("the disk is gone")

    stream = pa.RecordBatchReader.from_batches(pa.RecordBatch.from_pylist(rows()).schema, batches())
    read = pa.RecordBatchReader.from_stream(parse_batch(stream))
    read.read_next_batch()
    with pytest.raises(Exception, match="the disk is gone"):
        read.read_next_batch()


@pytest.mark.parametrize("rows_of", [1, 3, 100])
def test_an_answer_does_not_depend_on_batches(rows_of: int) -> None:
    table = pa.Table.from_pylist(rows() * 4)
    whole = pa.table(parse_batch(table.combine_chunks(), tools=TOOLS))
    parts = pa.Table.from_batches(table.combine_chunks().to_batches(max_chunksize=rows_of))
    assert pa.table(parse_batch(parts, tools=TOOLS)).combine_chunks() == whole.combine_chunks()


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view", "dictionary"])
def test_texts_come_in_any_type(kind: str) -> None:
    types = {"string": pa.string(), "large_string": pa.large_string(), "string_view": pa.string_view(), "dictionary": pa.dictionary(pa.int32(), pa.string())}
    batch = pa.record_batch({"text": pa.array(TEXTS).cast(pa.string()).cast(types[kind])})
    expected = pa.record_batch(parse_batch(pa.record_batch({"text": TEXTS}), tools=TOOLS))
    assert pa.record_batch(parse_batch(batch, tools=TOOLS)).column("toolglot_document") == expected.column("toolglot_document")


def test_rows_bring_their_own_tools() -> None:
    other = [{"name": "at", "parameters": {"type": "object", "properties": {"line": {"type": "string"}}}}]
    batch = pa.RecordBatch.from_pylist([{"text": CALL, "tools": json.dumps(other)}, {"text": CALL, "tools": None}])
    calls = pa.record_batch(parse_batch(batch, tools=TOOLS)).column("toolglot_calls").to_pylist()
    assert [call[0]["arguments"] for call in calls] == ['{"line":"7"}', '{"line":7}']


def test_bad_input_gets_an_error_that_names_it() -> None:
    batch = pa.RecordBatch.from_pylist([{"prompt": "x", "answer": "y"}])
    with pytest.raises(toolglot.Error, match="no column `messages` or .*; the table has `prompt`, `answer`"):
        parse_batch(batch)
    assert pa.record_batch(parse_batch(batch, column="answer")).num_rows == 1
    with pytest.raises(toolglot.Error, match="`toolglot_calls` already"):
        parse_batch(pa.RecordBatch.from_pylist([{"text": "x", "toolglot_calls": 1}]))
    with pytest.raises(toolglot.DialectError, match="hermess"):
        parse_batch(pa.RecordBatch.from_pylist(rows()), dialect="hermess")
    with pytest.raises(toolglot.ToolsError) as raised:
        parse_batch(pa.RecordBatch.from_pylist(rows()), tools=[{"name": 7}])
    assert raised.value.place == "/0"
    with pytest.raises((TypeError, ValueError)):
        parse_batch([1, 2])


def test_an_empty_table_stays_empty() -> None:
    empty = pa.RecordBatch.from_pylist(rows()).slice(0, 0)
    assert pa.record_batch(parse_batch(empty)).num_rows == 0
    assert pa.table(parse_batch(pa.Table.from_batches([], schema=empty.schema))).num_rows == 0


def test_pandas_gives_and_takes() -> None:
    pd = pytest.importorskip("pandas", reason="SKIPPED: pandas is not here")
    frame = pa.table(parse_batch(pd.DataFrame(rows()), tools=TOOLS)).to_pandas()
    assert list(frame["toolglot_faulty"]) == [False, False, True, False, False, False]


def test_polars_gives_and_takes() -> None:
    pl = pytest.importorskip("polars", reason="SKIPPED: polars is not here")
    frame = pl.DataFrame(parse_batch(pl.DataFrame(rows()), tools=TOOLS))
    assert frame["toolglot_faulty"].to_list() == [False, False, True, False, False, False]
    assert frame.explode("toolglot_calls").unnest("toolglot_calls")["name"].drop_nulls().to_list() == ["at"] * 4


def test_duckdb_gives_and_takes() -> None:
    duckdb = pytest.importorskip("duckdb", reason="SKIPPED: duckdb is not here")
    texts = pa.Table.from_pylist(rows())
    read = pa.table(parse_batch(duckdb.sql("select * from texts"), tools=TOOLS))
    assert duckdb.sql("select count(*), sum(toolglot_faulty::int) from read").fetchall() == [(texts.num_rows, 1)]
