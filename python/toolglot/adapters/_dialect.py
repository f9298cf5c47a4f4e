"""The dialect of a model, where a program has its tokenizer."""

from __future__ import annotations

import os
from typing import Any

import toolglot


def named_dialect() -> str | None:
    """The dialect that `TOOLGLOT_DIALECT` names in the environment."""
    return os.environ.get("TOOLGLOT_DIALECT") or None


def dialect_of(tokenizer: Any) -> str:
    """The dialect that a tokenizer's chat template teaches; `auto` where the template has nothing of any."""
    template = getattr(tokenizer, "chat_template", None)
    if isinstance(template, dict):
        template = template.get("tool_use", template.get("default"))
    if not isinstance(template, str):
        return "auto"
    found = toolglot.detect(template)
    return found.dialect if found.dialect and found.literals else "auto"
