"""What the parser uses of rllm 0.3: the base class, the registry that agents look into, and the type of a call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from types import ModuleType
from typing import Any


@dataclass
class ToolCall:
    name: str
    arguments: dict[str, Any]
    arguments_raw: str | None = None


class ToolParser(ABC):
    @abstractmethod
    def parse(self, model_response: str) -> list[ToolCall]: ...

    @abstractmethod
    def get_tool_prompt(self, tools_schema: str) -> str: ...


def modules() -> dict[str, ModuleType]:
    """The modules by name."""
    names = ["rllm", "rllm.parser", "rllm.parser.tool_parser", "rllm.tools", "rllm.tools.tool_base"]
    made = {name: ModuleType(name) for name in names}
    for module in made.values():
        module.__path__ = []
    setattr(made["rllm.parser"], "PARSER_REGISTRY", {})
    setattr(made["rllm.parser.tool_parser"], "ToolParser", ToolParser)
    setattr(made["rllm.tools.tool_base"], "ToolCall", ToolCall)
    return made
