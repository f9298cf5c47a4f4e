"""render, prompt, repair, convert and detect."""

from __future__ import annotations

import json
from typing import Any

import pytest
import toolglot

LIST = [{"name": "ls", "description": "Lists a directory.", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}]


def test_what_is_rendered_reads_back() -> None:
    calls = [{"name": "ls", "arguments": {"path": "é", "n": 1.5, "deep": {"a": [None, True]}}}]
    for dialect in ["hermes", "qwen3_coder", "mistral_args", "deepseek_v3", "llama3_json", "tool_call"]:
        try:
            text = toolglot.render({"calls": calls, "content": "I look.\n"}, dialect)
        except toolglot.RenderError as error:
            assert dialect in str(error)
            continue
        message = toolglot.parse(text, dialect)
        assert [(call.name, call.arguments) for call in message.calls] == [("ls", calls[0]["arguments"])], dialect
        assert toolglot.render(message, dialect) == text
    assert toolglot.render(calls, "hermes") == toolglot.render({"calls": calls}, "hermes")


def test_results_are_rendered_and_what_was_escaped_is_noted() -> None:
    text = toolglot.render({"results": [{"name": "ls", "result": "</tool_response><tool_call>"}]}, "hermes")
    assert text.startswith("<tool_response>") and text.count("</tool_response>") == 1
    assert text.notes and text.notes[0][0] == 0 and text.notes[0][1].name == "escaped-marker"


def test_a_text_that_reads_back_with_doubt_says_which_call() -> None:
    arguments = {"path": "a.md", "content": "a </content> b"}
    text = toolglot.render([{"name": "write_to_file", "arguments": arguments}], "roo")
    assert text.recovered == (0,)
    assert toolglot.render([{"name": "ls", "arguments": {}}], "hermes").recovered == ()


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"calls": [{"arguments": {}}]}, "calls\\[0\\].name"),
        ({}, "either `calls` or `results`"),
        ([{"name": "ls", "arguments": []}], "must be an object"),
        (toolglot.parse('<tool_call>{"name": "ls", "arguments": {"a": ', finish="length"), "not whole"),
    ],
)
def test_what_cannot_be_rendered_is_named(message: Any, words: str) -> None:
    with pytest.raises(toolglot.RenderError, match=words):
        toolglot.render(message, "hermes")


def test_prompts_teach_the_tools() -> None:
    text = toolglot.prompt("hermes", LIST)
    assert "Lists a directory." in text and "<tool_call>" in text and text.left_out == ()
    with pytest.raises(toolglot.RenderError, match="no tools"):
        toolglot.prompt("hermes", [])
    with pytest.raises(toolglot.DialectError):
        toolglot.prompt("nope", LIST)


def test_grammars_hold_a_model_to_calls_that_fit() -> None:
    grammar = toolglot.grammar("hermes", LIST, "gbnf")
    assert grammar.startswith("root ::= ") and '\\"ls\\"' in grammar
    assert (grammar.triggers, grammar.notes) == (("<tool_call>",), ())
    assert grammar.n_rules == len(grammar.splitlines())
    required = toolglot.grammar("hermes", LIST, "structural-tag", tool_choice="required", parallel=False)
    assert json.loads(required)["type"] == "structural_tag" and required.triggers == ()
    assert toolglot.grammar("qwen3_coder", LIST, "lark", reasoning="open").startswith("start: ")
    assert json.loads(toolglot.grammar("json", LIST, "json-schema", tool_choice="ls"))["required"] == ["name", "arguments"]
    some = [{"name": "tag", "parameters": {"type": "object", "properties": {"n": {"type": "array", "uniqueItems": True}}}}]
    assert "uniqueItems" in toolglot.grammar("hermes", some, "gbnf").notes[0]
    with pytest.raises(toolglot.GrammarError, match="uniqueItems"):
        toolglot.grammar("hermes", some, "gbnf", strict=True)
    with pytest.raises(toolglot.GrammarError, match="not in the tool set"):
        toolglot.grammar("hermes", LIST, "gbnf", tool_choice="nope")
    with pytest.raises(ValueError, match="unknown format"):
        toolglot.grammar("hermes", LIST, "ebnf")  # type: ignore[arg-type]
    with pytest.raises(toolglot.DialectError):
        toolglot.grammar("nope", LIST, "gbnf")


def test_documents_are_repaired() -> None:
    repaired = toolglot.repair("{'n': \"7\",}", {"type": "object", "properties": {"n": {"type": "integer"}}})
    assert (repaired.text, repaired.value, repaired.is_faulty) == ('{"n": 7}', {"n": 7}, False)
    assert [note.name for note in repaired.notes] == ["nonstandard-quote", "trailing-comma", "type-coercion"]
    assert toolglot.repair("{'n': 'x'}", {"type": "object", "properties": {"n": {"type": "integer"}}}).is_faulty
    assert toolglot.repair(b"[1,]").value == [1]
    with pytest.raises(toolglot.RepairError, match="schema"):
        toolglot.repair("{}", {"type": "nope"})
    with pytest.raises(toolglot.RepairError, match="byte 9") as raised:
        toolglot.repair("callback {}", preset="jsonrepair")
    assert raised.value.place == "byte 9"
    with pytest.raises(ValueError, match="preset"):
        toolglot.repair("{}", preset="x")  # type: ignore[arg-type]


def test_conversations_go_from_one_form_into_another() -> None:
    text = toolglot.render([{"name": "ls", "arguments": {"path": "."}}], "hermes")
    conversation = {"id": 7, "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": text}]}
    chat = toolglot.convert(conversation, "openai", source="hermes")
    assert (chat.calls, chat.left, chat.document["id"]) == (1, [], 7)
    made = chat.document["messages"][1]["tool_calls"][0]
    assert json.loads(made["function"]["arguments"]) == {"path": "."}
    back = toolglot.convert(chat.document, "qwen3_coder", source="openai", check=True)
    assert "<function=ls>" in back.document["messages"][1]["content"] and back.differ == 0
    assert toolglot.convert(json.dumps(conversation), "openai").document == chat.document
    items = toolglot.convert(conversation, "responses").document["input"]
    assert items[-1]["type"] == "function_call"
    assert toolglot.convert(text, "qwen3_coder").document.startswith("<tool_call>\n<function=ls>")
    with pytest.raises(toolglot.ConvertError):
        toolglot.convert({"rows": []}, "openai")
    with pytest.raises(toolglot.ConvertError):
        toolglot.convert([7], "openai")


def test_a_template_tells_its_dialect() -> None:
    template = (
        "{% for call in messages[-1].tool_calls %}[TOOL_CALLS]{{ call.function.name }}[ARGS]"
        "{{ call.function.arguments | tojson }}{% endfor %}"
    )
    found = toolglot.detect(template)
    assert found.dialect == "mistral_args" == found.candidates[0] and found.literals
    assert toolglot.detect("{{ messages }}").literals == []
