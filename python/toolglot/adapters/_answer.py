"""An answer as it streams: what is certain leaves at once, and the end gives the rest of `Message.to_openai`."""

from __future__ import annotations

import json
from collections import deque
from typing import Any, NamedTuple
from uuid import uuid4

from toolglot import Event, InternalError, Message, Parser


def fields_of(arguments: str) -> dict[str, Any] | None:
    """The arguments of a closed call as a dict; `None` where they nest deeper than Python reads."""
    try:
        fields = json.loads(arguments)
    except RecursionError:
        return None
    return fields if isinstance(fields, dict) else None


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
    `has_calls` is false where the tool choice allows none: then the message has none either.
    """

    def __init__(self, parser: Parser, *, has_calls: bool = True) -> None:
        self._parser = parser
        self._has_calls = has_calls
        self._queue: deque[_OpenCall | tuple[str, str]] = deque()
        self._open: dict[int | None, _OpenCall] = {}
        self._items = _Items()
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
            self._add(event)
        while self._queue and not self._waits:
            item = self._queue[0]
            if isinstance(item, _OpenCall):
                if item.end is None:
                    break
                whole = item.to_openai() if item.end == "closed" else None
                if whole is None:
                    self._waits = True
                    break
                self._items.call()
                calls.append(self._numbered(whole))
            else:
                kind, text = item
                (content if kind == "text" else reasoning).append(self._items.text(kind, text))
            self._queue.popleft()
        delta = Delta("".join(content), "".join(reasoning), calls)
        self._content += delta.content
        self._reasoning += delta.reasoning
        return delta

    def _add(self, event: Event) -> None:
        """Adds a text or a call to what is to be emitted. A call that is over late stands where it started."""
        if event.type in ("text", "reasoning"):
            self._queue.append((event.type, event.text or ""))
        elif not self._has_calls:
            return
        elif event.type == "call_start":
            self._open[event.call] = _OpenCall(event.name or "", event.id, bool(event.is_freeform))
            self._queue.append(self._open[event.call])
        elif event.type == "late_id":
            self._open[event.call].id = event.id
        elif event.type == "args":
            self._open[event.call].arguments.append(event.json or "")
        elif event.type == "call_end":
            self._open.pop(event.call).end = event.end

    def _numbered(self, call: dict[str, Any]) -> dict[str, Any]:
        self._n_calls += 1
        return {"index": self._n_calls - 1, **call}


class _Items:
    """The items of an answer: an item of blanks alone is not one."""

    # What Unicode calls white space; `str.isspace` has more.
    _BLANKS = "\t\n\x0b\x0c\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"

    def __init__(self) -> None:
        self._open = ""
        self._held = ("", "")

    def text(self, kind: str, text: str) -> str:
        """What is certain of a text: the blanks before it come with the first other character."""
        if kind == self._open or not text:
            return text
        held_kind, held = self._held
        text = held + text if held_kind == kind else text
        is_blank = not text.strip(self._BLANKS)
        self._held = (kind, text if is_blank else "")
        if is_blank:
            return ""
        self._open = kind
        return text

    def call(self) -> None:
        self._open = ""
        self._held = ("", "")


class _OpenCall:
    """A call that has started."""

    def __init__(self, name: str, id: str | None, is_freeform: bool) -> None:
        self.name = name
        self.id = id
        self.is_freeform = is_freeform
        self.end: str | None = None
        self.arguments: list[str] = []

    def to_openai(self) -> dict[str, Any] | None:
        """The call in OpenAI's chat API; `None` where its arguments are no object."""
        arguments = "".join(self.arguments)
        if not arguments.lstrip().startswith("{"):
            return None
        made: dict[str, Any] = {"id": self.id or f"call_{uuid4().hex[:24]}"}
        if self.is_freeform:
            return {**made, "type": "custom", "custom": {"name": self.name, "input": _input(arguments)}}
        return {**made, "type": "function", "function": {"name": self.name, "arguments": arguments}}


def _input(arguments: str) -> str:
    """The input that the arguments of a freeform tool hold. Where they are another object, it is their text."""
    fields = fields_of(arguments) or {}
    text = fields.get("input")
    return text if isinstance(text, str) and len(fields) == 1 else arguments


def _rest(emitted: str, whole: str) -> str:
    if not whole.startswith(emitted):
        raise InternalError(f"the answer is {whole!r}, and {emitted!r} was emitted of it", place=__name__, help="please report it")
    return whole[len(emitted) :]
