"""Reads, verifies and runs the tool calls that language models write as text, in any dialect."""

from ._errors import (
    ConvertError,
    DialectError,
    Error,
    GrammarError,
    InternalError,
    RenderError,
    RepairError,
    SessionError,
    ToolsError,
)
from ._toolglot import (
    ApprovalRequest,
    Call,
    Conversion,
    Detection,
    Event,
    Message,
    Note,
    Parser,
    Repaired,
    Run,
    Session,
    Step,
    __version__,
    convert,
    detect,
    grammar,
    parse,
    prompt,
    render,
    repair,
)

# What reads type hints takes as long to import as all the rest: `tool` comes when it is asked for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._tools import tool

__all__ = [
    "ApprovalRequest",
    "Call",
    "Conversion",
    "ConvertError",
    "Detection",
    "DialectError",
    "Error",
    "Event",
    "GrammarError",
    "InternalError",
    "Message",
    "Note",
    "Parser",
    "RenderError",
    "RepairError",
    "Repaired",
    "Run",
    "Session",
    "SessionError",
    "Step",
    "ToolsError",
    "__version__",
    "convert",
    "detect",
    "grammar",
    "parse",
    "prompt",
    "render",
    "repair",
    "tool",
]


def __getattr__(name: str) -> object:
    if name == "tool":
        from ._tools import tool

        return tool
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
