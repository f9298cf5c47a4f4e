"""What the plugin uses of vLLM: the two base classes with their registries, and the types of an answer.

`modules("0.20")` has the types where vLLM 0.20 has them, `modules("0.33")` where 0.33 has them.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Literal

from pydantic import BaseModel, Field


class FunctionCall(BaseModel):
    name: str
    arguments: str


class ToolCall(BaseModel):
    id: str = "made"
    type: Literal["function"] = "function"
    function: FunctionCall


class DeltaFunctionCall(BaseModel):
    name: str | None = None
    arguments: str | None = None


class DeltaToolCall(BaseModel):
    id: str | None = None
    type: Literal["function"] | None = None
    index: int
    function: DeltaFunctionCall | None = None


class ExtractedToolCallInformation(BaseModel):
    tools_called: bool
    tool_calls: list[ToolCall]
    content: str | None = None


class DeltaMessage(BaseModel):
    role: str | None = None
    content: str | None = None
    reasoning: str | None = None
    tool_calls: list[DeltaToolCall] = Field(default_factory=list)


class ToolParser:
    engine_based_streaming = False

    def __init__(self, tokenizer: Any, tools: Any = None) -> None:
        self.prev_tool_call_arr: list[dict[str, Any]] = []
        self.current_tool_id = -1
        self.current_tool_name_sent = False
        self.streamed_args_for_tool: list[str] = []
        self.model_tokenizer = tokenizer
        self.tools = tools or []

    def adjust_request(self, request: Any) -> Any:
        return request


class ReasoningParser:
    engine_based_streaming = False

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
        self.model_tokenizer = tokenizer


class _Registry:
    def __init__(self) -> None:
        self.classes: dict[str, type] = {}

    def register_module(self, name: str, force: bool = True, module: type | None = None) -> None:
        assert module is not None
        self.classes[name] = module


def modules(version: str) -> dict[str, ModuleType]:
    """The modules by name."""
    protocol = "vllm.entrypoints.generate.base" if version == "0.33" else "vllm.entrypoints.openai.engine"
    parts = protocol.split(".")
    names = [".".join(parts[:n]) for n in range(1, len(parts) + 1)] + [f"{protocol}.protocol", "vllm.tool_parsers", "vllm.reasoning"]
    made = {name: ModuleType(name) for name in names}
    for module in made.values():
        module.__path__ = []
    types = [FunctionCall, ToolCall, DeltaFunctionCall, DeltaToolCall, ExtractedToolCallInformation, DeltaMessage]
    for kind in types:
        setattr(made[f"{protocol}.protocol"], kind.__name__, kind)
    setattr(made[protocol], "protocol", made[f"{protocol}.protocol"])
    setattr(made["vllm.tool_parsers"], "ToolParser", ToolParser)
    setattr(made["vllm.tool_parsers"], "ToolParserManager", _Registry())
    setattr(made["vllm.reasoning"], "ReasoningParser", ReasoningParser)
    setattr(made["vllm.reasoning"], "ReasoningParserManager", _Registry())
    return made


def is_recorded() -> bool:
    """Whether `vllm` is this interface."""
    return not hasattr(sys.modules["vllm"], "__file__")
