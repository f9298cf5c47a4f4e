"""Python functions as tools: their type hints and docstrings say what a model may call."""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import inspect
import re
import types
import typing
from typing import Any, Callable, Literal, TypeVar, Union

from ._errors import ToolsError

_UNION = {Union, types.UnionType}
_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


@dataclasses.dataclass(frozen=True)
class FunctionTool:
    """A function that a model may call."""

    name: str
    description: str
    parameters: dict[str, Any]
    effect: str | Callable[[dict[str, Any]], str] | None
    call: Callable[[dict[str, Any]], Any]

    def to_openai(self) -> dict[str, Any]:
        """The tool as OpenAI's chat API has it."""
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": function}


_Function = TypeVar("_Function", bound=Callable[..., Any])


def tool(
    *, effect: str | Callable[[dict[str, Any]], str] | None = None, name: str | None = None
) -> Callable[[_Function], _Function]:
    """Says what a function does to the world, for the policy that judges its calls.

    `effect` is `read`, `write`, `delete`, `exec`, `network` or `ask`, or a function that takes the arguments and gives one of
    these. A function without an effect is asked about each time. No sandbox surrounds it.
    """

    def decorate(function: _Function) -> _Function:
        function.__toolglot__ = {"effect": effect, "name": name}  # type: ignore[attr-defined]
        return function

    return decorate


def described(tools: collections.abc.Iterable[Any]) -> list[Any]:
    """A tool list in which functions are described as OpenAI's chat API describes them."""
    return [one if isinstance(one, dict) or not callable(one) else as_tool(one).to_openai() for one in tools]


def as_tool(function: Callable[..., Any]) -> FunctionTool:
    """Describes a function.

    Raises `ToolsError` for a function that no JSON Schema describes.
    """
    said = getattr(function, "__toolglot__", {})
    name = said.get("name") or getattr(function, "__name__", None)
    if not name or name == "<lambda>":
        raise ToolsError(
            f"{function!r} has no name", place="", help="write `@toolglot.tool(name=..)` above it, or use `def`"
        )
    if inspect.iscoroutinefunction(function):
        raise ToolsError(
            f"`{name}` is an async function", place=f"/{name}", help="wrap it in one that runs it, as `asyncio.run` does"
        )
    try:
        signature = inspect.signature(function)
        hints = typing.get_type_hints(function, include_extras=True)
    except (NameError, TypeError, ValueError) as error:
        raise ToolsError(f"the type hints of `{name}` cannot be read: {error}", place=f"/{name}") from error
    text, about = _documentation(inspect.getdoc(function) or "")
    properties: dict[str, Any] = {}
    required = []
    for parameter in signature.parameters.values():
        place = f"/{name}/{parameter.name}"
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ToolsError(
                f"`{name}` takes `{parameter}`, which no schema describes", place=place, help="name each parameter"
            )
        schema = _schema(hints.get(parameter.name, Any), place)
        if parameter.name in about and "description" not in schema:
            schema["description"] = about[parameter.name]
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        elif _is_json(parameter.default):
            schema["default"] = parameter.default
        properties[parameter.name] = schema
    parameters: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        parameters["required"] = required

    def call(arguments: dict[str, Any]) -> Any:
        positional, named = [], {}
        for parameter in signature.parameters.values():
            if parameter.name not in arguments:
                continue
            value = _converted(arguments[parameter.name], hints.get(parameter.name, Any))
            if parameter.kind is parameter.POSITIONAL_ONLY:
                positional.append(value)
            else:
                named[parameter.name] = value
        return _plain(function(*positional, **named))

    return FunctionTool(name, text, parameters, said.get("effect"), call)


def _schema(hint: Any, place: str) -> dict[str, Any]:
    """The JSON Schema of a type hint."""
    if hint is Any or hint is inspect.Parameter.empty:
        return {}
    if hint in _PLAIN or hint is None:
        return {"type": _PLAIN[type(None) if hint is None else hint]}
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        schema = _schema(arguments[0], place)
        words = [one for one in arguments[1:] if isinstance(one, str)]
        return {**schema, "description": words[0]} if words else schema
    if origin is Literal:
        return _choices(list(arguments))
    if origin in _UNION:
        return {"anyOf": [_schema(one, place) for one in arguments]}
    if origin in (list, set, frozenset, collections.abc.Sequence, collections.abc.Iterable):
        schema = {"type": "array", "items": _schema(arguments[0], place)}
        return {**schema, "uniqueItems": True} if origin in (set, frozenset) else schema
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return {"type": "array", "items": _schema(arguments[0], place)}
        items = [_schema(one, place) for one in arguments]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    if origin in (dict, collections.abc.Mapping):
        if arguments[0] is not str:
            raise ToolsError(f"the keys of {hint} are no strings", place=place)
        return {"type": "object", "additionalProperties": _schema(arguments[1], place)}
    if hint in (list, tuple, set):
        return {"type": "array"}
    if hint is dict:
        return {"type": "object"}
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return _choices([member.value for member in hint])
    if dataclasses.is_dataclass(hint):
        hints = typing.get_type_hints(hint, include_extras=True)
        fields = dataclasses.fields(hint)
        needed = [one.name for one in fields if _is_needed(one)]
        return _object({one.name: _schema(hints[one.name], f"{place}/{one.name}") for one in fields}, needed)
    if typing.is_typeddict(hint):
        hints = typing.get_type_hints(hint, include_extras=True)
        needed = sorted(hint.__required_keys__, key=list(hints).index)
        return _object({key: _schema(_bare(one), f"{place}/{key}") for key, one in hints.items()}, needed)
    raise ToolsError(
        f"no JSON Schema describes the type `{getattr(hint, '__name__', hint)}`",
        place=place,
        help="use str, int, float, bool, list, dict, tuple, set, Literal, Optional, Enum, TypedDict or a dataclass",
    )


