"""`parse_response`, with a tokenizer of transformers where that is here."""

from __future__ import annotations

from typing import Any

import pytest

from toolglot.adapters.transformers_response import parse_response

CALL = "<tool_call>\n<function=at>\n<parameter=line>\n7\n</parameter>\n</function>\n</tool_call>"
TOOLS: Any = [{"type": "function", "function": {"name": "at", "parameters": {"type": "object", "properties": {"line": {"type": "integer"}}}}}]
CALLS = [{"type": "function", "function": {"name": "at", "arguments": {"line": 7}}}]


def test_a_text_becomes_a_message() -> None:
    read = parse_response(f"I look.</think>Now.{CALL}", prefix="<think>\n", tools=TOOLS, dialect="qwen3_coder")
    assert read == {"role": "assistant", "content": "Now.", "thinking": "I look.", "tool_calls": CALLS}
    assert parse_response("Hello.") == {"role": "assistant", "content": "Hello."}
    assert parse_response("") == {"role": "assistant"}


def test_a_call_that_was_cut_off_is_a_text() -> None:
    read = parse_response(CALL[:-40], tools=TOOLS, dialect="qwen3_coder")
    assert "tool_calls" not in read and "was not made" in read["content"]


def test_several_texts_become_several_messages() -> None:
    assert [set(read) for read in parse_response([CALL, "x"], prefix="", tools=TOOLS)] == [{"role", "tool_calls"}, {"role", "content"}]
    assert parse_response([]) == []
    with pytest.raises(ValueError, match="3 responses and 2 prefixes"):
        parse_response(["a", "b", "c"], prefix=["", ""])


def test_tokens_are_decoded_by_the_tokenizer() -> None:
    with pytest.raises(TypeError, match="tokenizer"):
        parse_response([1, 2])
    transformers = pytest.importorskip("transformers", reason="SKIPPED: transformers is not here")
    tokenizer = transformers.ByT5Tokenizer()
    ids = tokenizer.encode(CALL, add_special_tokens=False)
    assert parse_response(ids, tokenizer, tools=TOOLS)["tool_calls"] == CALLS
    assert [read["tool_calls"] for read in parse_response([ids, ids], tokenizer, tools=TOOLS)] == [CALLS, CALLS]
