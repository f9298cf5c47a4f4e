"""What is read, and what bad input gets."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
import toolglot
from toolglot import _toolglot

TEXT = "I look é.\n<tool_call>{'name': 'ls', 'arguments': {'path': '.',}}</tool_call>"

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "at",
            "parameters": {
                "type": "object",
                "properties": {"line": {"type": "integer"}, "word": {"type": "string"}},
                "required": ["line"],
            },
        },
    }
]


def call(name: str, arguments: str) -> str:
    return f'<tool_call>{{"name": "{name}", "arguments": {arguments}}}</tool_call>'


def test_a_call_has_its_arguments_places_and_notes() -> None:
    message = toolglot.parse(TEXT)
    (one,) = message.calls
    assert (one.name, one.arguments, one.arguments_json) == ("ls", {"path": "."}, '{"path": "."}')
    assert (one.end, one.place, one.dialect, one.runnable) == ("closed", "answer", "hermes", True)
    start, end = one.span
    assert TEXT[start:end].startswith("<tool_call>") and TEXT[start:end].endswith("}}")
    start, end = one.byte_span
    assert TEXT.encode()[start:end].startswith(b"<tool_call>")
    assert TEXT[slice(*one.name_span)] == "ls"
    assert message.content == "I look é.\n"
    assert message.note_counts == {"nonstandard-quote": 5, "trailing-comma": 1}
    comma = next(note for note in message.notes if note.name == "trailing-comma")
    assert (comma.code, TEXT[slice(*comma.span)]) == ("N012", ",")
    assert not message.is_clean and not message.is_faulty
    assert one.arguments is one.arguments, "the dict is made once"


def test_clean_is_without_notes() -> None:
    assert toolglot.parse("Only text.").is_clean
    assert toolglot.parse(call("ls", "{}")).is_clean
    assert not toolglot.parse(call("ls", "{},")).is_clean


@pytest.mark.parametrize(
    ("text", "end"),
    [
        (call("at", '{"line": 7}'), "closed"),
        (call("at", '{"line": 7'), "recovered"),
        ('<tool_call>{"name": "at", "arguments": {"line": 7', "truncated"),
    ],
)
def test_only_a_closed_call_is_runnable(text: str, end: str) -> None:
    (one,) = toolglot.parse(text, "hermes", finish="length").calls
    assert (one.end, one.runnable) == (end, end == "closed")


def test_a_call_that_does_not_fit_its_tool_is_not_runnable() -> None:
    assert toolglot.parse(call("at", '{"line": 7}'), tools=TOOLS).calls[0].runnable
    for text in [call("at", '{"word": "x"}'), call("ls", "{}")]:
        message = toolglot.parse(text, tools=TOOLS)
        assert message.is_faulty and not message.calls[0].runnable, message.notes


def test_types_come_from_the_tools() -> None:
    text = "<tool_call>\n<function=at>\n<parameter=line>\n7\n</parameter>\n<parameter=word>\n7\n</parameter>\n</function>\n</tool_call>"
    for tools in [TOOLS, json.dumps(TOOLS), tuple(TOOLS)]:
        assert toolglot.parse(text, "qwen3_coder", tools).calls[0].arguments == {"line": 7, "word": "7"}


def test_a_function_is_a_tool() -> None:
    def at(line: int, word: str = "") -> None: ...

    text = "<tool_call>\n<function=at>\n<parameter=line>\n7\n</parameter>\n<parameter=word>\n7\n</parameter>\n</function>\n</tool_call>"
    assert toolglot.parse(text, "qwen3_coder", [at]).calls[0].arguments == {"line": 7, "word": "7"}


def test_tool_choice_none_leaves_no_call() -> None:
    message = toolglot.parse(call("ls", "{}"), tool_choice="none")
    assert message.calls == () and message.note_counts == {"unwanted-call": 1}
    with pytest.raises(toolglot.Error, match="tool_choice"):
        toolglot.parse("", tool_choice="sometimes")


def test_reasoning_is_apart() -> None:
    message = toolglot.parse("think</think>\nanswer", "qwen3_coder", reasoning_open=True)
    assert (message.reasoning, message.content.strip()) == ("think", "answer")
    assert toolglot.parse("think</think>\nanswer", "qwen3_coder", prompt_tail="<think>\n").reasoning == "think"


def test_bytes_that_are_not_utf8_are_replaced_and_noted() -> None:
    message = toolglot.parse(b"a\xffb\xe6\xbc")
    assert (message.text, message.source) == ("a\ufffdb\ufffd", b"a\xffb\xe6\xbc")
    assert [(note.name, note.span) for note in message.notes] == [("invalid-utf8", (1, 2)), ("invalid-utf8", (3, 4))]


def test_lone_surrogates_are_replaced_and_noted() -> None:
    source = "a\ud800b\udc80"
    message = toolglot.parse(source)
    assert (message.text, message.source) == ("a\ufffdb\ufffd", source)
    assert [(note.name, note.span) for note in message.notes] == [("lone-surrogate", (1, 2)), ("lone-surrogate", (3, 4))]
    assert toolglot.parse(call("ls", '{"a": "\ud800"}')).calls[0].arguments == {"a": "\ufffd"}


def test_bytes_and_text_may_be_mixed() -> None:
    parser = toolglot.Parser()
    pieces: list[str | bytes] = ["é", b"\xc3", b"\xa9", "x", b"\xc3", "y"]
    for piece in pieces:
        parser.push(piece)
    message = parser.finish()
    assert message.text == "ééx\ufffdy"
    assert message.source == b"\xc3\xa9\xc3\xa9x\xc3y"


@pytest.mark.parametrize(
    ("tools", "place"),
    [
        ([{"type": "function", "function": {"name": "a", "parameters": []}}], "/0"),
        ([{"name": "a"}, {"name": "a"}], "/1"),
        ([{"type": "function", "function": 7}], "/0/function"),
        ([{"name": "space", "tools": [{"name": "a"}, 7]}], "/0/tools/1"),
        ({"tools": [{"x": 1}]}, "/tools/0"),
        ({"result": {"tools": [{"x": 1}]}}, "/result/tools/0"),
        ({"a/b": 7}, "/a~1b"),
        ([{"name": "a", "parameters": {"x": {1, 2}}}], "/0/parameters/x"),
        ([{"name": "a", "parameters": {"x": float("nan")}}], "/0/parameters/x"),
        ([{"name": "a", "parameters": {7: 1}}], "/0/parameters"),
        ("[1", "1:2"),
        ("builtin:nope", ""),
        (7, ""),
    ],
)
def test_bad_tools_say_where(tools: Any, place: str) -> None:
    with pytest.raises(toolglot.ToolsError) as raised:
        toolglot.parse("x", tools=tools)
    assert raised.value.place == place, str(raised.value)
    assert isinstance(raised.value, toolglot.Error) and isinstance(raised.value, ValueError)


def test_a_tool_list_that_holds_itself_is_an_error() -> None:
    tools: list[Any] = [{"name": "a"}]
    tools[0]["parameters"] = tools
    with pytest.raises(toolglot.ToolsError, match="nests deeper"):
        toolglot.parse("x", tools=tools)


def test_an_unknown_dialect_is_named_with_the_nearest() -> None:
    with pytest.raises(toolglot.DialectError, match="did you mean `hermes`") as raised:
        toolglot.parse("x", "hermse")
    assert raised.value.help is not None and "dialects list" in raised.value.help


def test_a_wrong_word_is_named_with_those_that_are_right() -> None:
    for keywords in [{"finish": "done"}, {"in_code": "x"}, {"in_reasoning": "auto"}]:
        with pytest.raises(ValueError, match="it is `"):
            toolglot.parse("x", **keywords)  # type: ignore[arg-type]
    for text in [7, None, bytearray(b"x")]:
        with pytest.raises(TypeError, match="`str` or `bytes`"):
            toolglot.parse(text)  # type: ignore[arg-type]


def test_a_panic_is_an_error_with_its_place(capfd: pytest.CaptureFixture[str]) -> None:
    try:
        assert _toolglot._panic_for_tests() is False
    except toolglot.InternalError as error:
        assert "a test asked for a panic" in str(error) and "report it" in str(error)
        assert error.place is not None and error.place.startswith("src/panic.rs:")
        assert capfd.readouterr().err == ""
    else:
        pytest.skip("SKIPPED: a build without debug assertions has no panic for tests")


def test_errors_pickle() -> None:
    import pickle

    with pytest.raises(toolglot.ToolsError) as raised:
        toolglot.parse("x", tools=[7])
    again = pickle.loads(pickle.dumps(raised.value))
    assert (type(again), str(again), again.place) == (toolglot.ToolsError, str(raised.value), "/0")


def test_a_value_of_ten_megabytes_is_read(is_full: bool) -> None:
    value = "é\n" * (5_000_000 if is_full else 250_000)
    text = call("write", json.dumps({"text": value}, ensure_ascii=False))
    (one,) = toolglot.parse(text).calls
    assert one.runnable and one.arguments == {"text": value}
    assert one.span == (0, len(text) - len("</tool_call>"))


def test_levels_without_end_are_text_and_not_an_error(is_full: bool) -> None:
    depth = 100_000 if is_full else 20_000
    deep = '{"a":' * depth + "1" + "}" * depth
    (one,) = toolglot.parse(call("f", deep)).calls
    assert one.arguments is None and len(one.arguments_json) >= len(deep)
    assert not toolglot.parse(call("f", '{"a":' * depth)).calls[0].runnable
    for bracket in ["[", "{", "<a>", "f(", "'"]:
        toolglot.parse(bracket * depth)
        toolglot.parse(call("f", bracket * depth))
    shallow = '{"a":' * 511 + "{}" + "}" * 511
    assert toolglot.parse(call("f", shallow)).calls[0].arguments is not None
    with pytest.raises(toolglot.RepairError, match="recursion limit"):
        toolglot.repair("[" * depth).value


def test_numbers_keep_their_digits() -> None:
    arguments = toolglot.parse(call("f", '{"a": 12345678901234567890123, "b": -0.5, "c": 1e3, "d": 9223372036854775808}')).calls[0].arguments
    assert arguments == {"a": 12345678901234567890123, "b": -0.5, "c": 1000.0, "d": 2**63}
    assert isinstance(arguments["a"], int) and isinstance(arguments["c"], float)
    digits = "7" * 6000
    assert str(toolglot.repair(f"[{digits},]").value[0]) == digits


def test_a_freeform_tool_has_its_own_kind_in_each_api() -> None:
    text = '<tool_call>{"name": "apply_patch", "arguments": {"input": "*** Begin"}}</tool_call><tool_call>{"name": "ls", "arguments": {}}</tool_call>'
    patch = {"type": "custom", "custom": {"name": "apply_patch", "description": "Patches."}}
    tools: Any = [patch, {"type": "function", "function": {"name": "ls", "parameters": {"type": "object"}}}]
    message = toolglot.parse(text, "hermes", tools)
    assert [call.is_freeform for call in message.calls] == [True, False]
    for read in [message, pickle.loads(pickle.dumps(message))]:
        one, other = read.to_openai(seed="s")["tool_calls"]
        assert (one["type"], one["custom"]) == ("custom", {"name": "apply_patch", "input": "*** Begin"})
        assert other["type"] == "function"
        kinds = [(item["type"], item.get("input")) for item in read.to_responses(seed="s")]
        assert kinds == [("custom_tool_call", "*** Begin"), ("function_call", None)]
        # This API has functions alone.
        assert read.to_anthropic()["content"][0]["input"] == {"input": "*** Begin"}
    parser = toolglot.Parser("hermes", tools)
    starts = [event for event in parser.push(text) if event.type == "call_start"]
    assert [event.is_freeform for event in starts] == [True, False]
    assert parser.push("")[:1] == []
