"""A tool parser for rllm, by the name `toolglot`: `ToolAgent(parser_name="toolglot")` after an import of this module.

`TOOLGLOT_DIALECT` names the dialect that is taught and read; without it that is `hermes`.
"""

from __future__ import annotations

import json
from typing import Any

from rllm.parser import PARSER_REGISTRY
from rllm.parser.tool_parser import ToolParser
from rllm.tools.tool_base import ToolCall

import toolglot
from toolglot.adapters._answer import fields_of
from toolglot.adapters._dialect import named_dialect
from toolglot.adapters._reasoning import is_open


class ToolglotToolParser(ToolParser):
    """Gives rllm the calls that are closed. A thought has no calls, also where the prompt has opened it.

    The tools that the model was taught by `get_tool_prompt` are those that its text is read for.
    """

    def __init__(self, dialect: str | None = None) -> None:
        self._dialect = dialect or named_dialect() or "hermes"
        self._tools: list[Any] | None = None

    def parse(self, model_response: str) -> list[Any]:
        message = toolglot.parse(
            model_response, self._dialect, self._tools, reasoning_open=is_open(self._dialect, model_response), finish="unknown"
        ).to_openai()
        calls = []
        for call in message.get("tool_calls", []):
            name, text = call["function"]["name"], call["function"]["arguments"]
            fields = fields_of(text)
            if fields is not None:
                calls.append(ToolCall(name=name, arguments=fields))
        return calls

    def get_tool_prompt(self, tools_schema: str) -> str:
        """The instructions for tools in JSON, as rllm's agents have them: a list, or one after another on lines."""
        self._tools = _tools(tools_schema) or None
        return "\n\n" + str(toolglot.prompt(self._dialect, self._tools or []))


def _tools(text: str) -> list[Any]:
    decoder = json.JSONDecoder()
    tools: list[Any] = []
    text = text.strip()
    while text:
        value, end = decoder.raw_decode(text)
        tools += value if isinstance(value, list) else [value]
        text = text[end:].lstrip(", \n")
    return tools


PARSER_REGISTRY["toolglot"] = ToolglotToolParser
