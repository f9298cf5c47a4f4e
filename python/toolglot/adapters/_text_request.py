"""A request for tools as a request for text, and the text as an answer with calls."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import toolglot
from toolglot.adapters._answer import AnswerStream, Delta

# What a server that knows no tools need not be sent.
_TOOL_FIELDS = ("tools", "tool_choice", "parallel_tool_calls")


class TextRequest:
    """One request of OpenAI's chat API, taught in a dialect.

    `tool_choice` of `none` leaves the tools out. No text can be forced: another choice only says which calls are read.
    """

    def __init__(self, body: dict[str, Any], dialect: str) -> None:
        tools, tool_choice = body.get("tools") or None, body.get("tool_choice")
        self.answer = TextAnswer(dialect, tools, tool_choice)
        rest = {key: value for key, value in body.items() if key not in _TOOL_FIELDS}
        messages = text_messages(rest.get("messages", []), dialect)
        if tools and tool_choice != "none":
            messages = _with_system(messages, str(toolglot.prompt(dialect, tools)))
        self.body = {**rest, "messages": _without_tool_role(messages)}

    @staticmethod
    def is_needed(body: Any) -> bool:
        """Whether a request has anything that a text server does not know."""
        if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
            return False
        messages = [message for message in body["messages"] if isinstance(message, dict)]
        return bool(body.get("tools")) or any(m.get("tool_calls") or m.get("role") == "tool" for m in messages)


class TextAnswer:
    """What a server of texts answers to one request, as completions with calls."""

    def __init__(self, dialect: str, tools: Any, tool_choice: Any) -> None:
        self._dialect = dialect
        self._tools = tools
        self._tool_choice = tool_choice

    def completion(self, completion: dict[str, Any]) -> dict[str, Any]:
        """The server's completion with the calls of its texts."""
        choices = []
        for choice in completion.get("choices", []):
            message = choice.get("message") or {}
            if not isinstance(message.get("content"), str) or message.get("tool_calls"):
                choices.append(choice)
                continue
            read = toolglot.parse(
                message["content"],
                self._dialect,
                self._tools,
                tool_choice=self._tool_choice,
                finish="length" if choice.get("finish_reason") == "length" else "stop",
            ).to_openai(seed=uuid4().hex)
            choices.append({**choice, "message": {**message, **read}, "finish_reason": _reason(choice, bool(read.get("tool_calls")))})
        return {**completion, "choices": choices}

    def stream(self) -> TextStream:
        return TextStream(self._dialect, self._tools, self._tool_choice)


class TextStream:
    """The chunks of one streamed completion."""

    def __init__(self, dialect: str, tools: Any, tool_choice: Any) -> None:
        self._arguments = (dialect, tools)
        self._tool_choice = tool_choice
        self._answers: dict[int, AnswerStream] = {}

    def chunk(self, chunk: dict[str, Any]) -> dict[str, Any] | None:
        """The chunk with what is certain of its texts; `None` where that is nothing."""
        choices = [changed for choice in chunk.get("choices", []) if (changed := self._choice(choice)) is not None]
        return {**chunk, "choices": choices} if choices or not chunk.get("choices") else None

    def finish(self) -> list[dict[str, Any]]:
        """The choices that are left where the server ended without a reason."""
        rest = [(index, answer.finish("unknown")) for index, answer in self._answers.items() if answer.message is None]
        return [{"index": index, "delta": _fields(delta), "finish_reason": None} for index, delta in rest if not delta.is_empty]

    def _choice(self, choice: dict[str, Any]) -> dict[str, Any] | None:
        index = choice.get("index", 0)
        if index not in self._answers:
            parser = toolglot.Parser(*self._arguments, tool_choice=self._tool_choice)
            self._answers[index] = AnswerStream(parser, has_calls=self._tool_choice not in ("none", {"type": "none"}))
        answer = self._answers[index]
        delta = choice.get("delta") or {}
        # After a reason some servers send empty chunks.
        read = answer.push(delta.get("content") or "") if answer.message is None else Delta("", "", [])
        reason = choice.get("finish_reason")
        if reason is not None:
            last = answer.finish("length" if reason == "length" else "stop")
            read = Delta(read.content + last.content, read.reasoning + last.reasoning, read.calls + last.calls)
            reason = _reason(choice, answer.n_calls > 0)
        kept = {key: value for key, value in delta.items() if key != "content"}
        if not kept and read.is_empty and reason is None:
            return None
        return {**choice, "delta": {**kept, **_fields(read)}, "finish_reason": reason}


def text_messages(messages: list[Any], dialect: str) -> list[dict[str, Any]]:
    """Messages of OpenAI's chat API with their calls and results as texts of a dialect, one for each."""
    converted = toolglot.convert({"messages": messages}, dialect, source="openai")
    return [dict(message) for message in converted.document["messages"]]


def _fields(delta: Delta) -> dict[str, Any]:
    known = {"content": delta.content, "reasoning_content": delta.reasoning, "tool_calls": delta.calls}
    return {key: value for key, value in known.items() if value}


def _reason(choice: dict[str, Any], has_calls: bool) -> Any:
    """An answer that was cut off stays so, whatever calls it has."""
    reason = choice.get("finish_reason")
    return "tool_calls" if has_calls and reason != "length" else reason


def _with_system(messages: list[dict[str, Any]], instructions: str) -> list[dict[str, Any]]:
    first = messages[0] if messages else {}
    if first.get("role") in ("system", "developer"):
        content = first.get("content") or ""
        if isinstance(content, list):
            content = [*content, {"type": "text", "text": "\n\n" + instructions}]
        else:
            content = f"{content}\n\n{instructions}"
        return [{**first, "content": content}, *messages[1:]]
    return [{"role": "system", "content": instructions}, *messages]


def _without_tool_role(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Results are texts of the user, those of one turn in one message."""
    changed: list[dict[str, Any]] = []
    was_result = False
    for message in messages:
        is_result = message.get("role") == "tool"
        if is_result:
            content = message.get("content")
            text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
            if was_result:
                changed[-1]["content"] += "\n" + text
            else:
                changed.append({"role": "user", "content": text})
        else:
            changed.append(message)
        was_result = is_result
    return changed
