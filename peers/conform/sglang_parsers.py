"""SGLang's tool parsers as a program for `toolglot conform`.

    toolglot conform --timeout 60 --cmd python3 -- peers/conform/sglang_parsers.py

Tried with SGLang 0.5.23. No model and no GPU is needed. As in its engine, no marker is split between two pieces of a stream.
"""

from __future__ import annotations

import re
from typing import Any

from lines import Events, Question, Skip, serve, unsplit
from sglang.srt.entrypoints.openai.protocol import Tool
from sglang.srt.function_call.function_call_parser import FunctionCallParser

# Dialects of toolglot whose name is another one there.
NAMES = {
    "apertus": "apertus2509",
    "cohere": "cohere_command4",
    "deepseek_v3": "deepseekv3",
    "deepseek_v31": "deepseekv31",
    "deepseek_v32": "deepseekv32",
    "deepseek_v4": "deepseekv4",
    "deepseek_v41": "deepseekv41",
    "harmony": "gpt-oss",
    "hunyuan_a13b": "hunyuan",
    "internlm2": "interns1",
    "llama3_json": "llama3",
    "minimax_m2": "minimax-m2",
    "minimax_m3": "minimax-m3",
}
# What is a token of every model that writes it.
MARKER = re.compile(r"<\|[^|<>\s]{1,40}\|>|<｜[^｜<>\s]{1,40}｜>|</?[a-z_:]*tool[a-z_:]*>|\[TOOL_CALLS\]|\]<\]minimax\[>\[")


def tell(text: str, calls: list[Any], events: Events) -> None:
    events.text(text)
    for call in calls:
        events.call(call.tool_index, call.name, call.parameters)


def answer(question: Question) -> list[dict[str, Any]]:
    name = NAMES.get(question["dialect"], question["dialect"])
    if name not in FunctionCallParser.ToolCallParserEnum:
        raise Skip("no such parser")
    parser = FunctionCallParser([Tool(**tool) for tool in question["tools"]], name)
    events = Events()
    chunks = question["chunks"]
    if len(chunks) == 1:
        # Its serving layer asks only where it has found a marker.
        if not parser.has_tool_call(chunks[0]):
            events.text(chunks[0])
            return events.finish()
        text, calls = parser.parse_non_stream(chunks[0])
        events.text(text)
        for number, call in enumerate(calls):
            events.call(number, call.name, call.parameters)
        return events.finish()
    spans = [match.span() for match in MARKER.finditer("".join(chunks))]
    for chunk in unsplit(chunks, spans):
        tell(*parser.parse_stream_chunk(chunk), events)
    tell(*parser.parse_stream_end(), events)
    return events.finish()


if __name__ == "__main__":
    serve(answer)
