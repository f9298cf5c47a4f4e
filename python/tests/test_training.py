"""Masks, pickles, and the forms of chat APIs."""

from __future__ import annotations

import copy
import json
import pickle
import re
from html.parser import HTMLParser

import pytest
import toolglot
from toolglot import _toolglot

TEXT = '<think>\nWhere?\n</think>\nI look é.\n<tool_call>\n{"name": "ls", "arguments": {"path": "é"}}\n</tool_call>'


def test_each_byte_has_the_class_of_the_table() -> None:
    message = toolglot.parse(TEXT, "hermes")
    shown = [(kind, message.text[start:end]) for start, end, kind in message.segments]
    assert shown == [
        ("markup", "<think>"),
        ("reasoning", "\nWhere?\n"),
        ("markup", "</think>"),
        ("answer", "\nI look é.\n"),
        ("markup", '<tool_call>\n{"name": "'),
        ("name", "ls"),
        ("markup", '", "arguments":'),
        ("arguments", ' {"path": "é"}'),
        ("markup", "}\n</tool_call>"),
    ]


def tokens(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\w+|\s+|[^\w\s]+", text)]


def test_a_token_has_the_class_of_its_first_byte() -> None:
    message = toolglot.parse(TEXT, "hermes")
    offsets = [*tokens(TEXT), (0, 0), (len(TEXT), len(TEXT) + 3)]
    classes = message.mask(offsets)
    assert classes[-2:] == [None, None]
    for (start, _), kind in zip(offsets[:-2], classes):
        assert any(first <= start < last and kind == name for first, last, name in message.segments)
    assert [TEXT[slice(*offset)] for offset, kind in zip(offsets, classes) if kind == "name"] == ["ls"]
    in_bytes = [(len(TEXT[:start].encode()), len(TEXT[:end].encode())) for start, end in offsets[:-2]]
    assert message.mask(in_bytes, unit="bytes") == classes[:-2]


def test_offsets_may_be_an_array() -> None:
    numpy = pytest.importorskip("numpy", reason="SKIPPED: numpy is not here")
    message = toolglot.parse(TEXT, "hermes")
    assert message.mask(numpy.array(tokens(TEXT))) == message.mask(tokens(TEXT))


def test_wrong_offsets_are_errors() -> None:
    message = toolglot.parse(TEXT)
    with pytest.raises(ValueError, match="code_points"):
        message.mask([(0, 1)], unit="tokens")  # type: ignore[arg-type]
    with pytest.raises((TypeError, OverflowError)):
        message.mask([(0, "x")])  # type: ignore[list-item]
    with pytest.raises(OverflowError):
        message.mask([(-1, 2)])


def test_the_source_comes_back_as_it_was() -> None:
    sources: list[str | bytes] = [TEXT, TEXT.encode(), b"\xff" + TEXT.encode(), TEXT + "\ud800", "", b""]
    for source in sources:
        message = toolglot.parse(source)
        assert message.source == source and type(message.source) is type(source)


def test_a_message_pickles_and_copies() -> None:
    sources: list[str | bytes] = [TEXT, b"\xff" + TEXT.encode(), TEXT[:-30], "<tool_call>{'name': 'ls', 'arguments': {'a': 1,}}", ""]
    for source in sources:
        message = toolglot.parse(source, finish="length")
        for again in [pickle.loads(pickle.dumps(message)), copy.deepcopy(message)]:
            assert again == message and again.source == message.source
            assert again.to_json() == message.to_json()
            assert (again.notes, again.segments, again.is_clean) == (message.notes, message.segments, message.is_clean)
            assert [call.runnable for call in again.calls] == [call.runnable for call in message.calls]
            assert again.to_openai(seed="1") == message.to_openai(seed="1")
    with pytest.raises(toolglot.Error, match="not that of a message"):
        _toolglot._restore_message('{"version": 99}')


def test_forms_of_chat_apis() -> None:
    message = toolglot.parse(TEXT, "hermes")
    chat = message.to_openai()
    (made,) = chat["tool_calls"]
    assert (chat["role"], made["type"], made["function"]["name"]) == ("assistant", "function", "ls")
    assert json.loads(made["function"]["arguments"]) == {"path": "é"}
    assert chat["content"].strip() == "I look é." and chat["reasoning_content"].strip() == "Where?"
    assert message.to_openai() == chat, "ids stay"
    assert toolglot.parse(TEXT, "hermes").to_openai()["tool_calls"][0]["id"] != made["id"], "ids of two messages differ"
    assert toolglot.parse(TEXT).to_openai(seed="a") == toolglot.parse(TEXT).to_openai(seed="a")
    items = message.to_responses()
    assert [item["type"] for item in items] == ["reasoning", "message", "function_call"]
    anthropic = message.to_anthropic()
    assert anthropic["role"] == "assistant"
    assert [block["type"] for block in anthropic["content"]] == ["thinking", "text", "tool_use"]
    assert anthropic["content"][-1]["input"] == {"path": "é"}


def test_order_is_that_of_the_text() -> None:
    call = '<tool_call>{"name": "%s", "arguments": {}}</tool_call>'
    message = toolglot.parse(f"one {call % 'a'} two {call % 'b'} three", "hermes")
    blocks = message.to_anthropic()["content"]
    assert [block.get("text", block.get("name")).strip() for block in blocks] == ["one", "a", "two", "b", "three"]


def test_a_call_that_is_not_sure_is_a_text() -> None:
    recovered = toolglot.parse('<tool_call>{"name": "ls", "arguments": {"path": "."</tool_call>', "hermes")
    assert [call.end for call in recovered.calls] == ["recovered"]
    chat = recovered.to_openai()
    assert "tool_calls" not in chat and "[The call of `ls` was not made, since a part of it was guessed" in chat["content"]
    assert recovered.to_openai(recovered=True)["tool_calls"][0]["function"]["name"] == "ls"
    cut = toolglot.parse('<tool_call>{"name": "ls", "arguments": {"path": ".', "hermes", finish="length")
    for form in [cut.to_openai(recovered=True), cut.to_openai()]:
        assert "tool_calls" not in form and "it was cut off" in form["content"]


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_notebook_shows_it_escaped() -> None:
    text = "<script>alert(1)</script>\n<tool_call>{'name': '<b>', 'arguments': {'a': '<img src=x onerror=alert(1)>',}}</tool_call>"
    page = toolglot.parse(text)._repr_html_()
    tags = Tags()
    tags.feed(page)
    assert set(tags.tags) <= {"div", "span", "pre", "ol", "ul", "li", "code", "em"}
    assert text in tags.text and "N012" in tags.text
    assert 'title="arguments"' in page and 'title="markup"' in page
    assert len(toolglot.parse("é" * 1_000_000)._repr_html_()) < 200_000
