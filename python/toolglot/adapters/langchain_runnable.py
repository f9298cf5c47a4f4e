"""Runnables for LangChain: one reads the calls of a model's text, one gives a chat model of texts native tools."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, convert_to_messages, convert_to_openai_messages
from langchain_core.messages.tool import invalid_tool_call, tool_call, tool_call_chunk
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langchain_core.utils.function_calling import convert_to_openai_tool

import toolglot
from toolglot.adapters._answer import AnswerStream, Delta, fields_of
from toolglot.adapters._text_request import TextRequest


def bind_text_tools(model: BaseChatModel, tools: Sequence[Any], dialect: str = "hermes") -> Runnable[Any, AIMessage]:
    """As `model.bind_tools(tools)` of a model that has native tools: they are taught in a dialect.

    Earlier calls and results of the conversation go to the model as texts of it.
    """
    functions = _functions(tools)

    def teach(value: Any) -> list[BaseMessage]:
        messages = value.to_messages() if isinstance(value, PromptValue) else value
        messages = convert_to_messages([("user", messages)] if isinstance(messages, str) else messages)
        asked = TextRequest({"messages": convert_to_openai_messages(messages), "tools": functions}, dialect)
        return convert_to_messages(asked.body["messages"])

    return RunnableLambda(teach) | model | ToolCallReader(dialect, functions)


class ToolCallReader(Runnable[Any, AIMessage]):
    """Reads the calls of an `AIMessage` or a text, whole or streamed: `model | ToolCallReader("hermes", tools)`.

    `tools` are those that the text was written for, as `bind_tools` takes them, if they are known.
    """

    def __init__(self, dialect: str = "auto", tools: Sequence[Any] | None = None) -> None:
        self._dialect = dialect
        self._tools = _functions(tools) if tools else None

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AIMessage:
        return self._call_with_config(self._read, input, config)

    def transform(self, input: Iterator[Any], config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[AIMessage]:
        yield from self._transform_stream_with_config(input, self._chunks, config)

    async def atransform(
        self, input: AsyncIterator[Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[AIMessage]:
        async for chunk in self._atransform_stream_with_config(input, self._achunks, config):
            yield chunk

    def _read(self, input: Any) -> AIMessage:
        message = _message(input)
        stream = self._stream()
        one, other = stream.push(message.text), stream.finish(_finish(message))
        delta = Delta(one.content + other.content, one.reasoning + other.reasoning, one.calls + other.calls)
        kept = message.model_dump(include={"id", "name", "additional_kwargs", "response_metadata", "usage_metadata"})
        return AIMessage(**{**kept, **_fields(delta, kept["additional_kwargs"]), **_calls(delta)})

    def _chunks(self, input: Iterator[Any]) -> Iterator[AIMessage]:
        reading = _Reading(self._stream())
        for chunk in input:
            yield reading.chunk(_message(chunk))
        yield reading.last()

    async def _achunks(self, input: AsyncIterator[Any]) -> AsyncIterator[AIMessage]:
        reading = _Reading(self._stream())
        async for chunk in input:
            yield reading.chunk(_message(chunk))
        yield reading.last()

    def _stream(self) -> AnswerStream:
        return AnswerStream(toolglot.Parser(self._dialect, self._tools))


class _Reading:
    """The chunks of one message. The end of the message comes in a chunk of its own."""

    def __init__(self, stream: AnswerStream) -> None:
        self._stream = stream
        self._finish: str = "unknown"
        self._id: str | None = None

    def chunk(self, message: AIMessage) -> AIMessageChunk:
        self._id = message.id or self._id
        finish = _finish(message)
        self._finish = finish if finish != "unknown" else self._finish
        kept = message.model_dump(include={"id", "name", "additional_kwargs", "response_metadata", "usage_metadata"})
        delta = self._stream.push(message.text)
        return AIMessageChunk(**{**kept, **_fields(delta, kept["additional_kwargs"]), "tool_call_chunks": _call_chunks(delta)})

    def last(self) -> AIMessageChunk:
        delta = self._stream.finish(self._finish)
        return AIMessageChunk(**_fields(delta, {}), id=self._id, tool_call_chunks=_call_chunks(delta), chunk_position="last")


def _message(value: Any) -> AIMessage:
    return AIMessage(value) if isinstance(value, str) else value


def _finish(message: AIMessage) -> str:
    metadata = message.response_metadata
    reason = metadata.get("finish_reason", metadata.get("stop_reason", metadata.get("done_reason")))
    known = {"length": "length", "max_tokens": "length", "stop": "stop", "end_turn": "stop", "tool_calls": "stop"}
    return known.get(reason or "", "unknown")


def _functions(tools: Sequence[Any]) -> list[dict[str, Any]]:
    """Tools as functions. One that takes a raw text is a function with one text, as LangChain runs it."""
    functions = []
    for tool in map(convert_to_openai_tool, tools):
        if tool.get("type") == "custom":
            raw = tool.get("custom", tool)
            text = {"type": "object", "properties": {"__arg1": {"type": "string"}}, "required": ["__arg1"]}
            tool = {"type": "function", "function": {"name": raw["name"], "description": raw.get("description", ""), "parameters": text}}
        functions.append(tool)
    return functions


def _fields(delta: Delta, additional: dict[str, Any]) -> dict[str, Any]:
    if delta.reasoning:
        additional = {**additional, "reasoning_content": additional.get("reasoning_content", "") + delta.reasoning}
    return {"content": delta.content, "additional_kwargs": additional}


def _call_chunks(delta: Delta) -> list[Any]:
    functions = [(call["index"], call["id"], call["function"]) for call in delta.calls]
    return [tool_call_chunk(name=function["name"], args=function["arguments"], id=id, index=n) for n, id, function in functions]


def _calls(delta: Delta) -> dict[str, list[Any]]:
    """The calls of a message. Arguments that nest deeper than Python reads are those of an invalid one."""
    calls: list[Any] = []
    invalid: list[Any] = []
    for call in delta.calls:
        function = call["function"]
        fields = fields_of(function["arguments"])
        if fields is None:
            error = "the arguments nest too deeply"
            invalid.append(invalid_tool_call(name=function["name"], args=function["arguments"], id=call["id"], error=error))
        else:
            calls.append(tool_call(name=function["name"], args=fields, id=call["id"]))
    return {"tool_calls": calls, "invalid_tool_calls": invalid}
