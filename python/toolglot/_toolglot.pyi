from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, SupportsInt, TypedDict, final

from ._text import Grammar, Instructions, Rendered

_Span = tuple[int, int]
_Tools = str | Mapping[str, Any] | Sequence[Any]
_Finish = Literal["stop", "length", "unknown", "tool_calls", "tool_use", "end_turn", "eos", "max_tokens", "abort"]
_InCode = Literal["auto", "ignore", "accept"]
_InReasoning = Literal["ignore", "accept"]
_Class = Literal["answer", "reasoning", "markup", "name", "arguments"]
_End = Literal["closed", "recovered", "truncated"]
_Place = Literal["answer", "reasoning", "code"]

__all__ = [
    "ApprovalRequest",
    "Call",
    "Conversion",
    "Detection",
    "Event",
    "Message",
    "Note",
    "Parser",
    "Repaired",
    "Run",
    "Session",
    "Step",
    "__version__",
    "_panic_for_tests",
    "_restore_message",
    "command_line",
    "convert",
    "detect",
    "grammar",
    "parse",
    "prompt",
    "render",
    "repair",
]

__version__: str

def parse(
    text: str | bytes,
    dialect: str = "auto",
    tools: _Tools | None = None,
    *,
    tool_choice: str | Mapping[str, Any] | None = None,
    prompt_tail: str | None = None,
    reasoning_open: bool = False,
    finish: _Finish = "stop",
    in_code: _InCode = "auto",
    in_reasoning: _InReasoning = "ignore",
) -> Message:
    """Reads a whole message. What a model wrote is never an error."""

def render(message: Message | Mapping[str, Any] | Sequence[Any], dialect: str, tools: _Tools | None = None) -> Rendered:
    """Writes calls or results in a dialect, exact to the byte.

    `message` is a message that was read, a list of calls, `{"calls": [..], "content"?}` or `{"results": [..]}`.
    """

def prompt(dialect: str, tools: _Tools) -> Instructions:
    """Writes the instructions that teach a model a dialect with these tools."""

def grammar(
    dialect: str,
    tools: _Tools,
    format: Literal["gbnf", "lark", "structural-tag", "legacy-structural-tag", "json-schema"],
    *,
    tool_choice: str = "auto",
    parallel: bool = True,
    reasoning: Literal["none", "open", "optional"] = "none",
    tokens: Sequence[str] = (),
    strict: bool = False,
) -> Grammar:
    """Writes a grammar for constrained decoding: under it a model can write only calls that fit.

    `tool_choice` is `auto`, `required`, `none`, or the name of a tool. `tokens` are markers that are one token each in the model's
    vocabulary. With `strict`, what a schema says and the grammar cannot
    is an error in place of a note.
    """

def repair(
    text: str | bytes,
    schema: Mapping[str, Any] | None = None,
    *,
    preset: Literal["llm", "jsonrepair", "json_repair"] = "llm",
) -> Repaired:
    """Repairs a document that should be JSON, and brings it to a schema."""

def convert(
    document: str | Mapping[str, Any] | Sequence[Any],
    to: str,
    *,
    source: str = "auto",
    tools: _Tools | None = None,
    check: bool = False,
) -> Conversion:
    """Converts a conversation, or the text of one message, into a dialect, `openai` or `responses`."""

def detect(template: str) -> Detection:
    """Says which dialect a chat template teaches: Jinja, or the text of a `tokenizer_config.json`."""

def command_line(arguments: Sequence[str | PathLike[str]]) -> int:
    """Carries out one command of the command line, whose first argument is the program's name, and gives its exit code."""

def _restore_message(text: str) -> Message: ...
def _panic_for_tests() -> bool: ...

@final
class Note:
    """A remark on the model's text: its stable code, its place, and what was done."""

    @property
    def code(self) -> str:
        """`N` and three digits; `toolglot explain` says what it means."""

    @property
    def name(self) -> str:
        """The code's name, as in `trailing-comma`."""

    @property
    def span(self) -> _Span:
        """Where it points, in code points of the text."""

    @property
    def byte_span(self) -> _Span:
        """Where it points, in bytes of UTF-8."""

    @property
    def message(self) -> str:
        """What was found and what was done."""

    @property
    def help(self) -> str | None:
        """What to write instead, where there is something to write."""

    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Event:
    """One step of a message, in order. Attributes that its type does not have are `None`."""

    @property
    def type(self) -> Literal["text", "reasoning", "markup", "call_start", "args", "late_id", "call_end", "note"]: ...
    @property
    def span(self) -> _Span:
        """What the event accounts for, in code points. The spans of all events but notes tile the text."""

    @property
    def byte_span(self) -> _Span: ...
    @property
    def text(self) -> str | None:
        """The text of `text`, `reasoning` and `markup`."""

    @property
    def call(self) -> int | None:
        """The index of the call."""

    @property
    def json(self) -> str | None:
        """A piece of a call's arguments (`args`). All pieces together are a prefix of one JSON object at any time."""

    @property
    def id(self) -> str | None:
        """The id that the model wrote (`call_start`, `late_id`)."""

    @property
    def name(self) -> str | None:
        """The tool's name (`call_start`)."""

    @property
    def name_span(self) -> _Span | None: ...
    @property
    def server(self) -> str | None: ...
    @property
    def dialect(self) -> str | None: ...
    @property
    def place(self) -> _Place | None: ...
    @property
    def is_freeform(self) -> bool | None:
        """Whether a chat API has one raw text for the call (`call_start`)."""

    @property
    def end(self) -> _End | None:
        """How the call ended (`call_end`). Nothing of a call may run before."""

    @property
    def note(self) -> Note | None: ...

