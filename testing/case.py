"""A kernel with everything that a run of it needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..asm.assemble import assemble
from ..emu.geometry import Geometry
from ..emu.module import Module


@dataclass(frozen=True)
class Case:
    """A source text with one kernel, its arguments and its launch.

    `arrays` are the arguments before a run, in declared order, scalars among them; `arguments()`
    gives fresh copies. `str(case)` is the source, so that hypothesis shows a failing case as
    assembly text.
    """

    source: str
    geometry: Geometry
    arrays: tuple[object, ...] = field(repr=False)

    @cached_property
    def module(self) -> Module:
        """The assembled program."""
        return Module(assemble(self.source))

    def arguments(self) -> tuple[object, ...]:
        """Return copies of the arguments, which a run may change."""
        return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in self.arrays)

    def __str__(self) -> str:
        g = self.geometry
        return (
            f"// items {g.items}, workgroups of {g.group_size}, warps of {g.width}\n{self.source}"
        )

    def __repr__(self) -> str:
        return f"Case:\n{self}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Print a failing case, for Hypothesis."""
        printer.text(repr(self))
