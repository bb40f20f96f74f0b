"""Optional checks of a launch: accesses outside the array they name, elements never written.

With them goes an observer of the launch. None changes what a kernel computes. Only the interpreter
has them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..isa.instruction import Instruction
from ..isa.program import Kernel, Program, Symbol
from .engine import Engine, Work, engine
from .memory import Buffer
from .statistics import Statistics

if TYPE_CHECKING:
    from .interp.resident import Group, Resident


class Observer(Protocol):
    """Follows one launch of the interpreter, instruction by instruction."""

    def begin(self, resident: Resident) -> None:
        """Note that a batch of workgroups has been loaded and begins."""
        ...

    def bind(
        self, resident: Resident, pc: int, ins: Instruction, step: Callable[[Group], None]
    ) -> Callable[[Group], None]:
        """Return a function that executes `step`, the instruction at `pc`, and observes it.

        For an instruction that changes control flow, `step` does nothing.
        """
        ...

    def opened(self, slots: np.ndarray) -> None:
        """Note that the workgroups in these slots (a bool for each) pass a barrier."""
        ...


class Coverage:
    """Which bytes of each buffer stores and atomics have reached, over several launches."""

    def __init__(self) -> None:
        self._reached: dict[int, np.ndarray] = {}

    def note(self, buffer: Buffer, offset: np.ndarray, size: int) -> None:
        """Record accesses of `size` bytes at byte offsets into a buffer."""
        reached = self._reached.get(buffer.base)
        if reached is None:
            reached = self._reached[buffer.base] = np.zeros(buffer.size, bool)
        for byte in range(size):
            reached[offset + np.uint64(byte)] = True

    def unwritten(self, buffer: Buffer, itemsize: int) -> np.ndarray:
        """Return the numbers of the elements without a written byte, in ascending order."""
        count = buffer.size // itemsize
        reached = self._reached.get(buffer.base)
        if reached is None:
            return np.arange(count)
        return np.flatnonzero(~reached[: count * itemsize].reshape(count, itemsize).any(axis=1))


@dataclass(frozen=True)
class Checks:
    """The checks to make: `arrays`, that an access stays in the array that its address names."""

    arrays: bool = False
    coverage: Coverage | None = None
    observer: Observer | None = None
    """Follows the launch; made for one launch only."""

    @property
    def executor(self) -> Engine:
        """The interpreter with these checks."""
        interpret = engine("interp")

        def checked(work: Work) -> Statistics | None:
            return interpret(replace(work, checks=self))

        return checked

    def array_of(self, program: Program, kernel: Kernel, name: str) -> Symbol | None:
        """Return the array of this name if accesses must stay in it; None without a name."""
        if not self.arrays or not name:
            return None
        symbols = (*kernel.group, *kernel.private, *program.readonly)
        return next(symbol for symbol in symbols if symbol.name == name)
