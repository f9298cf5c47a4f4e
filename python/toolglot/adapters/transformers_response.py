"""`parse_response` as tokenizers of transformers have it, for any dialect and without a response template."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import toolglot
from toolglot.adapters._answer import fields_of
from toolglot.adapters._dialect import dialect_of


def parse_response(
    response: Any,
    tokenizer: Any = None,
    *,
    prefix: Any = None,
    tools: Any = None,
    dialect: str | None = None,
) -> Any:
    """The message of a generated text: `role`, `content`, `thinking` and `tool_calls`, whose arguments are dicts.

    Arguments that nest deeper than Python reads stay JSON text.

    `response` and `prefix` are texts or tokens, or lists of them; tokens need the tokenizer.
    `prefix` is the prompt, whose end may have opened the reasoning.
    Without `dialect` it is that of the tokenizer's chat template, or any.
    """
    texts, is_batch = _texts(response, tokenizer)
    prefixes, _ = ([None], False) if prefix is None else _texts(prefix, tokenizer)
    if len(prefixes) not in (1, len(texts)):
        raise ValueError(f"{len(texts)} responses and {len(prefixes)} prefixes: give one prefix, or one for each response")
    if len(prefixes) == 1:
        prefixes = prefixes * len(texts)
    named = dialect or dialect_of(tokenizer)
    messages = [_message(text, named, before, tools) for text, before in zip(texts, prefixes)]
    return messages if is_batch else messages[0]


def _message(text: str, dialect: str, prefix: str | None, tools: Any) -> dict[str, Any]:
    read = toolglot.parse(text, dialect, tools, prompt_tail=prefix, finish="unknown").to_openai()
    message: dict[str, Any] = {"role": "assistant"}
    if read.get("content"):
        message["content"] = read["content"]
    if read.get("reasoning_content"):
        message["thinking"] = read["reasoning_content"]
    calls = read.get("tool_calls", [])
    if calls:
        message["tool_calls"] = [_call(call) for call in calls]
    return message


def _call(call: dict[str, Any]) -> dict[str, Any]:
    if call["type"] == "custom":
        return {"type": "custom", "custom": call["custom"]}
    function = call["function"]
    fields = fields_of(function["arguments"])
    arguments = function["arguments"] if fields is None else fields
    return {"type": "function", "function": {"name": function["name"], "arguments": arguments}}


def _texts(value: Any, tokenizer: Any) -> tuple[list[Any], bool]:
    """The texts, and whether there may be several."""
    if isinstance(value, str):
        return [value], False
    if isinstance(value, Sequence) and (not value or isinstance(value[0], str)):
        return list(value), True
    if tokenizer is None:
        raise TypeError("tokens need the tokenizer: parse_response(tokens, tokenizer)")
    rows = value.tolist() if hasattr(value, "tolist") else list(value)
    if rows and isinstance(rows[0], int):
        return [tokenizer.decode(rows)], False
    return [tokenizer.decode(list(row)) for row in rows], True
