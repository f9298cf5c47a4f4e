"""The plugin for vLLM, in vLLM if it is here, and in its recorded interface of 0.20 and 0.33."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import re
import sys
from types import ModuleType, SimpleNamespace
from typing import Any, Iterator

import pytest

pytest.importorskip("pydantic", reason="SKIPPED: pydantic is not here")

from interfaces import vllm as interface

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "at",
            "description": "Goes to a line.",
            "parameters": {"type": "object", "properties": {"line": {"type": "integer"}}},
        },
    }
]
CALL = "<tool_call>\n<function=at>\n<parameter=line>\n7\n</parameter>\n</function>\n</tool_call>"
CUT = "<tool_call>\n<function=at>\n<parameter=line>\n7\n</par"
EOS = 1_200_000


class Tokenizer:
    """Each special token and each character is a token."""

    eos_token_id = EOS
    chat_template: Any = None
    special = {"<think>": 1_200_001, "</think>": 1_200_002, "<tool_call>": 1_200_003, "</tool_call>": 1_200_004}

    def get_vocab(self) -> dict[str, int]:
        return self.special

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        pieces = re.split("(" + "|".join(self.special) + ")", text)
        return [token for piece in pieces for token in ([self.special[piece]] if piece in self.special else map(ord, piece))]

    def decode(self, ids: list[int], skip_special_tokens: bool = False) -> str:
        texts = {id: text for text, id in self.special.items()}
        return "".join(texts.get(id, "" if id == EOS else chr(id % 0x110000)) for id in ids)


@pytest.fixture(params=["0.20", "0.33", "installed"])
def plugin(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    name = "toolglot.adapters.vllm_plugin"
    monkeypatch.delitem(sys.modules, name, raising=False)
    if request.param == "installed":
        if importlib.util.find_spec("vllm") is None:
            pytest.skip("SKIPPED: vLLM is not here; its recorded interface is tested alone")
    else:
        for known in [known for known in sys.modules if known == "vllm" or known.startswith("vllm.")]:
            monkeypatch.delitem(sys.modules, known)
        for known, module in interface.modules(request.param).items():
            monkeypatch.setitem(sys.modules, known, module)
    monkeypatch.setenv("TOOLGLOT_DIALECT", "qwen3_coder")
    yield importlib.import_module(name)
    monkeypatch.delitem(sys.modules, name)


def ask(**fields: Any) -> Any:
    """A request; vLLM's own type, where vLLM is here."""
    if interface.is_recorded():
        return SimpleNamespace(tools=TOOLS, tool_choice="auto", skip_special_tokens=True, include_reasoning=True, **fields)
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest

    return ChatCompletionRequest(model="m", messages=[{"role": "user", "content": "?"}], tools=TOOLS, **fields)


def stream(parser: Any, text: str, eos: bool = False) -> dict[str, Any]:
    """Text and calls of all deltas, where each delta is one token."""
    tokenizer, request = parser.model_tokenizer, ask()
    answer: dict[str, Any] = {"content": "", "calls": []}
    seen: list[int] = []
    ids = tokenizer.encode(text) + ([EOS] if eos else [])
    deltas = []
    for id in ids:
        before, seen = seen, [*seen, id]
        texts = tokenizer.decode(before), tokenizer.decode(seen), tokenizer.decode([id])
        deltas.append(parser.extract_tool_calls_streaming(*texts, before, seen, [id], request))
    if not eos:
        deltas.append(parser.finish_streaming())
    for delta in filter(None, deltas):
        answer["content"] += delta.content or ""
        answer["calls"] += [(call.index, call.function.name, json.loads(call.function.arguments)) for call in delta.tool_calls]
    return answer


def test_a_whole_text_has_the_calls_with_the_types_of_the_tools(plugin: ModuleType) -> None:
    parser = plugin.ToolglotToolParser(Tokenizer(), None)
    read = parser.extract_tool_calls(f"I go.\n{CALL}{CALL}", ask())
    assert read.tools_called and read.content == "I go.\n"
    assert [json.loads(call.function.arguments) for call in read.tool_calls] == [{"line": 7}, {"line": 7}]
    assert len({call.id for call in read.tool_calls}) == 2


@pytest.mark.parametrize("eos", [False, True])
def test_a_stream_has_what_the_whole_text_has(plugin: ModuleType, eos: bool) -> None:
    for text in ["", "Hello <tool", "a" + CALL, f"a{CALL} b {CALL}", "a" + CUT, f"a{CALL} b {CUT}"]:
        parser = plugin.ToolglotToolParser(Tokenizer(), None)
        whole = parser.extract_tool_calls(text, ask())
        streamed = stream(parser, text, eos)
        calls = [(n, call.function.name, json.loads(call.function.arguments)) for n, call in enumerate(whole.tool_calls)]
        assert streamed["calls"] == calls
        # The end of a text that vLLM gives without a reason may have been cut; that of an end token was not.
        if text.endswith(CUT):
            assert "was not made" in streamed["content"] and "was not made" in (whole.content or "")
        else:
            assert streamed["content"] == (whole.content or "")
        assert len(parser.prev_tool_call_arr) == len(parser.streamed_args_for_tool) == len(calls)


def test_special_tokens_stay_in_the_text_where_tools_are_asked_for(plugin: ModuleType) -> None:
    assert plugin.ToolglotToolParser(Tokenizer()).adjust_request(ask()).skip_special_tokens is False


