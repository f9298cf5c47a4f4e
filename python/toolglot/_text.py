"""Texts that carry what was said about them."""

from __future__ import annotations

from ._toolglot import Note


class Rendered(str):
    """A text in a dialect.

    `notes` has what was changed in results: the index of each result, and the note. `recovered` has the indexes of calls that
    read back with the same arguments, and with a value in doubt, since it holds what could end it.
    """

    notes: tuple[tuple[int, Note], ...]
    recovered: tuple[int, ...]

    def __new__(
        cls, text: str, notes: tuple[tuple[int, Note], ...] = (), recovered: tuple[int, ...] = ()
    ) -> Rendered:
        rendered = super().__new__(cls, text)
        rendered.notes = notes
        rendered.recovered = recovered
        return rendered


class Instructions(str):
    """The text for a system prompt. `left_out` names the tools that the dialect has no call of."""

    left_out: tuple[str, ...]

    def __new__(cls, text: str, left_out: tuple[str, ...] = ()) -> Instructions:
        instructions = super().__new__(cls, text)
        instructions.left_out = left_out
        return instructions


class Grammar(str):
    """A grammar for a server that samples under it.

    It holds from the first of `triggers` on, or from the start where there are none. `notes` has what it does not say.
    """

    triggers: tuple[str, ...]
    notes: tuple[str, ...]
    n_rules: int

    def __new__(cls, text: str, triggers: tuple[str, ...] = (), notes: tuple[str, ...] = (), n_rules: int = 0) -> Grammar:
        grammar = super().__new__(cls, text)
        grammar.triggers = triggers
        grammar.notes = notes
        grammar.n_rules = n_rules
        return grammar
