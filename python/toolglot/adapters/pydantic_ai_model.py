"""A model for pydantic-ai that gives agents tools from a model that writes calls as text."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

from pydantic_ai.messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

import toolglot
from toolglot.adapters._answer import AnswerStream, Delta
from toolglot.adapters._text_request import text_messages


class TextToolModel(WrapperModel):
    """Teaches tools in a dialect, sends earlier calls and results as texts, and reads the calls of the answer.

    The tools of an agent's output are taught like its other tools. A text model cannot be made to call one.
    """

    def __init__(self, wrapped: Model | str, dialect: str = "hermes") -> None:
        super().__init__(wrapped)
        self._dialect = dialect

    async def request(
        self, messages: list[ModelMessage], model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> ModelResponse:
        asked = _Asked(messages, model_settings, model_request_parameters, self._dialect)
        response = await self.wrapped.request(asked.messages, asked.settings, asked.parameters)
        stream = asked.stream()
        parts: list[Any] = []
        for part in response.parts:
            if isinstance(part, TextPart):
                parts += _parts(stream.push(part.content))
            else:
                parts.append(part)
        parts += _parts(stream.finish(_finish(response.finish_reason)))
        return replace(response, parts=_joined(parts), finish_reason=_reason(response.finish_reason, stream.n_calls))

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: Any = None,
    ) -> AsyncIterator[StreamedResponse]:
        asked = _Asked(messages, model_settings, model_request_parameters, self._dialect)
        async with self.wrapped.request_stream(asked.messages, asked.settings, asked.parameters, run_context) as response:
            yield TextToolStream(model_request_parameters, response, asked.stream())


class TextToolStream(StreamedResponse):
    """The events of a text with its calls."""

    def __init__(self, parameters: ModelRequestParameters, response: StreamedResponse, stream: AnswerStream) -> None:
        super().__init__(parameters)
        self._response = response
        self._stream = stream

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        async for event in self._response:
            part = event.part if isinstance(event, PartStartEvent) else event.delta if isinstance(event, PartDeltaEvent) else None
            if isinstance(part, TextPart):
                delta = self._stream.push(part.content)
            elif isinstance(part, TextPartDelta):
                delta = self._stream.push(part.content_delta)
            elif isinstance(part, ThinkingPart):
                delta = Delta("", part.content, [])
            elif isinstance(part, ThinkingPartDelta):
                delta = Delta("", part.content_delta or "", [])
            else:
                continue
            for read in self._events(delta):
                yield read
        reason = self._response.finish_reason
        for read in self._events(self._stream.finish(_finish(reason))):
            yield read
        self.finish_reason = _reason(reason, self._stream.n_calls)
        self.provider_response_id = self._response.provider_response_id
        self.provider_details = self._response.provider_details
        self._usage = self._response.usage

    def _events(self, delta: Delta) -> Any:
        if delta.reasoning:
            yield from self._parts_manager.handle_thinking_delta(vendor_part_id=None, content=delta.reasoning)
        if delta.content:
            yield from self._parts_manager.handle_text_delta(vendor_part_id=None, content=delta.content)
        for call in delta.calls:
            function = call["function"]
            yield self._parts_manager.handle_tool_call_part(
                vendor_part_id=call["index"], tool_name=function["name"], args=function["arguments"], tool_call_id=call["id"]
            )

    async def close_stream(self) -> None:
        await self._response.close_stream()

    @property
    def model_name(self) -> str:
        return self._response.model_name

    @property
    def provider_name(self) -> str | None:
        return self._response.provider_name

    @property
    def provider_url(self) -> str | None:
        return self._response.provider_url

    @property
    def timestamp(self) -> datetime:
        return self._response.timestamp


class _Asked:
    """A request as one for text."""

    def __init__(
        self, messages: list[ModelMessage], settings: ModelSettings | None, parameters: ModelRequestParameters, dialect: str
    ) -> None:
        self._dialect = dialect
        self._tools = [_function(tool) for tool in [*parameters.function_tools, *parameters.output_tools]]
        self.messages = _texts(messages, dialect)
        # What a model that is sent no tools does not know.
        left = {"tool_choice", "parallel_tool_calls"}
        self.settings: Any = settings and {key: value for key, value in settings.items() if key not in left}
        instructions = list(parameters.instruction_parts or [])
        if self._tools:
            instructions.append(InstructionPart(content=str(toolglot.prompt(dialect, self._tools))))
        self.parameters = replace(
            parameters, function_tools=[], output_tools=[], output_mode="text", allow_text_output=True, instruction_parts=instructions or None
        )

    def stream(self) -> AnswerStream:
        return AnswerStream(toolglot.Parser(self._dialect, self._tools or None))


def _function(tool: Any) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description or "", "parameters": tool.parameters_json_schema}
    return {"type": "function", "function": function}


def _texts(messages: list[ModelMessage], dialect: str) -> list[ModelMessage]:
    """Messages whose calls and results are texts."""
    chat = [turn for message in messages for turn in _chat(message)]
    texts = iter([message["content"] for message in text_messages(chat, dialect)] if chat else [])
    changed: list[ModelMessage] = []
    for message in messages:
        parts: list[Any] = []
        if isinstance(message, ModelResponse):
            if _chat(message):
                # The text has the calls and what stood before them.
                parts = [part for part in message.parts if not isinstance(part, (TextPart, ToolCallPart))]
                changed.append(replace(message, parts=[*parts, TextPart(next(texts))]))
            else:
                changed.append(message)
            continue
        results: list[str] = []
        for part in message.parts:
            if _result(part) is None:
                parts.append(part)
            else:
                results.append(next(texts))
        # A model reads results first, as with native tools.
        before: list[Any] = [UserPromptPart("\n".join(results))] if results else []
        changed.append(replace(message, parts=[*before, *parts]))
    return changed


def _chat(message: ModelMessage) -> list[dict[str, Any]]:
    """The calls or results of a message, as messages of OpenAI's chat API."""
    if isinstance(message, ModelRequest):
        results = [result for part in message.parts if (result := _result(part)) is not None]
        return [{"role": "tool", "tool_call_id": id, "content": text} for id, text in results]
    calls = [
        {"id": part.tool_call_id, "type": "function", "function": {"name": part.tool_name, "arguments": part.args_as_json_str()}}
        for part in message.parts
        if isinstance(part, ToolCallPart)
    ]
    text = "".join(part.content for part in message.parts if isinstance(part, TextPart))
    return [{"role": "assistant", "content": text, "tool_calls": calls}] if calls else []


