"""Sessions: what runs, what is asked about, and what is refused."""

from __future__ import annotations

import dataclasses
import enum
import sys
import threading
from pathlib import Path
from typing import Annotated, Any, Literal, Optional, TypedDict

import pytest
import toolglot
from toolglot._tools import as_tool


def call(name: str, arguments: str) -> str:
    return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'


@toolglot.tool(effect="read")
def add(a: int, b: int = 1) -> int:
    """Adds two numbers.

    Args:
        a: the first
        b: the second,
            or one
    """
    return a + b


def touch(path: str) -> str:
    """Says nothing about what it does."""
    return f"touched {path}"


class Asked:
    def __init__(self, answer: Any) -> None:
        self.answer, self.requests = answer, list[toolglot.ApprovalRequest]()

    def __call__(self, request: toolglot.ApprovalRequest) -> Any:
        self.requests.append(request)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


def session(root: Path, **options: Any) -> toolglot.Session:
    return toolglot.Session(root, journal=False, **{"dialect": "hermes", **options})


def test_a_function_that_only_reads_runs(tmp_path: Path) -> None:
    run = session(tmp_path, tools=[add], allow="read").run(call("add", '{"a": 2}') + "\n")
    (step,) = run.steps
    assert (step.tool, step.state, step.decision, step.output, step.text) == ("add", "done", "allow", 3, "3")
    assert run.is_fine and "3" in run.answer and "<tool_response>" in run.answer
    assert run.message.calls[0].name == "add"
    assert run.message.mask([(0, 1)]) == ["markup"]
    assert run.to_dict()["calls"][0]["result"]["output"] == 3
    assert step.duration_s >= 0 and step.arguments == {"a": 2, "b": 1}


def test_one_that_says_nothing_is_asked_about(tmp_path: Path) -> None:
    text = call("touch", '{"path": "x"}')
    refused = session(tmp_path, tools=[touch]).run(text)
    assert refused.steps[0].state == "refused" and refused.steps[0].rule == "effect-unknown"
    asked = Asked(True)
    run = session(tmp_path, tools=[touch], approver=asked).run(text)
    assert run.steps[0].output == "touched x"
    (request,) = asked.requests
    assert (request.tool, request.arguments, request.rule) == ("touch", {"path": "x"}, "effect-unknown")
    assert Path(request.root) == tmp_path and len(request.digest) == 64


