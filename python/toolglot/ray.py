"""Ray Data: the tool calls of a dataset, read on all its workers.

This needs `ray[data]` and `toolglot-arrow`.
"""

from __future__ import annotations

from typing import Any


def map_batches(
    dataset: Any,
    *,
    dialect: str = "auto",
    tools: Any = None,
    column: str | None = None,
    tools_column: str = "tools",
    prefix: str = "toolglot_",
    batch_size: int | None = 1024,
    **options: Any,
) -> Any:
    """The dataset with the columns of `toolglot_arrow.parse_batch`, which is lazy like every dataset.

    A row becomes what it holds, wherever and however often it is read: a worker that dies changes no output.
    `options` are those of `Dataset.map_batches`, such as `num_cpus` and `concurrency`.
    """
    from ray.data import Dataset
    from toolglot_arrow import parse_batch

    if not isinstance(dataset, Dataset):
        raise TypeError(f"expected a ray.data.Dataset, found {type(dataset).__name__}")
    reading = {"dialect": dialect, "tools": tools, "column": column, "tools_column": tools_column, "prefix": prefix}

    def parsed(batch: Any) -> Any:
        import pyarrow

        return pyarrow.table(parse_batch(batch, **reading))

    return dataset.map_batches(parsed, batch_format="pyarrow", batch_size=batch_size, zero_copy_batch=True, **options)
