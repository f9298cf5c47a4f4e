"""The model for pydantic-ai, with agents over models that give stored texts."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="SKIPPED: pydantic-ai is not here")

from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from text_server import CALL, CUT
from toolglot.adapters.pydantic_ai_model import TextToolModel


class Stored:
    """A model that gives one text after the other, and keeps what it was asked."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.asked: list[tuple[list[ModelMessage], AgentInfo]] = []

    def next(self, messages: list[ModelMessage], info: AgentInfo) -> str:
        self.asked.append((list(messages), info))
        return self.texts.pop(0)

    def whole(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[TextPart(self.next(messages, info))])

    async def stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        for letter in self.next(messages, info):
            yield letter

    def model(self) -> TextToolModel:
        return TextToolModel(FunctionModel(self.whole, stream_function=self.stream), "hermes")


def parts(messages: list[ModelMessage]) -> list[tuple[str, Any]]:
    """The parts of the model's answers."""
    found: list[tuple[str, Any]] = []
    for message in messages:
        for part in message.parts if isinstance(message, ModelResponse) else []:
            if isinstance(part, ToolCallPart):
                found.append((part.tool_name, json.loads(part.args_as_json_str())))
            elif isinstance(part, (TextPart, ThinkingPart)):
                found.append((part.part_kind, part.content))
    return found


def agent(stored: Stored, **options: Any) -> Agent[None, Any]:
    made = Agent(stored.model(), instructions="Be brief.", **options)

    @made.tool_plain
    def at(line: int) -> str:
        """Goes to a line."""
        if line == 8:
            raise ModelRetry("not that line")
        return f"line {line}"

    return made


TEXTS = [f"<think>Hm.</think>I go. {CALL}", f"I retry. {CALL.replace('7', '8')}", "It is seven."]
PARTS = [
    ("thinking", "Hm."),
    ("text", "I go. "),
    ("at", {"line": 7}),
    ("text", "I retry. "),
    ("at", {"line": 8}),
    ("text", "It is seven."),
]


def test_an_agent_runs_with_a_text_model() -> None:
    stored = Stored(*TEXTS)
    done = agent(stored).run_sync("Where?")
    assert done.output == "It is seven."
    assert parts(done.all_messages()) == PARTS
    for messages, info in stored.asked:
        assert info.function_tools == [] and info.instructions is not None
        assert info.instructions.startswith("Be brief.") and "Goes to a line." in info.instructions
        kinds = [part.part_kind for message in messages for part in message.parts]
        assert set(kinds) <= {"text", "thinking", "user-prompt"}
    said = [part.content for message in stored.asked[2][0] for part in message.parts if hasattr(part, "content")]
    assert any("<tool_call>" in text for text in said) and any("line 7" in text for text in said)
    assert any("not that line" in text for text in said)


def test_a_stream_has_what_the_whole_answer_has() -> None:
    n_events = 0

    async def count(_: Any, events: Any) -> None:
        nonlocal n_events
        async for _ in events:
            n_events += 1

    done = agent(Stored(*TEXTS)).run_sync("Where?", event_stream_handler=count)
    assert parts(done.all_messages()) == PARTS and done.output == "It is seven."
    # Texts arrive as they are written, and not as one.
    assert n_events > len("It is seven.")


def test_output_tools_are_taught_too() -> None:
    class Place(BaseModel):
        line: int

    text = '<tool_call>{"name": "final_result", "arguments": {"line": 7}}</tool_call>'
    done = agent(Stored(text), output_type=Place).run_sync("Where?")
    assert done.output == Place(line=7)


def test_a_call_that_was_cut_off_is_a_text() -> None:
    done = agent(Stored(f"I go. {CUT}")).run_sync("Where?")
    assert "was not made" in done.output
