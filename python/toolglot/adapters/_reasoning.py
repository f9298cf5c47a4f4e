"""Where the reasoning of a message ends."""

from __future__ import annotations

from functools import lru_cache

from toolglot import Event, Parser, parse

# What surrounds reasoning in the dialects that have any. Which of them a dialect reads, the dialect says itself.
_MARKERS = [
    ("<think>", "</think>"),
    ("[THINK]", "[/THINK]"),
    ("<seed:think>", "</seed:think>"),
    ("<thinking>", "</thinking>"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
    ("<|channel>thought\n", "<channel|>"),
]


@lru_cache
def markers(dialect: str) -> tuple[str, str] | None:
    """The opener and the closer of reasoning in a dialect; `None` where it has none that is known."""
    for opener, closer in _MARKERS:
        if parse(f"{opener}a{closer}b", dialect).reasoning == "a":
            return opener, closer
    return None


def is_open(dialect: str, text: str) -> bool:
    """Whether the prompt of a whole text must have opened the reasoning: the text closes what it does not open."""
    known = markers(dialect)
    if known is None:
        return False
    opener, closer = known
    before, found, _ = text.partition(closer)
    return bool(found) and opener not in before


class ReasoningStream:
    """Divides a message into its reasoning and what follows it, which stays as the model wrote it."""

    def __init__(self, dialect: str, *, prompt_tail: str | None = None, reasoning_open: bool = False) -> None:
        self._parser = Parser(dialect, prompt_tail=prompt_tail, reasoning_open=reasoning_open)
        self._opener, self._closer = markers(dialect) or ("", "")
        self._text = ""
        self._has_reasoning = False
        self.has_ended = False

    def push(self, text: str) -> tuple[str, str]:
        """The reasoning that is certain now, and the text after it."""
        if self.has_ended:
            return "", text
        self._text += text
        return self._divide(self._parser.push(text))

    def finish(self) -> tuple[str, str]:
        if self.has_ended:
            return "", ""
        self._parser.finish("unknown")
        reasoning, rest = self._divide(self._parser.last_events)
        if self.has_ended:
            return reasoning, rest
        self.has_ended = True
        # White space of which the parser was not to know whether a reasoning follows.
        return reasoning, "" if self._has_reasoning else self._text

    def _divide(self, events: list[Event]) -> tuple[str, str]:
        reasoning = ""
        for event in events:
            text = (event.text or "").strip()
            if event.type == "note":
                continue
            if event.type == "reasoning":
                self._has_reasoning = True
                reasoning += event.text or ""
            elif event.type == "markup" and text == self._opener.strip():
                self._has_reasoning = True
            elif event.type == "markup" and text == self._closer:
                return reasoning, self._end(event.span[1])
            elif self._has_reasoning or text or event.type != "text":
                return reasoning, self._end(event.span[0] if self._has_reasoning else 0)
        return reasoning, ""

    def _end(self, place: int) -> str:
        self.has_ended = True
        rest, self._text = self._text[place:], ""
        return rest
