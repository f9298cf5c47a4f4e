"""A detector for SGLang, by the name `toolglot`. `python -m` of this module starts SGLang with it.

`TOOLGLOT_DIALECT` names the dialect; without it the detector reads any.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from sglang.srt.function_call.base_format_detector import BaseFormatDetector
from sglang.srt.function_call.core_types import StreamingParseResult, ToolCallItem
from sglang.srt.function_call.function_call_parser import FunctionCallParser

import toolglot
from toolglot.adapters._answer import AnswerStream, Delta
from toolglot.adapters._dialect import named_dialect


class ToolglotDetector(BaseFormatDetector):
    """Gives SGLang the calls that are closed; another stays a text that says why it was not made.

    SGLang's reasoning parser comes before it. Without that one, the reasoning is a part of the text.
    """

    def __init__(self) -> None:
        super().__init__()
        self._dialect = named_dialect() or "auto"
        self._stream: AnswerStream | None = None

    def has_tool_call(self, text: str) -> bool:
        return bool(toolglot.parse(text, self._dialect).calls)

    def detect_and_parse(self, text: str, tools: list[Any]) -> Any:
        message = toolglot.parse(text, self._dialect, _tools(tools), finish="unknown").to_openai(seed=uuid4().hex)
        # SGLang numbers the calls of a whole text by their tools.
        places = {tool.function.name: place for place, tool in enumerate(tools)}
        calls = [
            ToolCallItem(tool_index=places.get(function["name"], -1), name=function["name"], parameters=function["arguments"])
            for function in (call["function"] for call in message.get("tool_calls", []))
        ]
        return StreamingParseResult(normal_text=(message.get("reasoning_content") or "") + (message.get("content") or ""), calls=calls)

    def parse_streaming_increment(self, new_text: str, tools: list[Any]) -> Any:
        if self._stream is None:
            self._stream = AnswerStream(toolglot.Parser(self._dialect, _tools(tools)))
        return self._result(self._stream.push(new_text))

    def finish(self, tools: list[Any]) -> Any:
        """The rest of the message."""
        return self._result(Delta("", "", []) if self._stream is None else self._stream.finish("unknown"))

    def supports_structural_tag(self) -> bool:
        return False

    def structure_info(self) -> Any:
        raise NotImplementedError("toolglot constrains nothing while a model writes")

    def _result(self, delta: Delta) -> Any:
        calls = []
        for call in delta.calls:
            function = call["function"]
            # SGLang reads from these whether there were calls, and what of them was not sent.
            self.current_tool_id = call["index"]
            self.current_tool_name_sent = True
            self.prev_tool_call_arr.append(dict(function))
            self.streamed_args_for_tool.append(function["arguments"])
            calls.append(ToolCallItem(tool_index=call["index"], name=function["name"], parameters=function["arguments"]))
        return StreamingParseResult(normal_text=delta.reasoning + delta.content, calls=calls)


def _tools(tools: list[Any]) -> list[dict[str, Any]] | None:
    return [tool.model_dump(exclude_none=True) for tool in tools] or None


FunctionCallParser.ToolCallParserEnum["toolglot"] = ToolglotDetector

if __name__ == "__main__":
    import runpy

    runpy.run_module("sglang.launch_server", run_name="__main__", alter_sys=True)
