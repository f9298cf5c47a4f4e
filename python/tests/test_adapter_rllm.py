"""The parser for rllm, in its recorded interface: the package is not on PyPI."""

from __future__ import annotations

import importlib
import json
import sys
from types import ModuleType
from typing import Iterator

import pytest

from interfaces import rllm as interface

CALL = '<tool_call>{"name": "at", "arguments": {"line": 7}}</tool_call>'
TOOL = {"type": "function", "function": {"name": "at", "parameters": {"type": "object", "properties": {"line": {"type": "integer"}}}}}


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    name = "toolglot.adapters.rllm_parser"
    monkeypatch.delitem(sys.modules, name, raising=False)
    for known, module in interface.modules().items():
        monkeypatch.setitem(sys.modules, known, module)
    monkeypatch.delenv("TOOLGLOT_DIALECT", raising=False)
    yield importlib.import_module(name)
    monkeypatch.delitem(sys.modules, name)


def test_agents_find_it_by_name(adapter: ModuleType) -> None:
    parser = adapter.PARSER_REGISTRY["toolglot"]()
    assert parser.parse(f"I look.{CALL}") == [interface.ToolCall("at", {"line": 7})]
    assert parser.parse(f"I could {CALL}.</think>No.") == []
    assert parser.parse(CALL[:-15]) == []


OTHER = {"type": "function", "function": {"name": "ls", "parameters": {"type": "object", "properties": {}}}}


@pytest.mark.parametrize("schema", [json.dumps([TOOL, OTHER], indent=2), f"{json.dumps(TOOL)}\n{json.dumps(OTHER)}"])
def test_the_tools_are_taught_and_values_get_their_types(adapter: ModuleType, schema: str) -> None:
    parser = adapter.ToolglotToolParser("qwen3_coder")
    prompt = parser.get_tool_prompt(schema)
    assert prompt.startswith("\n\n") and "<function=" in prompt and "at" in prompt
    text = "<tool_call>\n<function=at>\n<parameter=line>\n7\n</parameter>\n</function>\n</tool_call>"
    assert parser.parse(text) == [interface.ToolCall("at", {"line": 7})]


def test_arguments_too_deep_for_python_are_no_call(adapter: ModuleType) -> None:
    deep = '{"name": "at", "arguments": {"a": ' + "[" * 100_000 + "]" * 100_000 + "}}"
    assert adapter.ToolglotToolParser().parse(f"<tool_call>{deep}</tool_call>") == []
