"""Rows per second of `parse_batch` by itself and on the workers of Ray Data, Daft and Spark: `python tables.py [ROWS]`.

Every engine runs two workers and gives the same columns, or the run fails. Run it against release wheels of `toolglot` and
`toolglot-arrow`; an engine that is not installed is left out loudly. Times are those of the clock, the second of two runs.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable

import pyarrow
from toolglot_arrow import parse_batch

ROWS_OF_A_BATCH = 4096
WORKERS = 2
COLUMN = "toolglot_document"


def rows(n: int) -> list[str]:
    """Texts with a call of one to three arguments, each another one."""
    texts = []
    for index in range(n):
        arguments = {"path": f"src/file_{index}.rs", "depth": index % 7, "note": "x" * (index % 300)}
        call = {"name": "look_up", "arguments": dict(list(arguments.items())[: 1 + index % 3])}
        texts.append(f"Row {index}.\n<tool_call>\n{json.dumps(call)}\n</tool_call>")
    return texts


def alone(table: pyarrow.Table) -> Callable[[], list[str]]:
    def run() -> list[str]:
        read = pyarrow.table(parse_batch(table.to_reader(ROWS_OF_A_BATCH), dialect="hermes"))
        return read[COLUMN].to_pylist()

    return run


def on_ray(table: pyarrow.Table) -> Callable[[], list[str]]:
    import ray
    import toolglot.ray

    ray.init(num_cpus=WORKERS, include_dashboard=False, logging_level="error")
    ray.data.DataContext.get_current().enable_progress_bars = False
    ray.data.DataContext.get_current().execution_options.preserve_order = True

    def run() -> list[str]:
        dataset = ray.data.from_arrow(table).repartition(2 * WORKERS)
        read = toolglot.ray.map_batches(dataset, dialect="hermes", batch_size=ROWS_OF_A_BATCH)
        return [row[COLUMN] for row in read.select_columns([COLUMN]).take_all()]

    return run


def on_daft(table: pyarrow.Table) -> Callable[[], list[str]]:
    import daft

    @daft.udf(return_dtype=daft.DataType.string())
    def document(texts: daft.Series) -> pyarrow.Array:
        batch = pyarrow.table({"text": texts.to_arrow()})
        return pyarrow.table(parse_batch(batch, dialect="hermes"))[COLUMN].combine_chunks()

    def run() -> list[str]:
        frame = daft.from_arrow(table).with_column(COLUMN, document(daft.col("text")))
        return frame.select(COLUMN).to_pydict()[COLUMN]

    return run


def on_spark(table: pyarrow.Table) -> Callable[[], list[str]]:
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {"spark.ui.enabled": "false", "spark.sql.execution.arrow.pyspark.enabled": "true"}
    builder = SparkSession.builder.master(f"local[{WORKERS}]").config(map=settings)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    frame = spark.createDataFrame(table.to_pandas()).repartitionByRange(2 * WORKERS, "index")

    def documents(batches):  # type: ignore[no-untyped-def]
        from toolglot_arrow import parse_batch

        for batch in batches:
            read = pyarrow.record_batch(parse_batch(batch, column="text", dialect="hermes"))
            yield read.select(["index", COLUMN])

    def run() -> list[str]:
        read = frame.mapInArrow(documents, f"index long, {COLUMN} string")
        return [row[COLUMN] for row in sorted(read.collect(), key=lambda row: row["index"])]

    return run


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    table = pyarrow.table({"index": range(n), "text": rows(n)})
    right = alone(table)()
    for name, make in [("parse_batch", alone), ("Ray Data", on_ray), ("Daft", on_daft), ("Spark", on_spark)]:
        try:
            run = make(table)
        except ImportError as error:
            print(f"{name:12} LEFT OUT: {error}")
            continue
        for _ in range(2):
            start = time.monotonic()
            found = run()
            seconds = time.monotonic() - start
            if found != right:
                sys.exit(f"{name}: other documents than `parse_batch` gives")
        print(f"{name:12}{n / seconds:12,.0f} rows/s", flush=True)


if __name__ == "__main__":
    main()
