"""The examples of the README run, each by itself where its program is here."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="SKIPPED: pyarrow is not here")

README = Path(__file__).resolve().parents[1] / "README.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(1, len(BLOCKS)), ids=["ray", "daft", "spark"])
def test_an_example_runs(number: int, tmp_path: Path) -> None:
    file = tmp_path / "example.py"
    file.write_text(BLOCKS[0] + BLOCKS[number], encoding="utf-8")
    # Spark asks for `python3` otherwise.
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    command = [sys.executable, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr


def test_the_package_is_typed() -> None:
    pytest.importorskip("mypy", reason="SKIPPED: mypy is not here")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null", str(README.parent / "toolglot_arrow")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
