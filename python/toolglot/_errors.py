"""The errors of the package. A model's text is never one of them."""

from __future__ import annotations


class Error(Exception):
    """Something that was handed over is wrong: tools, a dialect's name, a document, a policy.

    `place` says where: a JSON pointer, a line of a file. `help` says what to write instead. Each is `None` where there is nothing
    to say.
    """

    place: str | None
    help: str | None

    def __init__(self, message: str, place: str | None = None, help: str | None = None) -> None:
        super().__init__(message, place, help)
        self.place = place
        self.help = help

    def __str__(self) -> str:
        message = str(self.args[0])
        return f"{message}\nhelp: {self.help}" if self.help else message


class ToolsError(Error, ValueError):
    """A tool list that is none. `place` is the JSON pointer of what is wrong."""


class DialectError(Error, ValueError):
    """A dialect that is not known, or that cannot be used."""


class RenderError(Error, ValueError):
    """Calls or results that a dialect cannot carry."""


class GrammarError(Error, ValueError):
    """Calls that no grammar holds a model to: a schema that allows nothing, a dialect without a form for a tool."""


class RepairError(Error, ValueError):
    """A document that no rule makes JSON of, or a schema that is none."""


class ConvertError(Error, ValueError):
    """A document that is no conversation."""


class SessionError(Error):
    """A session that cannot be opened."""


class InternalError(Error):
    """A bug in toolglot. `place` is where in its source."""