@final
class Call:
    """One call of a message. Only one that is `runnable` may run."""

    @property
    def index(self) -> int: ...
    @property
    def id(self) -> str | None:
        """The id that the model wrote."""

    @property
    def name(self) -> str:
        """The tool's name as the model wrote it, or as the dialect fixes it."""

    @property
    def server(self) -> str | None: ...
    @property
    def arguments(self) -> dict[str, Any] | None:
        """The arguments, made a dict when they are first asked for. `None` where the text never became an object, or nests deeper
        than 512 levels."""

    @property
    def arguments_json(self) -> str:
        """The arguments as JSON text; a prefix of it where the call is truncated."""

    @property
    def span(self) -> _Span: ...
    @property
    def byte_span(self) -> _Span: ...
    @property
    def name_span(self) -> _Span: ...
    @property
    def dialect(self) -> str: ...
    @property
    def place(self) -> _Place: ...
    @property
    def end(self) -> _End: ...
    @property
    def is_freeform(self) -> bool:
        """Whether a chat API has one raw text for the call, which is its argument `input`."""

    @property
    def runnable(self) -> bool:
        """Whether it may run: it is closed, its arguments are an object, and no note says that it is unknown or invalid."""

    @property
    def notes(self) -> tuple[Note, ...]: ...

@final
class Message:
    """A message that was read: its calls, its text and its notes."""

    @property
    def calls(self) -> tuple[Call, ...]: ...
    @property
    def notes(self) -> tuple[Note, ...]: ...
    @property
    def content(self) -> str:
        """All text outside calls, verbatim."""

    @property
    def reasoning(self) -> str: ...
    @property
    def dialect(self) -> str | None:
        """The dialect of all calls; `None` where there is no call or they differ."""

    @property
    def text(self) -> str:
        """The text that spans point into."""

    @property
    def source(self) -> str | bytes:
        """What was pushed: `bytes` if any piece was, and `str` otherwise."""

    @property
    def is_clean(self) -> bool:
        """Whether there is no note, and all calls are closed."""

    @property
    def is_faulty(self) -> bool:
        """Whether a call is truncated, unknown or invalid."""

    @property
    def note_counts(self) -> dict[str, int]:
        """How often each note was given, by its name."""

    @property
    def segments(self) -> list[tuple[int, int, _Class]]:
        """The runs of one class, `(start, end, class)` in code points. They tile the text."""

    def mask(
        self, offsets: Iterable[Sequence[SupportsInt]], *, unit: Literal["code_points", "bytes"] = "code_points"
    ) -> list[_Class | None]:
        """The class of each token, by the places where tokens start and end: that of its first byte. `None` for an empty token."""

    def to_openai(self, *, recovered: bool = False, seed: str | None = None) -> dict[str, Any]:
        """The message of OpenAI's chat API. A call that is not sure is a text in it, unless `recovered` asks for it."""

    def to_responses(self, *, recovered: bool = False, seed: str | None = None) -> list[dict[str, Any]]:
        """The items of OpenAI's Responses API."""

    def to_anthropic(self, *, recovered: bool = False, seed: str | None = None) -> dict[str, Any]:
        """The message of Anthropic's API."""

    def to_dict(self) -> dict[str, Any]:
        """The document that `toolglot parse --format json` writes."""

    def to_json(self) -> str: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Callable[[str], Message], tuple[str]]: ...
    def _repr_html_(self) -> str: ...

