"""Kernels whose work-items execute the same instructions whatever the schedule.

A branch may depend on a value that another work-item stores in the same launch. Which instructions
are executed may then depend on the schedule, and so do their counts. In an independent kernel no
branch does. Branches may depend on loads from a buffer that the launch does not change. The kernel
says by which pointer parameters it loads and stores; whether these are different buffers is known
when it is launched, and that accesses stay in them when it has run.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....isa.program import Kernel
from ....isa.types import Segment
from ..analysis import analyse
from ..influence import Influence
from ..ssa import Op, Ssa, Value, sources_of


@dataclass(frozen=True)
class Reliance:
    """What an independent kernel relies on: its stores change no buffer of some parameters.

    Both are positions of pointer parameters: those whose loads may decide branches, and those by
    whose pointers the kernel stores. `loads` are the pcs of the loads. All are empty for a kernel
    that relies on nothing.
    """

    loaded: frozenset[int] = frozenset()
    stored: frozenset[int] = frozenset()
    loads: frozenset[int] = frozenset()


def reliance(kernel: Kernel) -> Reliance | None:
    """Return what makes a kernel independent of the schedule; None if nothing does."""
    rows = [ins.row for ins in kernel.instructions]
    if not any(row.is_store or row.is_atomic for row in rows):
        return Reliance()
    ssa = analyse(kernel).ssa
    accesses = _Accesses(ssa, kernel)
    never = frozenset(op for op in accesses.ops if accesses.may_change(op))
    if _decides(ssa, never):
        return None
    deciding = {
        param: ops for param, ops in accesses.loads_by_param().items() if _decides(ssa, ops - never)
    }
    return Reliance(
        frozenset(deciding),
        accesses.stored_params if deciding else frozenset(),
        frozenset(op.pc for ops in deciding.values() for op in ops),
    )


def _decides(ssa: Ssa, sources: frozenset[Op]) -> bool:
    """Return whether a branch may depend on the result of one of these instructions."""
    if not sources:
        return False
    influenced = _Influenced(ssa, sources).varying
    return any(condition in influenced for condition in ssa.conditions.values())


class _Influenced(Influence):
    """The values that the results of some instructions influence."""

    def __init__(self, ssa: Ssa, sources: frozenset[Op]) -> None:
        self._sources = sources
        super().__init__(ssa)

    def is_source(self, op: Op) -> bool:
        return op in self._sources


class _Accesses:
    """The memory instructions of a kernel, and the parameters that their addresses are made of."""

    def __init__(self, ssa: Ssa, kernel: Kernel) -> None:
        self.ops = [op for ops in ssa.ops.values() for op in ops if op.ins.row.is_memory]
        self._positions = {p.offset: i for i, p in enumerate(kernel.params) if p.is_pointer}
        written = [op for op in self.ops if op.ins.row.is_store or op.ins.row.is_atomic]
        self._segments = {op.ins.row.segment for op in written}
        stored = [self.param(op) for op in written if op.ins.row.segment is Segment.GLOBAL]
        self._any_is_stored = None in stored
        self.stored_params = frozenset(p for p in stored if p is not None)

    def may_change(self, op: Op) -> bool:
        """Return whether others may store during the launch what an instruction loads."""
        row = op.ins.row
        if not (row.is_load or row.is_atomic) or row.segment is None:
            return False
        if row.is_atomic or row.segment is Segment.PRIVATE:
            # Private memory may hold what was loaded from shared memory.
            return True
        if row.segment not in self._segments:
            return False
        param = self.param(op) if row.segment is Segment.GLOBAL else None
        return param is None or self._any_is_stored or param in self.stored_params

    def loads_by_param(self) -> dict[int, frozenset[Op]]:
        """Return the loads of global memory by the parameter of their address."""
        found: dict[int, set[Op]] = {}
        for op in self.ops:
            if op.ins.row.is_load and op.ins.row.segment is Segment.GLOBAL:
                param = self.param(op)
                if param is not None:
                    found.setdefault(param, set()).add(op)
        return {param: frozenset(ops) for param, ops in found.items()}

    def param(self, op: Op) -> int | None:
        """Return the only pointer parameter that an address is computed from, None if not one."""
        if op.base is None:
            return None
        found = {p for v in sources_of(op.base) if (p := self._param_at(v)) is not None}
        return found.pop() if len(found) == 1 else None

    def _param_at(self, value: Value) -> int | None:
        if not isinstance(value, Op) or value.ins.row.segment is not Segment.KERNARG:
            return None
        address = value.ins.address
        return self._positions.get(address.offset) if address is not None else None
