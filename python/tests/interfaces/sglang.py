"""What the detector uses of SGLang 0.5: its base class, its registry, and the types of a result."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from pydantic import BaseModel


class ToolCallItem(BaseModel):
    tool_index: int
    name: str | None = None
    parameters: str


class StreamingParseResult(BaseModel):
    normal_text: str = ""
    calls: list[ToolCallItem] = []


class BaseFormatDetector:
    def __init__(self) -> None:
        self.prev_tool_call_arr: list[dict[str, Any]] = []
        self.current_tool_id = -1
        self.current_tool_name_sent = False
        self.streamed_args_for_tool: list[str] = []


class FunctionCallParser:
    ToolCallParserEnum: dict[str, type] = {}


def modules() -> dict[str, ModuleType]:
    """The modules by name."""
    folder = "sglang.srt.function_call"
    names = ["sglang", "sglang.srt", folder, f"{folder}.base_format_detector", f"{folder}.core_types"]
    made = {name: ModuleType(name) for name in [*names, f"{folder}.function_call_parser"]}
    for module in made.values():
        module.__path__ = []
    setattr(made[f"{folder}.base_format_detector"], "BaseFormatDetector", BaseFormatDetector)
    setattr(made[f"{folder}.core_types"], "ToolCallItem", ToolCallItem)
    setattr(made[f"{folder}.core_types"], "StreamingParseResult", StreamingParseResult)
    setattr(made[f"{folder}.function_call_parser"], "FunctionCallParser", FunctionCallParser)
    return made
