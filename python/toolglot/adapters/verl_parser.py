"""A tool parser for verl, and so for uni-agent's gateway, by the name `toolglot`.

`VERL_USE_EXTERNAL_MODULES=toolglot.adapters.verl_parser` lets verl import it, in each of its workers.
The dialect is that of the chat template; `TOOLGLOT_DIALECT` names another.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from verl.experimental.agent_loop.tool_parser import FunctionCall, ToolParser

import toolglot
from toolglot.adapters._dialect import dialect_of, named_dialect
from toolglot.adapters._reasoning import is_open


@ToolParser.register("toolglot")
class ToolglotToolParser(ToolParser):
    """Gives verl the calls that are closed; another stays a text that says why it was not made.

    A thought has no calls, also where the prompt has opened it.
    """

    def __init__(self, tokenizer: Any) -> None:
        super().__init__(tokenizer)
        self._dialect = named_dialect() or dialect_of(tokenizer)

    async def extract_tool_calls(self, responses_ids: list[int], tools: list[Any] | None = None) -> tuple[str, list[Any]]:
        # Markers are special tokens of many models; the end of a turn and padding are none of the text.
        text = self.tokenizer.decode(_without_end(list(responses_ids), self.tokenizer), skip_special_tokens=False)
        functions = [tool if isinstance(tool, dict) else tool.model_dump(exclude_none=True) for tool in tools or []]
        message = toolglot.parse(
            text, self._dialect, functions or None, reasoning_open=is_open(self._dialect, text), finish="unknown"
        ).to_openai(seed=uuid4().hex)
        calls = [(call["id"], call["function"]) for call in message.get("tool_calls", [])]
        return message.get("content") or "", [_function_call(id, function) for id, function in calls]


def _function_call(id: str, function: dict[str, str]) -> Any:
    fields = {"name": function["name"], "arguments": function["arguments"]}
    # Earlier versions of verl have no ids.
    return FunctionCall(**fields, **({"tool_call_id": id} if "tool_call_id" in FunctionCall.model_fields else {}))


def _without_end(ids: list[int], tokenizer: Any) -> list[int]:
    ends = {getattr(tokenizer, "eos_token_id", None), getattr(tokenizer, "pad_token_id", None)} - {None}
    while ids and ids[-1] in ends:
        ids.pop()
    return ids
