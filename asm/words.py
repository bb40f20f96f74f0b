"""The words of the source language, for what highlights and completes them.

Everything comes from the grammar's tables and the instruction table.
"""

from __future__ import annotations

import re
from functools import cache

from ..isa.table import BY_NAME
from ..isa.types import TYPES
from .syntax.shapes import terminals

FLAGS = ("none", "subdivide", "nosubdivide", "loop", "noloop")
"""What may follow the labels of a branch (resolve/branches.py)."""

CONSTANTS = ("inf", "nan")
"""Constants that every source has (syntax/values.py)."""

TYPE_NAMES = tuple(name for name in TYPES if name != "b1")
"""Types of parameters and arrays."""

MNEMONICS = tuple(BY_NAME)
"""Every instruction."""

DIRECTIVES: dict[str, str] = {
    name: pattern.removeprefix("\\").removesuffix("\\b")
    for name, pattern in terminals()
    if pattern.startswith("\\.")
}
"""By terminal of the grammar: the directive, as `.const`."""

INSIDE_KERNELS = (".group", ".private", ".loc")
"""Directives that are allowed in a kernel."""


def terminal(name: str) -> str:
    """Return the pattern of a terminal of the grammar."""
    return dict(terminals())[name]


@cache
def token_pattern() -> re.Pattern[str]:
    """Return a pattern of one token; what is in brackets has tokens of its own."""
    found = [(name, pattern) for name, pattern in terminals() if name != "BRACKETS"]
    return re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in found))
