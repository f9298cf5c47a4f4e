from typing import Any, final

__version__: str

@final
class BatchParser:
    """Reads tables with one set of options. Threads may share it."""

    def __new__(cls, dialect: str, tools: str | None, column: str | None, tools_column: str, prefix: str) -> BatchParser: ...
    def parse(self, table: Any) -> Any:
        """A batch with more columns: a batch for a batch, a stream of batches for a stream."""