def _result(part: Any) -> tuple[str, str] | None:
    """The id and the text of a result; `None` for another part."""
    if part.part_kind == "tool-return":
        return part.tool_call_id, part.model_response_str()
    if part.part_kind == "retry-prompt" and part.tool_name is not None:
        return part.tool_call_id, part.model_response()
    return None


def _parts(delta: Delta) -> list[Any]:
    parts: list[Any] = []
    if delta.reasoning:
        parts.append(ThinkingPart(delta.reasoning))
    if delta.content:
        parts.append(TextPart(delta.content))
    for call in delta.calls:
        function = call["function"]
        parts.append(ToolCallPart(function["name"], function["arguments"], tool_call_id=call["id"]))
    return parts


def _joined(parts: list[Any]) -> list[Any]:
    """Parts of which no two texts follow each other."""
    joined: list[Any] = []
    for part in parts:
        if joined and isinstance(part, (TextPart, ThinkingPart)) and type(part) is type(joined[-1]):
            joined[-1] = replace(joined[-1], content=joined[-1].content + part.content)
        else:
            joined.append(part)
    return joined


def _finish(reason: str | None) -> str:
    return {"length": "length", "stop": "stop", "tool_call": "stop"}.get(reason or "", "unknown")


def _reason(reason: Any, n_calls: int) -> Any:
    """An answer that was cut off stays so, whatever calls it has."""
    return "tool_call" if n_calls and reason != "length" else reason
