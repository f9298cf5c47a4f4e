"""An answer as it streams: what is certain leaves at once, and the end gives the rest of `Message.to_openai`."""

from __future__ import annotations

from typing import Any, NamedTuple
from uuid import uuid4

from toolglot import Event, Message, Parser


class Delta(NamedTuple):
    """A step of an answer. Its calls are those of OpenAI's chat API, each with its index, and whole."""

    content: str
    reasoning: str
    calls: list[dict[str, Any]]

    @property
    def is_empty(self) -> bool:
        return not (self.content or self.reasoning or self.calls)


class AnswerStream:
    """Reads a message, and gives a call once it is closed.

    All deltas together are the message of `to_openai`, but for the ids of calls.
    A call that is cut off, or of which a part was guessed, stands in that message as a text.
    Its wording depends on the end of the message, so all that comes after such a call waits for the end.
    """

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self._open: dict[int | None, _OpenCall] = {}
        self._content = ""
        self._reasoning = ""
        self._n_calls = 0
        self._waits = False
        self.message: Message | None = None

    @property
    def n_calls(self) -> int:
        """How many calls were emitted."""
        return self._n_calls

    def push(self, text: str) -> Delta:
        return self._emit(self._parser.push(text))

    def finish(self, reason: Any = "stop") -> Delta:
        """Ends the message; a second time there is nothing left."""
        if self.message is not None:
            return Delta("", "", [])
        self.message = self._parser.finish(reason)
        last = self._emit(self._parser.last_events)
        whole = self.message.to_openai(seed=uuid4().hex)
        content = last.content + _rest(self._content, whole.get("content") or "")
        reasoning = last.reasoning + _rest(self._reasoning, whole.get("reasoning_content") or "")
        calls = last.calls + [self._numbered(call) for call in whole.get("tool_calls", [])[self._n_calls :]]
        return Delta(content, reasoning, calls)

    def _emit(self, events: list[Event]) -> Delta:
        content: list[str] = []
        reasoning: list[str] = []
        calls = []
        for event in events:
            if self._waits:
                break
            if event.type == "text":
                content.append(event.text or "")
            elif event.type == "reasoning":
                reasoning.append(event.text or "")
            elif event.type == "call_start":
                self._open[event.call] = _OpenCall(event.name or "", event.id)
            elif event.type == "late_id":
                self._open[event.call].id = event.id
            elif event.type == "args":
                self._open[event.call].arguments.append(event.json or "")
            elif event.type == "call_end":
                call = self._open.pop(event.call)
                if event.end == "closed" and call.is_object:
                    calls.append(self._numbered(call.to_openai()))
                else:
                    self._waits = True
        delta = Delta("".join(content), "".join(reasoning), calls)
        self._content += delta.content
        self._reasoning += delta.reasoning
        return delta

    def _numbered(self, call: dict[str, Any]) -> dict[str, Any]:
        self._n_calls += 1
        return {"index": self._n_calls - 1, **call}


class _OpenCall:
    """A call that has started."""

    def __init__(self, name: str, id: str | None) -> None:
        self.name = name
        self.id = id
        self.arguments: list[str] = []

    @property
    def is_object(self) -> bool:
        return "".join(self.arguments).lstrip().startswith("{")

    def to_openai(self) -> dict[str, Any]:
        function = {"name": self.name, "arguments": "".join(self.arguments)}
        return {"id": self.id or f"call_{uuid4().hex[:24]}", "type": "function", "function": function}


def _rest(emitted: str, whole: str) -> str:
    return whole[len(emitted) :] if whole.startswith(emitted) else ""
