"""What the package adds to the engine: import, `push`, `parse`. Run it against a release wheel. Times are CPU time."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from collections.abc import Callable

import toolglot

N = 200_000


def best(measure: object, rounds: int = 7) -> float:
    """The shortest of several rounds: other load only adds."""
    return min(measure() for _ in range(rounds))  # type: ignore[operator]


def imported() -> float:
    code = "import time; t = time.process_time(); import toolglot; print(time.process_time() - t)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def pushed(piece: str) -> float:
    parser = toolglot.Parser("hermes")
    push = parser.push
    start = time.process_time()
    for _ in range(N):
        push(piece)
    return (time.process_time() - start) / N


def pushed_at_once(piece: str) -> float:
    parser = toolglot.Parser("hermes")
    text = piece * N
    start = time.process_time()
    parser.push(text)
    return (time.process_time() - start) / N


def tools(name: str) -> list[dict[str, object]]:
    properties = {"path": {"type": "string"}, "all": {"type": "boolean"}}
    return [{"name": name, "parameters": {"type": "object", "properties": properties}}]


def parsed(n: int, dialect: str, tools_of: Callable[[int], list[dict[str, object]] | None]) -> float:
    """Parses a text with one call, the nth with the tools `tools_of(n)`."""
    text = 'I look.\n<tool_call>\n{"name": "ls", "arguments": {"path": "src", "all": true}}\n</tool_call>'
    start = time.process_time()
    for number in range(n):
        toolglot.parse(text, dialect, tools=tools_of(number))
    return (time.process_time() - start) / n


def main() -> None:
    print(f"Python {sys.version.split()[0]}, toolglot {toolglot.__version__}")
    print(f"import                      {best(imported) * 1e3:8.2f} ms")
    for name, piece in [("empty", ""), ("a letter", "x"), ("a word", " hello"), ("a word of two scripts", " héllo")]:
        alone = best(lambda: pushed(piece))
        print(f"push of {name:20}{alone * 1e6:8.2f} us, in one push {best(lambda: pushed_at_once(piece), 3) * 1e6:.2f} us each")
    known = tools("ls")
    new = itertools.count()
    for what, n, dialect, tools_of in [
        ("hermes", 2_000, "hermes", lambda _: None),
        ("all dialects", 2_000, "auto", lambda _: None),
        ("known tools", 2_000, "auto", lambda _: known),
        ("a new tool each", 50, "auto", lambda _: tools(f"ls_{next(new)}")),
    ]:
        seconds = best(lambda: parsed(n, dialect, tools_of))
        print(f"parse of one call, {what:16}{seconds * 1e6:8.2f} us")


if __name__ == "__main__":
    main()
