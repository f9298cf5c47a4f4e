"""The parser for verl, in verl if it is here, and in its recorded interface."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import sys
from types import ModuleType
from typing import Any, Iterator

import pytest

pytest.importorskip("pydantic", reason="SKIPPED: pydantic is not here")

from interfaces import verl as interface

CALL = "<tool_call>\n<function=at>\n<parameter=line>\n7\n</parameter>\n</function>\n</tool_call>"
TOOL = {"type": "function", "function": {"name": "at", "parameters": {"type": "object", "properties": {"line": {"type": "integer"}}}}}
TEMPLATE = """{% for call in calls %}<tool_call>
<function={{ call.name }}>
{% for key, value in call.arguments|items %}<parameter={{ key }}>
{{ value }}
</parameter>
{% endfor %}</function>
</tool_call>{% endfor %}"""
END, PAD = 1, 0


class Tokenizer:
    """A token for each character, after those of the end and the padding."""

    eos_token_id, pad_token_id = END, PAD
    chat_template = TEMPLATE

    def encode(self, text: str) -> list[int]:
        return [ord(letter) + 2 for letter in text]

    def decode(self, ids: list[int], skip_special_tokens: bool = False) -> str:
        return "".join("<|pad|>" if id == PAD else "<|im_end|>" if id == END else chr(id - 2) for id in ids)


@pytest.fixture(params=["recorded", "recorded without ids", "installed"])
def adapter(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    name = "toolglot.adapters.verl_parser"
    monkeypatch.delitem(sys.modules, name, raising=False)
    if request.param == "installed":
        if importlib.util.find_spec("verl") is None:
            pytest.skip("SKIPPED: verl is not here; its recorded interface is tested alone")
    else:
        for known in [known for known in sys.modules if known == "verl" or known.startswith("verl.")]:
            monkeypatch.delitem(sys.modules, known)
        for known, module in interface.modules(has_ids=request.param == "recorded").items():
            monkeypatch.setitem(sys.modules, known, module)
    monkeypatch.setenv("TOOLGLOT_DIALECT", "qwen3_coder")
    yield importlib.import_module(name)
    monkeypatch.delitem(sys.modules, name)


def read(adapter: ModuleType, text: str, ends: list[int], tools: Any = (TOOL,)) -> tuple[str, list[Any]]:
    tokenizer = Tokenizer()
    parser = adapter.ToolParser.get_tool_parser("toolglot", tokenizer)
    content, calls = asyncio.run(parser.extract_tool_calls(tokenizer.encode(text) + ends, list(tools)))
    return content, [(call.name, json.loads(call.arguments)) for call in calls]


@pytest.mark.parametrize("ends", [[], [END], [END, PAD, PAD]])
def test_tokens_become_calls(adapter: ModuleType, ends: list[int]) -> None:
    assert read(adapter, f"I look.{CALL}{CALL}", ends) == ("I look.", [("at", {"line": 7})] * 2)
    assert read(adapter, "Hello.", ends) == ("Hello.", [])


def test_a_thought_has_no_calls(adapter: ModuleType) -> None:
    other = CALL.replace("7", "8")
    assert read(adapter, f"I could {CALL} or not.</think>Now.{other}", []) == ("Now.", [("at", {"line": 8})])
    assert read(adapter, f"<think>I could {CALL}.</think>Now.{other}", []) == ("Now.", [("at", {"line": 8})])


def test_a_call_that_was_cut_off_is_a_text(adapter: ModuleType) -> None:
    content, calls = read(adapter, CALL[:-40], [])
    assert calls == [] and "was not made" in content


def test_a_call_has_an_id_where_verl_has_one(adapter: ModuleType) -> None:
    tokenizer = Tokenizer()
    parser = adapter.ToolParser.get_tool_parser("toolglot", tokenizer)
    _, calls = asyncio.run(parser.extract_tool_calls(tokenizer.encode(CALL)))
    has_ids = "tool_call_id" in adapter.FunctionCall.model_fields
    assert bool(getattr(calls[0], "tool_call_id", None)) == has_ids


def test_the_dialect_is_that_of_the_chat_template(adapter: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOOLGLOT_DIALECT")
    assert read(adapter, CALL, []) == ("", [("at", {"line": 7})])
