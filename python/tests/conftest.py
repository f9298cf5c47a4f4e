"""What the tests share: the recorded cases, and which tests are the quick part."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Iterator

import pytest

ROOT = Path(__file__).resolve().parents[2]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="all rows of the recorded cases, and the largest inputs")


@pytest.fixture(scope="session")
def is_full(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--full"))


@pytest.fixture(autouse=True)
def without_settings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads the policy of whoever runs it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("settings")))


def shared_cases() -> Path | None:
    """The recorded cases: in the folder that `TOOLGLOT_SHARED` names, or in `shared` beside the checkout."""
    named = os.environ.get("TOOLGLOT_SHARED")
    if named == "":
        return None
    folder = (ROOT / named if named else ROOT.parent / "shared") / "cases"
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def cases() -> Path:
    folder = shared_cases()
    if folder is None:
        pytest.skip("SKIPPED: the recorded cases are not here; name their folder in TOOLGLOT_SHARED")
    return folder


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if shared_cases() is None:
        terminalreporter.write_line("!! LEFT OUT: the recorded cases; TOOLGLOT_SHARED=FOLDER pytest", red=True)


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    """All rows that hold a model's text, as lines of `parse --jsonl` have them."""
    for file in sorted(folder.glob("*.jsonl")) + sorted((folder / "seeds").glob("*.jsonl")):
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                text = row.get("input", row.get("raw"))
                if isinstance(text, str) and "op" not in row:
                    keys = ("reasoning_open", "prompt_suffix", "tool_choice")
                    known = {key: row[key] for key in keys if row.get(key) is not None}
                    tools = row.get("tools")
                    if isinstance(tools, (list, dict)):
                        known["tools"] = tools
                    yield {"id": row["id"], "input": text, "dialect": row.get("dialect") or "auto", **known}