@final
class Parser:
    """Reads one message as it streams. One thread uses it at a time."""

    def __new__(
        cls,
        dialect: str = "auto",
        tools: _Tools | None = None,
        *,
        tool_choice: str | Mapping[str, Any] | None = None,
        prompt_tail: str | None = None,
        reasoning_open: bool = False,
        in_code: _InCode = "auto",
        in_reasoning: _InReasoning = "ignore",
        special_tokens: Sequence[str] | None = None,
    ) -> Parser: ...
    def push(self, text: str | bytes) -> list[Event]:
        """Reads more of the message, and gives the events that are certain now."""

    def push_token(self, text: str | bytes, id: int | None = None, *, special: bool = False) -> list[Event]:
        """Reads one token. One that is special outranks text that looks the same."""

    def finish(self, reason: _Finish = "stop") -> Message:
        """Ends the message. `push` after it raises `RuntimeError`."""

    @property
    def last_events(self) -> list[Event]:
        """The events that came of the message's end; empty before it."""

    @property
    def held(self) -> str:
        """The text that no event accounts for yet."""

    @property
    def is_finished(self) -> bool: ...

@final
class Repaired:
    """A repaired document."""

    @property
    def text(self) -> str:
        """The JSON text."""

    @property
    def value(self) -> Any:
        """The document as objects of Python."""

    @property
    def notes(self) -> tuple[Note, ...]: ...
    @property
    def is_faulty(self) -> bool:
        """Whether the value does not fit the schema."""

@final
class Conversion:
    """A converted conversation, and what became of its parts."""

    @property
    def document(self) -> Any: ...
    @property
    def calls(self) -> int:
        """How many calls were carried."""

    @property
    def results(self) -> int: ...
    @property
    def left(self) -> list[str]:
        """Messages that stayed as they were: the place of each, and why."""

    @property
    def doubtful(self) -> list[str]:
        """What was carried and is in doubt: the place of each, and why."""

    @property
    def differ(self) -> int:
        """How many messages the target would read otherwise; they stayed as they were."""

@final
class Detection:
    """The dialects that a chat template teaches, the best first."""

    @property
    def dialect(self) -> str | None: ...
    @property
    def candidates(self) -> list[str]: ...
    @property
    def literals(self) -> list[tuple[str, int, int]]:
        """The literals of the best, `(text, line, column)` in the template."""

    @property
    def call(self) -> str | None:
        """The call that the template writes, where it could be run."""

@final
class ApprovalRequest:
    """A question about a call."""

    @property
    def tool(self) -> str: ...
    @property
    def arguments(self) -> dict[str, Any]: ...
    @property
    def root(self) -> PathLike[str]: ...
    @property
    def rule(self) -> str:
        """The rule that asks."""

    @property
    def because(self) -> str: ...
    @property
    def diff(self) -> str | None:
        """What an edit would change."""

    @property
    def digest(self) -> str:
        """The SHA-256 of the call and of the file that it would change."""

    @property
    def notes(self) -> list[Note]: ...

@final
class Session:
    """A root with its policy, its tools, and whoever approves calls."""

    def __new__(
        cls,
        root: str | PathLike[str],
        *,
        policy: str | PathLike[str] | None = None,
        policy_text: str | None = None,
        tools: _Tools | None = None,
        approver: Callable[[ApprovalRequest], bool] | None = None,
        dialect: str = "auto",
        allow: str = "",
        audit: str | PathLike[str] | None = None,
        audit_values: bool = False,
        dry_run: bool = False,
        many: bool = False,
        journal: bool = True,
        sandbox: Literal["plain", "landlock", "namespaces"] | None = None,
        finish: _Finish | None = None,
    ) -> Session: ...
    def run(self, text: str | bytes) -> Run:
        """Reads a message, carries out its calls, and writes the answer."""

    def cancel(self) -> None:
        """Ends the calls that are running, and all that come later. For another thread."""

    @property
    def root(self) -> PathLike[str]: ...
    @property
    def warnings(self) -> list[str]:
        """What is to be said about the policy files."""

@final
class Run:
    """What came of a message."""

    @property
    def answer(self) -> str:
        """What is given back to the model; empty where there is nothing to say."""

    @property
    def is_fine(self) -> bool: ...
    @property
    def pending(self) -> int | None:
        """The index of the call that waits for a person, if one does."""

    @property
    def journal_problem(self) -> str | None:
        """Why what the calls changed cannot be taken back, if it cannot."""

    @property
    def message(self) -> Message: ...
    @property
    def steps(self) -> list[Step]: ...
    def to_dict(self) -> dict[str, Any]:
        """The document that `toolglot run --format json` writes."""

@final
class Step:
    """What became of one call."""

    @property
    def tool(self) -> str: ...
    @property
    def arguments(self) -> dict[str, Any]: ...
    @property
    def state(self) -> Literal["done", "refused", "repeated", "planned", "pending"]: ...
    @property
    def decision(self) -> Literal["allow", "ask", "deny"]: ...
    @property
    def rule(self) -> str: ...
    @property
    def because(self) -> str: ...
    @property
    def is_fine(self) -> bool: ...
    @property
    def text(self) -> str | None:
        """What the model reads of it, without the frame of its dialect."""

    @property
    def output(self) -> Any: ...
    @property
    def duration_s(self) -> float: ...
    @property
    def notes(self) -> list[Note]: ...
