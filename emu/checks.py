"""Optional checks of a launch: accesses outside the array they name, elements never written.

With them goes a log of the accesses. None of the three changes what a kernel computes. Only the
interpreter has them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..isa.instruction import Instruction
from ..isa.program import Kernel, Program, Symbol
from .engine import Engine, Work, engine
from .memory import Buffer
from .statistics import Statistics


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
class Access:
    """One memory instruction of all lanes that issued it together.

    Arrays with an element for each lane: `groups` has the flat number of its workgroup, `locals`
    its flat id there, `addresses` its address (global: uint64; else an offset: int64).
    """

    kernel: Kernel
    instruction: Instruction
    groups: np.ndarray
    locals: np.ndarray
    addresses: np.ndarray


class AccessLog:
    """The accesses of a launch to global, group, private and readonly memory, in their order."""

    def __init__(self, most: int = 1 << 16) -> None:
        self.most = most
        """Accesses that are kept; later ones are dropped."""
        self.accesses: list[Access] = []

    def note(self, access: Access) -> None:
        """Keep an access that is about to be checked and done."""
        if len(self.accesses) < self.most:
            self.accesses.append(access)


@dataclass(frozen=True)
class Checks:
    """The checks to make: `arrays`, that an access stays in the array that its address names."""

    arrays: bool = False
    coverage: Coverage | None = None
    log: AccessLog | None = None

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
