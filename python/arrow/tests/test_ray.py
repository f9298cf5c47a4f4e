"""Ray Data on this machine: the same output, also where a worker is killed."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any, Iterator

import pytest

ray = pytest.importorskip("ray", reason="SKIPPED: ray is not here")
pytest.importorskip("ray.data", reason="SKIPPED: ray[data] is not here")

import pyarrow as pa
import toolglot.ray
from toolglot_arrow import parse_batch

CALL = '<tool_call>{"name": "at", "arguments": {"line": %d}}</tool_call>'
ROWS = [{"id": n, "text": f"I go to {n}. {CALL % n}"} for n in range(4_000)]


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, logging_level="error", log_to_driver=False, _node_ip_address="127.0.0.1")
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    yield
    ray.shutdown()


def expected() -> list[dict[str, Any]]:
    return pa.table(parse_batch(pa.Table.from_pylist(ROWS), dialect="hermes")).to_pylist()


def in_order(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(({**row, "toolglot_calls": list(row["toolglot_calls"])} for row in rows), key=lambda row: row["id"])


def test_a_dataset_has_the_rows_of_one_table() -> None:
    dataset = ray.data.from_items(ROWS, override_num_blocks=8)
    read = toolglot.ray.map_batches(dataset, dialect="hermes", batch_size=100).take_all()
    assert json.dumps(in_order(read)) == json.dumps(expected())
    with pytest.raises(TypeError, match="expected a ray.data.Dataset, found list"):
        toolglot.ray.map_batches(ROWS)


def test_a_killed_worker_changes_no_output(tmp_path: Path) -> None:
    mark = tmp_path / "killed"

    def killed_once(batch: Any) -> Any:
        if 2_000 in batch.column("id").to_pylist() and not mark.exists():
            mark.write_text("")
            os.kill(os.getpid(), signal.SIGKILL)
        return batch

    dataset = ray.data.from_items(ROWS, override_num_blocks=8).map_batches(killed_once, batch_format="pyarrow", max_retries=3)
    read = toolglot.ray.map_batches(dataset, dialect="hermes", batch_size=100).take_all()
    assert mark.exists()
    assert json.dumps(in_order(read)) == json.dumps(expected())


def test_a_wrong_column_is_named() -> None:
    dataset = ray.data.from_items([{"prompt": "x"}])
    with pytest.raises(Exception, match="the table has `prompt`"):
        toolglot.ray.map_batches(dataset).take_all()
