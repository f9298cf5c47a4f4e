"""The examples of the documents run, and the stubs say what is there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1]
DOCUMENTS = [PACKAGE / "README.md", *sorted((PACKAGE / "docs").glob("*.md"))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_the_examples_of_a_document_run(document: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", document.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert blocks, f"{document.name} has no example"
    done = subprocess.run([sys.executable, "-c", "\n".join(blocks)], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_stubs_are_those_of_the_module() -> None:
    pytest.importorskip("mypy", reason="SKIPPED: mypy is not here")
    command = [sys.executable, "-m", "mypy.stubtest", "toolglot._toolglot", "--ignore-disjoint-bases"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=PACKAGE / "tests")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_and_its_tests_are_typed() -> None:
    pytest.importorskip("mypy", reason="SKIPPED: mypy is not here")
    files = [str(path) for folder in ["toolglot", "toolglot/adapters", "tests"] for path in sorted((PACKAGE / folder).glob("*.py"))]
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=PACKAGE)
    assert done.returncode == 0, done.stdout + done.stderr