def _choices(values: list[Any]) -> dict[str, Any]:
    kinds = {_PLAIN.get(type(value)) for value in values}
    kind = kinds.pop() if len(kinds) == 1 else None
    return {"type": kind, "enum": values} if kind else {"enum": values}


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def _is_needed(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _bare(hint: Any) -> Any:
    """A hint without `Required` or `NotRequired` around it."""
    name = getattr(typing.get_origin(hint), "_name", None)
    return typing.get_args(hint)[0] if name in ("Required", "NotRequired") else hint


def _converted(value: Any, hint: Any) -> Any:
    """A JSON value as the type of its hint. It fits the hint's schema."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _converted(value, arguments[0])
    if origin in _UNION:
        return _converted(value, next((one for one in arguments if _fits(value, one)), Any))
    if origin in (list, collections.abc.Sequence, collections.abc.Iterable):
        return [_converted(one, arguments[0]) for one in value]
    if origin in (set, frozenset):
        return origin(_converted(one, arguments[0]) for one in value)
    if origin is tuple:
        kinds = arguments if Ellipsis not in arguments else (arguments[0],) * len(value)
        return tuple(_converted(one, kind) for one, kind in zip(value, kinds))
    if origin in (dict, collections.abc.Mapping):
        return {key: _converted(one, arguments[1]) for key, one in value.items()}
    if hint in (tuple, set):
        return hint(value)
    if hint is float and isinstance(value, int):
        return float(value)
    if hint is int and isinstance(value, float):
        return int(value)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return hint(value)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        hints = typing.get_type_hints(hint, include_extras=True)
        return hint(**{key: _converted(one, hints[key]) for key, one in value.items()})
    return value


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value of a union is of this member."""
    origin = typing.get_origin(hint)
    if origin is typing.Annotated:
        return _fits(value, typing.get_args(hint)[0])
    if origin is Literal:
        return value in typing.get_args(hint)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return any(value == member.value for member in hint)
    if dataclasses.is_dataclass(hint):
        return isinstance(value, dict) and value.keys() <= {one.name for one in dataclasses.fields(hint)}
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    kind = origin or hint
    if kind in (set, frozenset, tuple, collections.abc.Sequence, collections.abc.Iterable):
        return isinstance(value, list)
    if kind is collections.abc.Mapping or typing.is_typeddict(kind):
        return isinstance(value, dict)
    return isinstance(value, kind) if isinstance(kind, type) else hint is Any


def _plain(value: Any) -> Any:
    """A result in types that JSON has, where it is of a usual type that JSON has not."""
    if isinstance(value, enum.Enum):
        return _plain(value.value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _plain(dataclasses.asdict(value))
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(one) for one in value]
    return value


def _is_json(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_is_json(one) for one in value)
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(one) for key, one in value.items())
    return value is None or type(value) in (str, int, float, bool)


_SECTION = re.compile(r"(?:Args|Arguments|Parameters):?\s*$")
_OTHER_SECTION = re.compile(r"(?:Returns?|Raises|Yields?|Examples?|Notes?|Attributes):?\s*$")
_GOOGLE = re.compile(r"(?P<indent>\s+)\*{0,2}(?P<name>\w+)\s*(?:\([^)]*\))?:\s*(?P<text>.*)")
_NUMPY = re.compile(r"(?P<name>\w+)\s*:.*")
_SPHINX = re.compile(r":param\s+(?:\S+\s+)?(?P<name>\w+):\s*(?P<text>.*)")


def _documentation(text: str) -> tuple[str, dict[str, str]]:
    """What a docstring says of the function, and of each parameter: in Google's, NumPy's or Sphinx's form."""
    about: dict[str, str] = {}
    head: list[str] = []
    lines = text.splitlines()
    section = "head"
    current: str | None = None
    indent = ""
    for at, line in enumerate(lines):
        is_underlined = at + 1 < len(lines) and re.fullmatch(r"\s*-{3,}\s*", lines[at + 1]) is not None
        if re.fullmatch(r"\s*-{3,}\s*", line) and section != "head":
            continue
        if _SECTION.fullmatch(line):
            section, current = ("numpy" if is_underlined else "google"), None
        elif _OTHER_SECTION.fullmatch(line):
            section, current = "other", None
        elif found := _SPHINX.match(line):
            section, current = "sphinx", found["name"]
            about[current] = found["text"].strip()
        elif section == "head":
            head.append(line)
        elif section == "google" and (found := _GOOGLE.fullmatch(line)) and (not indent or found["indent"] == indent):
            indent, current = found["indent"], found["name"]
            about[current] = found["text"].strip()
        elif section == "numpy" and (found := _NUMPY.fullmatch(line)):
            current = found["name"]
            about[current] = ""
        elif section == "sphinx" and line.startswith(":"):
            current = None
        elif current and line.strip():
            about[current] = f"{about[current]} {line.strip()}".strip()
    return "\n".join(head).strip(), {name: words for name, words in about.items() if words}
