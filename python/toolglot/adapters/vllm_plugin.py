"""A tool parser and a reasoning parser for vLLM, from 0.20 on, both by the name `toolglot`.

The dialect is that of the chat template; `TOOLGLOT_DIALECT` names another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import uuid4

from vllm.reasoning import ReasoningParser, ReasoningParserManager
from vllm.tool_parsers import ToolParser, ToolParserManager

try:
    from vllm.entrypoints.generate.base import protocol
except ImportError:
    # Before 0.33 the same types have another place.
    from vllm.entrypoints.openai.engine import protocol

import toolglot
from toolglot.adapters._answer import AnswerStream, Delta
from toolglot.adapters._dialect import dialect_of, named_dialect
from toolglot.adapters._reasoning import ReasoningStream, is_open, markers

# As much of a prompt as shows whether it opens the reasoning.
_TAIL_TOKENS = 64


class ToolglotToolParser(ToolParser):
    """Gives vLLM the calls that are closed; another stays a text that says why it was not made."""

    # vLLM calls `finish_streaming` of parsers that say so.
    engine_based_streaming = True

    def __init__(self, tokenizer: Any, tools: Any = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(tokenizer, tools, *args, **kwargs)
        self._dialect = named_dialect() or dialect_of(tokenizer)
        self._stream: AnswerStream | None = None

    def adjust_request(self, request: Any) -> Any:
        request = super().adjust_request(request)
        if request.tools and request.tool_choice != "none":
            # Markers are special tokens of many models.
            request.skip_special_tokens = False
        return request

    def extract_tool_calls(self, model_output: str, request: Any) -> Any:
        reasoning = ReasoningStream(self._dialect)
        _, rest = reasoning.push(model_output)
        rest += reasoning.finish()[1]
        message = toolglot.parse(rest, self._dialect, _tools(request), finish="unknown").to_openai(seed=uuid4().hex)
        # Without a reasoning parser the reasoning belongs to the content, as in vLLM's own parsers.
        content = model_output[: len(model_output) - len(rest)] + (message.get("content") or "")
        calls = message.get("tool_calls", [])
        return protocol.ExtractedToolCallInformation(
            tools_called=bool(calls), tool_calls=[protocol.ToolCall(**call) for call in calls], content=content or None
        )

    def extract_tool_calls_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
        request: Any,
    ) -> Any:
        if self._stream is None:
            self._stream = AnswerStream(toolglot.Parser(self._dialect, _tools(request)))
        delta = self._stream.push(delta_text)
        if getattr(self.model_tokenizer, "eos_token_id", None) in delta_token_ids:
            delta = _joined(delta, self._stream.finish("stop"))
        return self._message(delta)

    def finish_streaming(self) -> Any:
        """The rest of the message, for versions of vLLM that ask for it."""
        return None if self._stream is None else self._message(self._stream.finish("unknown"))

    def _message(self, delta: Delta) -> Any:
        if delta.is_empty:
            return None
        # vLLM reads from these whether there were calls, and what of them was not sent.
        for call in delta.calls:
            self.current_tool_id = call["index"]
            self.current_tool_name_sent = True
            self.prev_tool_call_arr.append(dict(call["function"]))
            self.streamed_args_for_tool.append(call["function"]["arguments"])
        fields: dict[str, Any] = {"tool_calls": [protocol.DeltaToolCall(**call) for call in delta.calls]}
        if delta.content:
            fields["content"] = delta.content
        if delta.reasoning:
            fields["reasoning"] = delta.reasoning
        return protocol.DeltaMessage(**fields)


class ToolglotReasoningParser(ReasoningParser):
    """Gives vLLM the reasoning; what follows it stays as the model wrote it, for the tool parser."""

    engine_based_streaming = True

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(tokenizer, *args, **kwargs)
        self._dialect = named_dialect() or dialect_of(tokenizer)
        self._prompt_tail: str | None = None
        self._stream: ReasoningStream | None = None

    @property
    def reasoning_start_str(self) -> str | None:
        known = markers(self._dialect)
        return known[0] if known else None

    @property
    def reasoning_end_str(self) -> str | None:
        known = markers(self._dialect)
        return known[1] if known else None

    def set_prompt_token_ids(self, prompt_token_ids: Sequence[int]) -> None:
        self._prompt_tail = self.model_tokenizer.decode(list(prompt_token_ids[-_TAIL_TOKENS:]), skip_special_tokens=False)

    def adjust_initial_state_from_prompt(self, prompt_token_ids: Sequence[int]) -> None:
        self.set_prompt_token_ids(prompt_token_ids)

    def has_engine_confirmed_reasoning_end(self) -> bool:
        return self._stream is not None and self._stream.has_ended

    def is_reasoning_end(self, input_ids: Sequence[int]) -> bool:
        if self._stream is None and self._prompt_tail is None:
            # The first that versions without `set_prompt_token_ids` ask about is the prompt.
            self.set_prompt_token_ids(input_ids)
        closed = self._last(input_ids, self.reasoning_end_str)
        return closed is not None and closed > (self._last(input_ids, self.reasoning_start_str) or 0)

    def is_reasoning_end_streaming(self, input_ids: Sequence[int], delta_ids: Iterable[int]) -> bool:
        if self._stream is not None:
            return self._stream.has_ended
        closer = self._ids(self.reasoning_end_str)
        recent = input_ids[-(len(list(delta_ids)) + len(closer)) :]
        return self._last(recent, self.reasoning_end_str) is not None

    def extract_content_ids(self, input_ids: list[int]) -> list[int]:
        closed = self._last(input_ids, self.reasoning_end_str)
        return [] if closed is None else list(input_ids[closed:])

    def extract_reasoning(self, model_output: str, request: Any) -> tuple[str | None, str | None]:
        # Where the prompt is not known, the text says whether it opened the reasoning.
        opened = self._prompt_tail is None and is_open(self._dialect, model_output)
        stream = ReasoningStream(self._dialect, prompt_tail=self._prompt_tail, reasoning_open=opened)
        reasoning, content = stream.push(model_output)
        last_reasoning, last_content = stream.finish()
        return (reasoning + last_reasoning) or None, (content + last_content) or None

    def extract_reasoning_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
    ) -> Any:
        if self._stream is None:
            self._stream = ReasoningStream(self._dialect, prompt_tail=self._prompt_tail)
        return self._message(*self._stream.push(delta_text))

    def finish_streaming(self) -> Any:
        """What was held, for versions of vLLM that ask for it."""
        return None if self._stream is None else self._message(*self._stream.finish())

    def _message(self, reasoning: str, content: str) -> Any:
        if not (reasoning or content):
            return None
        return protocol.DeltaMessage(reasoning=reasoning or None, content=content or None)

    def _ids(self, text: str | None) -> list[int]:
        return list(self.model_tokenizer.encode(text, add_special_tokens=False)) if text else []

    def _last(self, ids: Sequence[int], text: str | None) -> int | None:
        """The place after the last occurrence of a text."""
        wanted = self._ids(text)
        for start in range(len(ids) - len(wanted), -1, -1):
            if wanted and list(ids[start : start + len(wanted)]) == wanted:
                return start + len(wanted)
        return None


def _tools(request: Any) -> list[dict[str, Any]] | None:
    tools = getattr(request, "tools", None)
    return [tool if isinstance(tool, dict) else tool.model_dump(exclude_none=True) for tool in tools] if tools else None


def _joined(one: Delta, other: Delta) -> Delta:
    return Delta(one.content + other.content, one.reasoning + other.reasoning, one.calls + other.calls)


ToolParserManager.register_module("toolglot", module=ToolglotToolParser)
ReasoningParserManager.register_module("toolglot", module=ToolglotReasoningParser)
