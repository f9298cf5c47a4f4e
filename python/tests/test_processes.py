"""Threads, forks, interpreters, imports and the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest
import toolglot

TEXT = "I look é.\n<tool_call>{'name': 'ls', 'arguments': {'path': '.',}}</tool_call>\n" * 50


def python(code: str, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments, "-c", code], capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload,no-any-return]


def test_threads_read_the_same() -> None:
    expected = toolglot.parse(TEXT).to_json()
    found: list[bool] = []

    def read() -> None:
        for _ in range(20):
            found.append(toolglot.parse(TEXT).to_json() == expected)
            parser = toolglot.Parser()
            for at in range(0, len(TEXT), 100):
                parser.push(TEXT[at : at + 100])
            found.append(parser.finish().to_json() == expected)

    threads = [threading.Thread(target=read) for _ in range(2 * (os.cpu_count() or 1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found) and len(found) == 40 * len(threads)


def test_other_threads_run_while_one_reads() -> None:
    ran: list[bool] = []
    is_ready, may_run = threading.Event(), threading.Event()

    def other() -> None:
        is_ready.set()
        may_run.wait()
        ran.append(True)

    thread = threading.Thread(target=other)
    thread.start()
    is_ready.wait()
    interval = sys.getswitchinterval()
    # So long a thread keeps the lock that does not release it by itself.
    sys.setswitchinterval(1000)
    try:
        may_run.set()
        toolglot.parse(TEXT * 1000)
        did_run = list(ran)
    finally:
        sys.setswitchinterval(interval)
        thread.join()
    assert did_run == [True]


def test_a_parser_used_by_two_threads_says_so() -> None:
    parser = toolglot.Parser()
    text = TEXT * 100
    raised: list[BaseException] = []

    def push() -> None:
        try:
            parser.push(text)
        except RuntimeError as error:
            raised.append(error)

    threads = [threading.Thread(target=push) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("another thread" in str(error) for error in raised)
    parser.finish()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="SKIPPED: no fork on this system")
def test_a_fork_reads_on() -> None:
    toolglot.parse(TEXT)
    parser = toolglot.Parser()
    parser.push(TEXT[:100])
    code = os.fork()
    if code == 0:
        try:
            parser.push(TEXT[100:])
            os._exit(0 if parser.finish() == toolglot.parse(TEXT) else 1)
        except BaseException:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(code, 0)[1]) == 0
    parser.push(TEXT[100:])
    assert parser.finish() == toolglot.parse(TEXT)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools_of_processes_exchange_messages(method: str) -> None:
    code = (
        "import multiprocessing, sys, toolglot\n"
        "def read(text): return toolglot.parse(text)\n"
        "if __name__ == '__main__':\n"
        f"    with multiprocessing.get_context({method!r}).Pool(2) as pool:\n"
        "        for message in pool.map(read, ['<tool_call>{\"name\": \"ls\", \"arguments\": {}}</tool_call>'] * 4):\n"
        "            assert message.calls[0].runnable\n"
        "    print('ok')\n"
    )
    file = Path(os.environ.get("PYTEST_TMP", "/tmp")) / f"toolglot_pool_{os.getpid()}_{method}.py"
    file.write_text(code)
    try:
        done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=False)
        assert done.stdout == "ok\n", done.stderr
    finally:
        file.unlink()


def test_another_interpreter_works_or_the_import_says_why_not() -> None:
    code = """
try:
    import _interpreters as interpreters
except ImportError:
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:
        interpreters = None
if interpreters is None:
    print("none")
else:
    import toolglot
    one = interpreters.create()
    try:
        found = interpreters.run_string(one, "import toolglot; toolglot.parse('x')")
    except Exception as error:
        found = error
    print(found)
"""
    done = python(code)
    if done.stdout == "none\n":
        pytest.skip("SKIPPED: this Python has no module for interpreters")
    assert done.returncode == 0, done.stderr
    assert "None" in done.stdout or "interpreter" in done.stdout, done.stdout


def test_an_import_brings_little() -> None:
    code = "import sys; before = set(sys.modules); import toolglot; print(sorted(set(sys.modules) - before))"
    done = python(code, "-S", "-I", "-X", "utf8")
    if "No module named 'toolglot'" in done.stderr:
        done = python(code)
    modules = set(json.loads(done.stdout.replace("'", '"')))
    assert {name for name in modules if not name.startswith("toolglot")} <= {"__future__"}, modules
    assert modules >= {"toolglot", "toolglot._errors", "toolglot._toolglot"}


def test_names_are_those_of_all() -> None:
    for name in toolglot.__all__:
        assert getattr(toolglot, name) is not None
    with pytest.raises(AttributeError):
        getattr(toolglot, "nope")


def test_the_command_line_is_inside() -> None:
    message = '<tool_call>{"name": "ls", "arguments": {}}</tool_call>'
    scripts = [[sys.executable, "-m", "toolglot"]]
    script = Path(sys.executable).parent / "toolglot"
    if script.exists():
        scripts.append([str(script)])
    for command in scripts:
        done = subprocess.run([*command, "parse", "--format", "json"], input=message, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and json.loads(done.stdout) == toolglot.parse(message).to_dict()
        faulty = [*command, "parse", "--format", "json", "--finish", "length"]
        assert subprocess.run(faulty, input=message[:40], capture_output=True, text=True, check=False).returncode == 1
        wrong = subprocess.run([*command, "prase"], capture_output=True, text=True, check=False)
        assert wrong.returncode == 2 and "prase" in wrong.stderr
        version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
        assert version.stdout.split() == ["toolglot", toolglot.__version__]


def test_the_package_is_typed() -> None:
    folder = Path(toolglot.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_toolglot.pyi").exists()


def test_the_wheel_is_small() -> None:
    wheel = os.environ.get("TOOLGLOT_WHEEL")
    if not wheel:
        pytest.skip("SKIPPED: no release wheel is named in TOOLGLOT_WHEEL")
    assert Path(wheel).stat().st_size < 12 << 20
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
        metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
        assert "Requires-Dist" not in files.read(metadata).decode()
    assert "toolglot/py.typed" in names
