"""vLLM's tool parsers as a program for `toolglot conform`.

    toolglot conform --timeout 60 --cmd python3 -- peers/conform/vllm_parsers.py

Tried with vLLM 0.33.0. No model and no GPU is needed: the tokenizer is a stand-in in which each marker that a parser asks for, and
each `<|..|>`, is one token, and so is every other character. As vLLM's engine does, the adapter never splits a marker between two
deltas.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from lines import Events, Question, Skip, serve, unsplit
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
from vllm.tool_parsers import ToolParser, ToolParserManager

# Dialects of toolglot whose name is another one there.
NAMES = {
    "cohere": "cohere_command3",
    "granite_20b_fc": "granite-20b-fc",
    "internlm2": "internlm",
    "phi4_mini": "phi4_mini_json",
}
# Parsers whose format depends on more of the tokenizer than a stand-in has.
LEFT_OUT = {"hy_v4", "mistral"}
# What is a token of every model that writes it.
SPECIAL = r"<\|[^|<>\s]{1,40}\|>|<｜[^｜<>\s]{1,40}｜>"
# What is a token if a parser asks for it: a marker in brackets, of letters and signs.
MARKER = re.compile(r"<[^<>\s]{1,40}>|\[[A-Z_/]{3,}\]|\]~?[a-z!~]{1,4}\[|<\|\"\|>")


class Vocabulary(dict[str, int]):
    """Each marker gets a number when it is first asked for."""

    def __missing__(self, token: str) -> int:
        self[token] = 0x200000 + len(self)
        return self[token]

    def get(self, token: str, default: Any = None) -> Any:
        return self[token] if MARKER.fullmatch(token) else super().get(token, default)

    def __contains__(self, token: object) -> bool:
        return isinstance(token, str) and bool(MARKER.fullmatch(token))


class StandIn:
    """A tokenizer of markers and code points."""

    eos_token_id = bos_token_id = pad_token_id = 0
    eos_token = bos_token = "<eos>"
    vocab_size = 0x400000
    is_fast = True

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()

    def get_vocab(self) -> Vocabulary:
        return self.vocabulary

    vocab = property(get_vocab)

    @property
    def all_special_tokens(self) -> list[str]:
        return list(self.vocabulary)

    @property
    def all_special_ids(self) -> list[int]:
        return list(self.vocabulary.values())

    def encode(self, text: str, add_special_tokens: bool = False, **_: Any) -> list[int]:
        ids: list[int] = []
        for piece in split(text, self.vocabulary):
            ids.extend([self.vocabulary[piece]] if is_token(piece, self.vocabulary) else map(ord, piece))
        return ids

    def __call__(self, text: str, **_: Any) -> Any:
        return {"input_ids": self.encode(text)}

    def tokenize(self, text: str, **_: Any) -> list[str]:
        return self.convert_ids_to_tokens(self.encode(text))

    def convert_ids_to_tokens(self, ids: list[int], **_: Any) -> list[str]:
        names = {number: token for token, number in self.vocabulary.items()}
        return [names.get(number) or chr(number) for number in ids]

    def convert_tokens_to_ids(self, tokens: str | list[str]) -> Any:
        if isinstance(tokens, str):
            return self.vocabulary[tokens] if len(tokens) != 1 else ord(tokens)
        return [self.convert_tokens_to_ids(token) for token in tokens]

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        return "".join(tokens)

    def decode(self, ids: Any, **_: Any) -> str:
        return "".join(self.convert_ids_to_tokens([ids] if isinstance(ids, int) else list(ids)))


def split(text: str, vocabulary: Vocabulary) -> list[str]:
    """The markers of a text, and what stands between them."""
    known = sorted(dict.keys(vocabulary), key=len, reverse=True)
    pattern = "|".join([*map(re.escape, known), SPECIAL])
    return [piece for piece in re.split(f"({pattern})", text) if piece]


def is_token(piece: str, vocabulary: Vocabulary) -> bool:
    return dict.__contains__(vocabulary, piece) or bool(re.fullmatch(SPECIAL, piece))


@cache
def parser_class(dialect: str) -> Any:
    name = NAMES.get(dialect, dialect)
    if dialect in LEFT_OUT:
        raise Skip("it needs a tokenizer of its own")
    if name not in ToolParserManager.list_registered():
        raise Skip("no such parser")
    parser = ToolParserManager.get_tool_parser(name)
    if parser.extract_tool_calls is ToolParser.extract_tool_calls:
        raise Skip("it has no parser of tool calls alone")
    return parser


def whole_markers(chunks: list[str], vocabulary: Vocabulary) -> list[str]:
    """The same text, with each end of a chunk that splits a marker after the marker."""
    spans: list[tuple[int, int]] = []
    at = 0
    for piece in split("".join(chunks), vocabulary):
        if is_token(piece, vocabulary):
            spans.append((at, at + len(piece)))
        at += len(piece)
    return unsplit(chunks, spans)


def answer(question: Question) -> list[dict[str, Any]]:
    request = ChatCompletionRequest(
        model="m", messages=[{"role": "user", "content": "x"}], tools=question["tools"] or None, tool_choice="auto"
    )
    tokenizer = StandIn()
    parser = parser_class(question["dialect"])(tokenizer, request.tools)
    events = Events()
    chunks = question["chunks"]
    if len(chunks) == 1:
        found = parser.extract_tool_calls(chunks[0], request)
        events.text(found.content)
        for number, call in enumerate(found.tool_calls if found.tools_called else []):
            events.call(number, call.function.name, call.function.arguments)
        return events.finish()
    text, ids, last = "", [], None
    for chunk in whole_markers(chunks, tokenizer.vocabulary):
        new = tokenizer.encode(chunk)
        last = parser.extract_tool_calls_streaming(text, text + chunk, chunk, ids, ids + new, new, request)
        text, ids = text + chunk, ids + new
        tell(last, events)
    # As its serving layer ends a stream.
    finish = getattr(parser, "finish_streaming", None)
    if finish:
        tell(finish(), events)
    elif last and last.tool_calls:
        events.call(last.tool_calls[-1].index, None, parser.get_remaining_unstreamed_args())
    return events.finish()


def tell(delta: Any, events: Events) -> None:
    if delta:
        events.text(delta.content)
        for call in delta.tool_calls or []:
            function = call.function
            events.call(call.index, function and function.name, function and function.arguments)


if __name__ == "__main__":
    serve(answer)
