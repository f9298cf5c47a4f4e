"""Reads the tool calls in tables: of pandas, Polars, DuckDB, PyArrow, and all that speaks Arrow's PyCapsule interface."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from ._toolglot_arrow import BatchParser, __version__

__all__ = ["__version__", "parse_batch"]


def parse_batch(
    table: Any,
    *,
    dialect: str = "auto",
    tools: Any = None,
    column: str | None = None,
    tools_column: str = "tools",
    prefix: str = "toolglot_",
) -> Any:
    """The table with four columns more: `document`, `calls`, `faulty` and `error`, with the prefix before their names.

    `table` has `__arrow_c_array__` or `__arrow_c_stream__`, and so has the answer. The columns of the table are not copied.
    A stream is read batch by batch, when the answer is asked for its batches.

    `column` is that of the texts or conversations; without it the first of `messages`, `conversations`, `text` and `input`.
    `tools` are those of rows that have none under `tools_column`: a list or dict of any usual shape, or JSON text.
    """
    return _parser(dialect, _text(tools), column, tools_column, prefix).parse(table)


@lru_cache(maxsize=16)
def _parser(dialect: str, tools: str | None, column: str | None, tools_column: str, prefix: str) -> BatchParser:
    return BatchParser(dialect, tools, column, tools_column, prefix)


def _text(tools: Any) -> str | None:
    if tools is None or isinstance(tools, str):
        return tools
    if isinstance(tools, (list, tuple)) and any(callable(tool) for tool in tools):
        from toolglot._tools import described

        tools = described(tools)
    return json.dumps(tools)
