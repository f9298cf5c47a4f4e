"""What the package adds to the engine: import, `push`, `parse`. Run it against a release wheel. Times are CPU time."""

from __future__ import annotations

import subprocess
import sys
import time

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


def parsed() -> float:
    text = 'I look.\n<tool_call>\n{"name": "ls", "arguments": {"path": "src", "all": true}}\n</tool_call>'
    start = time.process_time()
    for _ in range(2_000):
        toolglot.parse(text, "hermes")
    return (time.process_time() - start) / 2_000


def main() -> None:
    print(f"Python {sys.version.split()[0]}, toolglot {toolglot.__version__}")
    print(f"import                      {best(imported) * 1e3:8.2f} ms")
    for name, piece in [("empty", ""), ("a letter", "x"), ("a word", " hello"), ("a word of two scripts", " héllo")]:
        alone = best(lambda: pushed(piece))
        print(f"push of {name:20}{alone * 1e6:8.2f} us, in one push {best(lambda: pushed_at_once(piece), 3) * 1e6:.2f} us each")
    print(f"parse of one call           {best(parsed) * 1e6:8.2f} us")


if __name__ == "__main__":
    main()
