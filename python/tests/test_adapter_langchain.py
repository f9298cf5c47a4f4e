"""The runnables for LangChain, with chat models that give a stored text."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("langchain_core", reason="SKIPPED: langchain-core is not here")

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import Tool, tool

from text_server import CALL, CUT
from toolglot.adapters.langchain_runnable import ToolCallReader, bind_text_tools


@tool
def at(line: int) -> str:
    """Goes to a line."""
    return f"line {line}"


class StoredModel(GenericFakeChatModel):
    """Gives one text, streamed by words, and keeps what it was asked."""

    asked: list[list[BaseMessage]] = []

    def _generate(self, messages: list[BaseMessage], *arguments: Any, **options: Any) -> Any:
        self.asked.append(messages)
        return super()._generate(messages, *arguments, **options)


def stored(*texts: str) -> StoredModel:
    return StoredModel(messages=iter([AIMessage(text) for text in texts]), asked=[])


def summary(message: AIMessage) -> tuple[Any, list[tuple[str, Any]]]:
    assert len({call["id"] for call in message.tool_calls}) == len(message.tool_calls)
    return message.content, [(call["name"], call["args"]) for call in message.tool_calls]


@pytest.mark.parametrize("text", ["Hello <tool", f"I go. {CALL}", f"{CALL}\n{CALL}", f"I go. {CUT}", f"{CALL} {CUT}"])
def test_a_stream_has_what_the_whole_message_has(text: str) -> None:
    whole = summary((stored(text) | ToolCallReader("hermes", [at])).invoke("Where?"))
    assert whole[1] == [("at", {"line": 7})] * text.count(CALL)
    assert ("was not made" in whole[0]) == text.endswith(CUT)
    chunks = list((stored(text) | ToolCallReader("hermes", [at])).stream("Where?"))
    joined = chunks[0]
    for chunk in chunks[1:]:
        joined = joined + chunk
    assert isinstance(joined, AIMessageChunk) and summary(joined) == whole

    async def stream() -> list[Any]:
        return [chunk async for chunk in (stored(text) | ToolCallReader("hermes", [at])).astream("Where?")]

    assert [chunk.content for chunk in asyncio.run(stream())] == [chunk.content for chunk in chunks]


@pytest.mark.parametrize(("reason", "why"), [("stop", "guessed"), ("length", "cut off")])
def test_the_reason_of_the_end_counts(reason: str, why: str) -> None:
    metadata = {"finish_reason": reason}
    whole = ToolCallReader("hermes").invoke(AIMessage(CUT, response_metadata=metadata))
    assert why in whole.content and whole.response_metadata == metadata
    chunks = [AIMessageChunk(CUT), AIMessageChunk("", response_metadata=metadata)]
    assert "".join(str(chunk.content) for chunk in ToolCallReader("hermes").transform(iter(chunks))) == whole.content


def test_a_text_is_read_as_a_message_is() -> None:
    read = ToolCallReader().invoke(f"<think>Hm.</think>I go.{CALL}")
    assert summary(read) == ("I go.", [("at", {"line": 7})]) and read.additional_kwargs["reasoning_content"] == "Hm."


def test_an_agent_loop_runs_with_a_text_model() -> None:
    model = stored(f"I go. {CALL}", "It is seven.")
    agent = bind_text_tools(model, [at], "hermes")
    messages: list[Any] = [SystemMessage("Be brief."), HumanMessage("Where?")]
    first = agent.invoke(messages)
    result = at.invoke(first.tool_calls[0])
    assert isinstance(result, ToolMessage) and result.content == "line 7"
    last = agent.invoke([*messages, first, result])
    assert summary(last) == ("It is seven.", [])
    system, human = model.asked[0]
    assert system.content.startswith("Be brief.") and "Goes to a line." in system.content and human.content == "Where?"
    kinds = [type(message) for message in model.asked[1]]
    assert kinds == [SystemMessage, HumanMessage, AIMessage, HumanMessage]
    assert "<tool_call>" in model.asked[1][2].content and not model.asked[1][2].tool_calls
    assert "line 7" in model.asked[1][3].content


def test_a_tool_of_one_text_gets_it() -> None:
    echo = Tool(name="echo", description="Echoes.", func=lambda text: text.upper(), metadata={"type": "custom_tool"})
    read = (stored('<tool_call>{"name": "echo", "arguments": {"__arg1": "hm"}}</tool_call>') | ToolCallReader("hermes", [echo])).invoke("?")
    assert echo.invoke(read.tool_calls[0]).content == "HM"


def test_arguments_too_deep_for_python_are_an_invalid_call() -> None:
    deep = '<tool_call>{"name": "at", "arguments": {"a": ' + "[" * 100_000 + "]" * 100_000 + "}}</tool_call>"
    read = ToolCallReader("hermes").invoke(deep)
    assert read.tool_calls == [] and read.invalid_tool_calls[0]["name"] == "at"
