"""A message as it streams."""

from __future__ import annotations

import pytest
import toolglot

TEXT = "I look é🦀.\n<tool_call>{'name': 'ls', 'arguments': {'path': 'é/🦀', 'all': True}}</tool_call> done"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_spans_of_events_tile_the_text_at_any_cut(size: int) -> None:
    whole = toolglot.parse(TEXT)
    parser = toolglot.Parser()
    events = []
    for at in range(0, len(TEXT), size):
        events += parser.push(TEXT[at : at + size])
    message = parser.finish("stop")
    events += parser.last_events
    assert message == whole and hash(message) == hash(whole)
    at = byte = 0
    for event in events:
        if event.type == "note":
            assert event.note is not None
            assert TEXT.encode()[slice(*event.byte_span)].decode() == TEXT[slice(*event.span)]
            continue
        assert (event.span[0], event.byte_span[0]) == (at, byte)
        at, byte = event.span[1], event.byte_span[1]
        if event.text is not None:
            assert TEXT[slice(*event.span)] == event.text
    assert (at, byte) == (len(TEXT), len(TEXT.encode()))
    assert "".join(event.json for event in events if event.type == "args" and event.json) == whole.calls[0].arguments_json
    (start,) = [event for event in events if event.type == "call_start"]
    assert (start.name, start.dialect, start.place, start.call) == ("ls", "hermes", "answer", 0)
    assert start.name_span is not None and TEXT[slice(*start.name_span)] == "ls"
    (end,) = [event for event in events if event.type == "call_end"]
    assert end.end == "closed"


def test_what_is_undecided_is_held() -> None:
    parser = toolglot.Parser("hermes")
    assert [event.text for event in parser.push("a <tool")] == ["a "]
    assert parser.held == "<tool"
    assert [event.text for event in parser.push("box>")] == ["<toolbox>"]
    assert not parser.is_finished
    parser.finish()
    assert parser.is_finished and parser.held == ""


def test_the_end_decides_what_was_held() -> None:
    parser = toolglot.Parser("hermes")
    parser.push("a <tool")
    assert parser.last_events == []
    assert parser.finish().content == "a <tool"
    assert [event.text for event in parser.last_events] == ["<tool"]


def test_nothing_is_pushed_after_the_end() -> None:
    parser = toolglot.Parser()
    parser.finish()
    with pytest.raises(RuntimeError, match="finished"):
        parser.push("x")
    with pytest.raises(RuntimeError, match="finished"):
        parser.push_token("x")
    with pytest.raises(RuntimeError, match="finished"):
        parser.finish()


def test_a_wrong_finish_leaves_the_parser_open() -> None:
    parser = toolglot.Parser()
    parser.push("x")
    with pytest.raises(ValueError):
        parser.finish("done")  # type: ignore[arg-type]
    assert parser.finish().content == "x"


def test_a_special_token_outranks_text_that_looks_the_same() -> None:
    def read(is_special: bool, opener: str | bytes = "<tool_call>") -> toolglot.Message:
        parser = toolglot.Parser("hermes", special_tokens=["<tool_call>", "</tool_call>"])
        parser.push_token(opener, 151657, special=is_special)
        parser.push_token('{"name": "ls", "arguments": {}}', 1)
        parser.push_token("</tool_call>", 151658, special=is_special)
        return parser.finish()

    assert len(read(True).calls) == 1
    message = read(True, b"<tool_call>")
    assert len(message.calls) == 1 and isinstance(message.source, bytes)
    assert read(False).calls == () and read(False).content.startswith("<tool_call>")


def test_a_repr_shows_what_happened() -> None:
    parser = toolglot.Parser("hermes")
    (event,) = parser.push("hi")
    assert repr(event) == "<Event text text='hi'>"
    assert "ls" in repr(toolglot.parse(TEXT)) and "closed" in repr(toolglot.parse(TEXT).calls[0])
