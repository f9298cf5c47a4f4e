"""What the parser uses of verl 0.9: the base class with its registry, and the type of a call.

`modules(has_ids=False)` has the call of versions before 0.9, which has no id.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import ModuleType
from typing import Any, Callable, Optional

from pydantic import BaseModel


class OldFunctionCall(BaseModel):
    arguments: str
    name: str


class FunctionCall(OldFunctionCall):
    tool_call_id: Optional[str] = None


def modules(has_ids: bool) -> dict[str, ModuleType]:
    """The modules by name."""

    class ToolParser(ABC):
        _registry: dict[str, type] = {}

        def __init__(self, tokenizer: Any) -> None:
            self.tokenizer = tokenizer

        @abstractmethod
        async def extract_tool_calls(self, responses_ids: list[int], tools: Any = None) -> tuple[str, list[Any]]: ...

        @classmethod
        def get_tool_parser(cls, name: str, tokenizer: Any) -> Any:
            return cls._registry[name](tokenizer)

        @classmethod
        def register(cls, name: str) -> Callable[[type], type]:
            def decorator(subclass: type) -> type:
                cls._registry[name] = subclass
                return subclass

            return decorator

    folder = "verl.experimental.agent_loop"
    made = {name: ModuleType(name) for name in ["verl", "verl.experimental", folder, f"{folder}.tool_parser"]}
    for module in made.values():
        module.__path__ = []
    setattr(made[f"{folder}.tool_parser"], "ToolParser", ToolParser)
    setattr(made[f"{folder}.tool_parser"], "FunctionCall", FunctionCall if has_ids else OldFunctionCall)
    return made
