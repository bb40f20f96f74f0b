"""Index of the programs, and the one that a name means.

Programs are found by their `.sasm` files; the Python file beside one is imported only when its
workload is asked for, so that listing names stays cheap.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from ..isa.errors import UsageError, did_you_mean
from ..isa.quoting import shown
from .workload import Workload

FOLDERS = ("basics", "dws", "lwm", "ppc", "lessons")
"""In the order in which an ambiguous short name is looked up."""

_ROOT = Path(__file__).parent


@dataclass(frozen=True)
class Entry:
    """A program: `<folder>/<short>.sasm` and the Python file beside it.

    `remark` says what else a short name could have meant; it is empty otherwise. `parameters`
    replace those of the size that runs.
    """

    folder: str
    short: str
    remark: str = field(default="", compare=False)
    parameters: tuple[tuple[str, float], ...] = ()

    @property
    def name(self) -> str:
        """The full name, as `basics/saxpy`."""
        return f"{self.folder}/{self.short}"

    @property
    def path(self) -> Path:
        """The kernel source."""
        return _ROOT / self.folder / f"{self.short}.sasm"

    @cached_property
    def workload(self) -> Workload:
        """Sizes, inputs, launch sequence and reference; imports the program's Python file."""
        return import_module(f".{self.folder}.{self.short}", __package__).WORKLOAD

    def with_parameters(self, **parameters: float) -> Entry:
        """Return the program with these parameters in place of a size's. Raises UsageError."""
        known = self.workload.parameters
        values = dict(self.parameters)
        for name, value in parameters.items():
            if name not in known:
                _refuse_parameter(self, name)
            if not known[name].allows(value):
                raise UsageError(
                    f"{self.name} cannot have {name}={shown(value)}: expected {known[name].range}",
                    code="SIM515",
                    hint=f"{name}: {known[name].text}",
                )
            values[name] = int(value) if known[name].whole else value
        return replace(self, parameters=tuple(values.items()))


def _refuse_parameter(entry: Entry, name: str) -> NoReturn:
    known = tuple(entry.workload.parameters)
    if not known:
        raise UsageError(
            f"{entry.name} has no parameters",
            code="SIM515",
            hint="choose a size; `simtlab programs NAME` lists sizes and parameters",
        )
    raise UsageError(
        f"{entry.name} has no parameter {shown(name)}; it has {', '.join(known)}",
        code="SIM515",
        hint=did_you_mean(name, known),
    )


@cache
def catalogue() -> tuple[Entry, ...]:
    """Return all programs, folder by folder, each folder in the order of the alphabet."""
    return tuple(
        Entry(folder, path.stem)
        for folder in FOLDERS
        for path in sorted((_ROOT / folder).glob("*.sasm"))
        if path.with_suffix(".py").exists()
    )


def find(name: str) -> Entry:
    """Return the program of this full or short name. Raises UsageError.

    A short name that several folders know means the first of `FOLDERS`, with a remark.
    """
    entries = catalogue()
    matches = [e for e in entries if isinstance(name, str) and name in (e.name, e.short)]
    if not matches:
        known = tuple(dict.fromkeys(n for e in entries for n in (e.short, e.name)))
        raise UsageError(
            f"unknown program {shown(name)}",
            hint=did_you_mean(name, known) or "`simtlab programs` lists them all",
        )
    first, *others = matches
    if not others:
        return first
    also = " and ".join(e.name for e in others)
    return Entry(first.folder, first.short, f"{name!r} means {first.name}; there is also {also}")