@pytest.mark.parametrize("answer", [False, None, 1, "yes", RuntimeError("no")])
def test_nothing_but_true_approves(tmp_path: Path, answer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    unraisable: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    run = session(tmp_path, tools=[touch], approver=Asked(answer)).run(call("touch", '{"path": "x"}'))
    (step,) = run.steps
    is_raised = isinstance(answer, Exception)
    assert (step.state, step.decision, step.rule) == ("refused", "deny", "approver-failed" if is_raised else "not-approved")
    assert len(unraisable) == is_raised


def test_an_interrupt_goes_through(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        session(tmp_path, tools=[touch], approver=Asked(KeyboardInterrupt())).run(call("touch", '{"path": "x"}'))

    @toolglot.tool(effect="read")
    def stop() -> None:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        session(tmp_path, tools=[stop], allow="read").run(call("stop", "{}"))


def test_a_function_that_raises_has_failed(tmp_path: Path) -> None:
    @toolglot.tool(effect="read")
    def fail() -> None:
        """Fails."""
        raise LookupError("nothing there")

    run = session(tmp_path, tools=[fail], allow="read").run(call("fail", "{}"))
    assert not run.is_fine and run.steps[0].text == "LookupError: nothing there"

    @toolglot.tool(effect="read")
    def strange() -> Any:
        return object()

    assert "has no JSON" in (session(tmp_path, tools=[strange], allow="read").run(call("strange", "{}")).steps[0].text or "")


def test_arguments_that_do_not_fit_do_not_reach_the_function(tmp_path: Path) -> None:
    called: list[int] = []

    @toolglot.tool(effect="read")
    def square(n: int) -> int:
        called.append(n)
        return n * n

    one = session(tmp_path, tools=[square], allow="read")
    for arguments in ['{"n": "x"}', "{}", '{"n": 1, "m": 2}']:
        assert one.run(call("square", arguments)).steps[0].state == "refused", arguments
    assert called == []


def test_a_call_of_which_a_part_was_guessed_changes_nothing(tmp_path: Path) -> None:
    written: list[str] = []

    @toolglot.tool(effect="write")
    def save(text: str) -> None:
        written.append(text)

    guessed = call("save", '{"text": "x"').replace("}\n", "\n")
    one = session(tmp_path, tools=[save], allow="read,write")
    assert one.run(guessed).steps[0].state == "refused" and written == []
    assert one.run(call("save", '{"text": "x"}')).steps[0].state == "done" and written == ["x"]


def test_an_effect_may_depend_on_the_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @toolglot.tool(effect=lambda arguments: "read" if arguments["dry"] else "write")
    def sync(dry: bool) -> str:
        return "done"

    one = session(tmp_path, tools=[sync], allow="read")
    assert one.run(call("sync", '{"dry": true}')).steps[0].state == "done"
    assert one.run(call("sync", '{"dry": false}')).steps[0].state == "refused"
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)

    @toolglot.tool(effect=lambda arguments: arguments["missing"])
    def odd(dry: bool) -> str:
        return "done"

    assert session(tmp_path, tools=[odd], allow="read,write").run(call("odd", '{"dry": true}')).steps[0].rule == "effect-unknown"


def test_builtin_tools_run_below_the_root(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("one\n")
    one = session(tmp_path, tools=["builtin:workspace", add], allow="read")
    run = one.run(call("read_file", '{"path": "notes.txt"}'))
    assert "one" in run.answer
    assert one.run(call("read_file", '{"path": "../notes.txt"}')).steps[0].state != "done"
    assert one.run(call("write_file", '{"path": "b", "content": "x"}')).steps[0].state == "refused"
    assert not (tmp_path / "b").exists()
    dry = session(tmp_path, tools=["builtin:workspace"], allow="read,write", dry_run=True)
    assert dry.run(call("write_file", '{"path": "b", "content": "x"}')).steps[0].state == "planned"
    assert not (tmp_path / "b").exists()


def test_only_the_tools_that_are_given_run(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("one\n")
    run = session(tmp_path, tools=[add], allow="read").run(call("read_file", '{"path": "notes.txt"}'))
    assert run.steps[0].state == "refused"


def test_everything_is_logged(tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"
    root = tmp_path / "root"
    root.mkdir()
    session(root, tools=[add], allow="read", audit=log).run(call("add", '{"a": 2}'))
    assert '"before"' in log.read_text() and '"after"' in log.read_text()


def test_what_a_session_cannot_be_made_from(tmp_path: Path) -> None:
    with pytest.raises(toolglot.SessionError, match="policy"):
        session(tmp_path, policy_text="version = [")
    with pytest.raises(toolglot.SessionError):
        toolglot.Session(tmp_path / "none")
    with pytest.raises(toolglot.SessionError, match="`wirte`"):
        session(tmp_path, allow="wirte")
    with pytest.raises(toolglot.DialectError):
        session(tmp_path, dialect="nope")
    with pytest.raises(toolglot.SessionError, match="`read_file`"):

        def read_file(path: str) -> str:
            return ""

        session(tmp_path, tools=[read_file])
    with pytest.raises(toolglot.ToolsError, match="unknown effect"):
        session(tmp_path, tools=[toolglot.tool(effect="reads")(add_copy)])


def add_copy(a: int) -> int:
    return a


def test_sessions_run_in_threads(tmp_path: Path) -> None:
    one = session(tmp_path, tools=[add], allow="read")
    results: list[Any] = []
    threads = [threading.Thread(target=lambda n=n: results.append(one.run(call("add", f'{{"a": {n}}}')).steps[0].output)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == list(range(1, 17))


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.0


class Options(TypedDict, total=False):
    deep: bool


def draw(
    at: Point,
    color: Color,
    shape: Literal["line", "dot"],
    path: list[Point],
    size: tuple[int, int],
    tags: set[str],
    options: Options,
    label: Optional[str] = None,
    weights: Annotated[dict[str, float], "by name"] = {},
    anything: Any = None,
) -> str:
    """Draws.

    :param color: which
      color
    :param at: where
    """
    assert isinstance(at, Point) and isinstance(at.x, float) and isinstance(color, Color)
    assert all(isinstance(one, Point) for one in path) and isinstance(size, tuple) and isinstance(tags, set)
    return f"{at} {color.name} {shape} {len(path)} {size} {sorted(tags)} {options} {label} {weights}"


def test_type_hints_become_a_schema_and_values_come_back_as_them(tmp_path: Path) -> None:
    described = as_tool(draw)
    assert described.description == "Draws."
    properties = described.parameters["properties"]
    assert properties["color"] == {"type": "string", "enum": ["red", "blue"], "description": "which color"}
    assert properties["shape"] == {"type": "string", "enum": ["line", "dot"]}
    assert properties["at"]["required"] == ["x"] and properties["at"]["description"] == "where"
    assert properties["size"]["minItems"] == properties["size"]["maxItems"] == 2
    assert properties["label"] == {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}
    assert properties["weights"]["description"] == "by name" and properties["tags"]["uniqueItems"]
    assert properties["options"] == {
        "type": "object",
        "properties": {"deep": {"type": "boolean"}},
        "additionalProperties": False,
    }
    assert described.parameters["required"] == ["at", "color", "shape", "path", "size", "tags", "options"]
    arguments = (
        '{"at": {"x": 1}, "color": "red", "shape": "dot", "path": [{"x": 1, "y": 2}], "size": [1, 2], "tags": ["b", "a"],'
        ' "options": {"deep": true}, "label": "l", "weights": {"a": 1}}'
    )
    run = session(tmp_path, tools=[toolglot.tool(effect="read")(draw)], allow="read").run(call("draw", arguments))
    assert run.steps[0].text == "Point(x=1.0, y=0.0) RED dot 1 (1, 2) ['a', 'b'] {'deep': True} l {'a': 1.0}", run.to_dict()


def test_docstrings_are_read_in_three_forms() -> None:
    def numpy(a: int, b: int) -> None:
        """Does it.

        Parameters
        ----------
        a : int
            the first
        b : int
            the second

        Returns
        -------
        nothing : None
        """

    described: list[tuple[Any, str]] = [(numpy, "the first"), (add, "the first"), (draw, "where")]
    for function, first in described:
        properties = as_tool(function).parameters["properties"]
        assert next(iter(properties.values()))["description"] == first
    assert as_tool(add).parameters["properties"]["b"]["description"] == "the second, or one"
    assert as_tool(numpy).description == "Does it."


def test_a_function_that_no_schema_describes_says_where() -> None:
    def star(*paths: str) -> None: ...
    def keys(a: dict[int, str]) -> None: ...
    def odd(a: complex) -> None: ...
    async def later(a: int) -> None: ...

    for function, place in [(star, "/star/paths"), (keys, "/keys/a"), (odd, "/odd/a"), (later, "/later"), (lambda a: a, "")]:
        with pytest.raises(toolglot.ToolsError) as raised:
            toolglot.parse("x", tools=[function])
        assert raised.value.place == place
