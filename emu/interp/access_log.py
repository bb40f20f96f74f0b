"""A log of the accesses of a launch, for pictures and messages: an observer (emu/checks.py)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...isa.instruction import Instruction
from ...isa.program import Kernel
from ...isa.types import Segment
from .access import address_source
from .blocks import Step
from .resident import Group, Resident


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
    """The accesses of launches to global, group, private and readonly memory, in their order."""

    def __init__(self, most: int = 1 << 16) -> None:
        self.most = most
        """Accesses that are kept; later ones are dropped."""
        self.accesses: list[Access] = []

    def begin(self, resident: Resident) -> None:
        """Do nothing: all batches go into one log."""

    def opened(self, slots: np.ndarray) -> None:
        """Do nothing: barriers are not logged."""

    def bind(self, resident: Resident, pc: int, ins: Instruction, step: Step) -> Step:
        """Return a function that logs the instruction's access, if it has one, and executes it."""
        if ins.address is None or ins.address.segment is Segment.KERNARG or ins.row.type is None:
            return step
        source = address_source(resident, ins.address)
        kernel = resident.work.kernel

        def logged(g: Group) -> None:
            if len(self.accesses) < self.most:
                slot, local = np.divmod(g.flat(resident.numbers), resident.lanes_per_group)
                group = resident.first_group + slot
                self.accesses.append(Access(kernel, ins, group, local, source(g)))
            step(g)

        return logged
