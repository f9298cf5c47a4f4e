"""Reads, verifies and runs the tool calls that language models write as text, in any dialect."""

from ._errors import (
    ConvertError,
    DialectError,
    Error,
    InternalError,
    RenderError,
    RepairError,
    SessionError,
    ToolsError,
)
from ._toolglot import Call, Event, Message, Note, Parser, __version__, parse

__all__ = [
    "Call",
    "ConvertError",
    "DialectError",
    "Error",
    "Event",
    "InternalError",
    "Message",
    "Note",
    "Parser",
    "RenderError",
    "RepairError",
    "SessionError",
    "ToolsError",
    "__version__",
    "parse",
]
