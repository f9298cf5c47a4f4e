"""The detector for SGLang, in SGLang if it is here, and in its recorded interface."""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from types import ModuleType
from typing import Any, Iterator

import pytest

pytest.importorskip("pydantic", reason="SKIPPED: pydantic is not here")

from pydantic import BaseModel

from interfaces import sglang as interface

CALL = '<tool_call>{"name": "at", "arguments": {"line": 7}}</tool_call>'
CUT = '<tool_call>{"name": "at", "arguments": {"line": 7'
FUNCTION = {"name": "at", "parameters": {"type": "object", "properties": {"line": {"type": "integer"}}}}


class Function(BaseModel):
    name: str
    parameters: dict[str, Any]


class Tool(BaseModel):
    type: str = "function"
    function: Function


TOOLS = [Tool(function=Function(name="ls", parameters={"type": "object"})), Tool(function=Function(**FUNCTION))]


@pytest.fixture(params=["recorded", "installed"])
def adapter(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    name = "toolglot.adapters.sglang_detector"
    monkeypatch.delitem(sys.modules, name, raising=False)
    if request.param == "installed":
        if importlib.util.find_spec("sglang") is None:
            pytest.skip("SKIPPED: SGLang is not here; its recorded interface is tested alone")
    else:
        for known in [known for known in sys.modules if known == "sglang" or known.startswith("sglang.")]:
            monkeypatch.delitem(sys.modules, known)
        for known, module in interface.modules().items():
            monkeypatch.setitem(sys.modules, known, module)
    monkeypatch.setenv("TOOLGLOT_DIALECT", "hermes")
    yield importlib.import_module(name)
    monkeypatch.delitem(sys.modules, name)


def test_it_is_registered(adapter: ModuleType) -> None:
    assert adapter.FunctionCallParser.ToolCallParserEnum["toolglot"] is adapter.ToolglotDetector


@pytest.mark.parametrize("text", ["", "Hello <tool", f"a{CALL}", f"a{CALL} b {CALL}", f"a{CUT}", f"a{CALL} b {CUT}"])
def test_a_stream_has_what_the_whole_text_has(adapter: ModuleType, text: str) -> None:
    whole = adapter.ToolglotDetector().detect_and_parse(text, TOOLS)
    detector = adapter.ToolglotDetector()
    results = [detector.parse_streaming_increment(letter, TOOLS) for letter in text] + [detector.finish(TOOLS)]
    assert "".join(result.normal_text for result in results) == whole.normal_text
    calls = [call for result in results for call in result.calls]
    assert [(call.name, call.parameters) for call in calls] == [(call.name, call.parameters) for call in whole.calls]
    assert [json.loads(call.parameters) for call in calls] == [{"line": 7}] * text.count(CALL)
    assert [call.tool_index for call in calls] == list(range(len(calls)))
    assert [call.tool_index for call in whole.calls] == [1] * len(calls)
    assert ("was not made" in whole.normal_text) == text.endswith(CUT)
    assert len(detector.prev_tool_call_arr) == len(detector.streamed_args_for_tool) == len(calls)
    assert detector.has_tool_call(text) == ("<tool_call>" in text)
