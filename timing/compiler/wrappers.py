"""Functions that the composition puts before those of files, in one namespace.

The function of the file keeps its code, under its name with a prefix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any

from ..engine import intrinsics
from .inspection import hook_names, parameters_of
from .sources import code_of

WITHOUT_ANSWERS = "given_"
"""Prefix of hooks before which the words that they answer are set."""

UNCHECKED = "unchecked_"
"""Prefix of functions that a checked engine checks."""


def wrap(space: dict[str, Any], name: str, prefix: str, lines: Sequence[str]) -> None:
    """Put a function with these lines before a hook; `{call}` in a line stands for its call."""
    parameters = ", ".join(parameters_of(hook_names()[name]))
    call = f"{prefix}{name}({parameters})"
    text = f"def {name}({parameters}):\n    " + "\n    ".join(lines).format(call=call)
    made: dict[str, Any] = {}
    exec(code_of(f"<before {prefix}{name}>", text, space), made)
    space[prefix + name] = space[name]
    space[name] = intrinsics.device(FunctionType(made[name].__code__, space, name))


def filler(space: Mapping[str, Any], name: str) -> Any:
    """Return the function of a file that fills a hook, not one that is put before it."""
    for known in (WITHOUT_ANSWERS + name, UNCHECKED + name, name):
        if known in space:
            return space[known]
    raise KeyError(name)