@pytest.mark.parametrize(
    ("prompt", "text", "reasoning", "content"),
    [
        ("", "<think>\nI look.</think>" + CALL, "\nI look.", CALL),
        ("<think>\n", "I look.\n</think>\n\n" + CALL, "I look.\n", "\n\n" + CALL),
        ("<think>\n", "I look", "I look", None),
        ("", "I answer.", None, "I answer."),
        ("", " \n", None, " \n"),
        ("", "", None, None),
    ],
)
def test_reasoning_is_divided_from_what_follows(
    plugin: ModuleType, prompt: str, text: str, reasoning: str | None, content: str | None
) -> None:
    tokenizer = Tokenizer()
    parser = plugin.ToolglotReasoningParser(tokenizer)
    parser.set_prompt_token_ids(tokenizer.encode(prompt))
    assert parser.extract_reasoning(text, ask()) == (reasoning, content)
    read, seen, ended = ["", ""], "", False
    for letter in text:
        before, seen = seen, seen + letter
        ids = tokenizer.encode(before), tokenizer.encode(seen), tokenizer.encode(letter)
        delta = parser.extract_reasoning_streaming(before, seen, letter, *ids)
        if delta is not None:
            read = [read[0] + (delta.reasoning or ""), read[1] + (delta.content or "")]
        ended = ended or parser.has_engine_confirmed_reasoning_end()
    last = parser.finish_streaming()
    if last is not None:
        read = [read[0] + (last.reasoning or ""), read[1] + (last.content or "")]
    assert read == [reasoning or "", content or ""]
    assert ended == bool(content and content.strip())


def test_a_reasoning_whose_prompt_is_unknown_ends_at_its_closer(plugin: ModuleType) -> None:
    parser = plugin.ToolglotReasoningParser(Tokenizer())
    assert parser.extract_reasoning("I look.</think>x", ask()) == ("I look.", "x")


def test_ends_of_reasoning_are_found_in_tokens(plugin: ModuleType) -> None:
    tokenizer = Tokenizer()
    ids = tokenizer.encode("<think>a</think>bc")
    parser = plugin.ToolglotReasoningParser(tokenizer)
    assert not parser.is_reasoning_end(ids[:2]) and parser.is_reasoning_end(ids)
    assert not parser.is_reasoning_end(tokenizer.encode("<think>a</think><think>"))
    assert parser.is_reasoning_end_streaming(ids[:3], ids[2:3]) and not parser.is_reasoning_end_streaming(ids[:2], ids[1:2])
    assert tokenizer.decode(parser.extract_content_ids(ids)) == "bc"
    assert (parser.reasoning_start_str, parser.reasoning_end_str) == ("<think>", "</think>")


def test_the_dialect_is_that_of_the_chat_template(plugin: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOOLGLOT_DIALECT")
    tokenizer = Tokenizer()
    assert plugin.dialect_of(tokenizer) == "auto"
    tokenizer.chat_template = "{{ messages }}"
    assert plugin.dialect_of(tokenizer) == "auto"
    template = (
        "{% for call in messages[-1].tool_calls %}[TOOL_CALLS]{{ call.function.name }}[ARGS]"
        "{{ call.function.arguments | tojson }}{% endfor %}"
    )
    tokenizer.chat_template = template
    assert plugin.dialect_of(tokenizer) == "mistral_args"
    tokenizer.chat_template = {"default": "{{ messages }}", "tool_use": template}
    assert plugin.dialect_of(tokenizer) == "mistral_args"


def test_both_parsers_work_together_in_vllm(plugin: ModuleType) -> None:
    if interface.is_recorded():
        pytest.skip("SKIPPED: what joins the two parsers is a part of vLLM")
    delegating = pytest.importorskip("vllm.parser.abstract_parser", reason="SKIPPED: this version joins parsers elsewhere")
    if not hasattr(delegating.DelegatingParser, "parse_delta"):
        pytest.skip("SKIPPED: this version joins parsers elsewhere")

    parts = {"tool_parser_cls": plugin.ToolglotToolParser, "reasoning_parser_cls": plugin.ToolglotReasoningParser}
    both: Any = type("Both", (delegating.DelegatingParser,), parts)

    tokenizer = Tokenizer()
    prompt = tokenizer.encode("<think>\n")
    for text, calls in [(f"I look.</think>\n\nNow.{CALL}", 1), (f"I look.</think>{CALL}{CUT}", 1), ("I look", 0)]:
        request = ask()
        parser = both(tokenizer, request.tools)
        # 0.20 does not make them of the class's attributes.
        parser._tool_parser = parser._tool_parser or plugin.ToolglotToolParser(tokenizer, request.tools)
        parser._reasoning_parser = parser._reasoning_parser or plugin.ToolglotReasoningParser(tokenizer)
        read: dict[str, Any] = {"reasoning": "", "content": "", "calls": []}
        tells_end = "finished" in inspect.signature(parser.parse_delta).parameters
        ids = tokenizer.encode(text) + [EOS]
        for id in ids:
            ending = {"finished": id == EOS} if tells_end else {}
            delta = parser.parse_delta(tokenizer.decode([id]), [id], request, prompt_token_ids=prompt, **ending)
            if delta is not None:
                read["reasoning"] += delta.reasoning or ""
                read["content"] += delta.content or ""
                read["calls"] += [json.loads(call.function.arguments) for call in delta.tool_calls]
        assert read["reasoning"] == "I look" + ("." if calls else "")
        assert read["calls"] == [{"line": 7}] * calls
        assert read["content"].startswith("\n\nNow.") == ("Now" in text)
        assert ("was not made" in read["content"]) == ("</par" in text[-5:])
