"""The Python API: a directive for every public name, so that none is forgotten."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator, Sequence
from typing import Any

import simtlab

FIRST = {
    "Programs": (
        "assemble", "load", "format_source", "Module", "KernelFunction", "Result", "check_run",
    ),
    "Memory": ("Device", "DeviceArray"),
    "Time": ("simulate", "Simulation", "compare", "Comparison"),
    "Sweeps": ("sweep", "Store"),
    "Recordings": ("record", "Recording", "view"),
}  # fmt: skip
"""Section -> names of `simtlab` in the order of the page; a name that is not in any comes later."""

MODULES = {
    "simtlab.testing": "Tests of your own: simtlab.testing",
    "simtlab.exercises": "Exercises: simtlab.exercises",
}
"""Module -> the section of its public names."""


def api() -> str:
    """Return the whole listing; autodoc fills it."""
    public = [name for name in simtlab.__all__ if not name.startswith("__")]
    sections = {title: [name for name in names if name in public] for title, names in FIRST.items()}
    placed = {name for names in sections.values() for name in names}
    others = [name for name in public if name not in placed]
    errors = [name for name in others if _is_error(getattr(simtlab, name))]
    errors += [name for name in others if name.startswith("Trap") and name not in errors]
    if more := [name for name in others if name not in errors]:
        sections["More"] = more
    sections["Errors"] = errors
    lines = ["```{eval-rst}"]
    for title, names in sections.items():
        lines += _section(title, "simtlab", names)
    for module, title in MODULES.items():
        lines += _section(title, module, importlib.import_module(module).__all__)
    return "\n".join([*lines, "```"])


def _section(title: str, module: str, names: Sequence[str]) -> Iterator[str]:
    yield from ("", title, "-" * len(title), "", f".. currentmodule:: {module}", "")
    for name in names:
        found = getattr(importlib.import_module(module), name)
        yield f".. {_directive(found)}:: {name}"
        if inspect.isclass(found):
            yield "   :members:"
        yield ""


def _directive(found: Any) -> str:
    if _is_error(found):
        return "autoexception"
    return "autoclass" if inspect.isclass(found) else "autofunction"


def _is_error(found: Any) -> bool:
    return inspect.isclass(found) and issubclass(found, Exception)
