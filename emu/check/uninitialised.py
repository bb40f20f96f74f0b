"""Checks of what belongs to one work-item: registers, private memory; and of named arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ...isa.instruction import Instruction, Reg
from ...isa.types import Segment
from ..interp.access import LocalAccess, address_source
from ..interp.resident import Group, Resident
from .finding import Finding, Rule, Severity
from .findings import symbol_place
from .log import access_by, line_key

if TYPE_CHECKING:
    from .watch import LaunchWatch

Array = np.ndarray
Step = Callable[[Group], None]


def _log(
    watch: LaunchWatch,
    rule: Rule,
    pc: int,
    action: str,
    what: str,
    where: str,
    count: int,
    item: int,
    hint: str,
) -> None:
    """Log a finding about one access of each of `count` work-items, the first of them `item`."""
    work, size = watch.work, watch.order.lanes_per_group
    key = (rule, line_key(work.kernel, pc), where.partition("[")[0])

    def example() -> Finding:
        access = access_by(work, size, action, pc, item)
        return Finding(
            rule, Severity.ERROR, work.kernel.name, what,
            place=where, accesses=(access,), hint=hint,
        )  # fmt: skip

    watch.log.add(key, count, example)


class RegisterShadow:
    """Which lanes have written those registers that some path reads unwritten."""

    def __init__(
        self, watch: LaunchWatch, resident: Resident, suspects: dict[int, tuple[Reg, ...]]
    ) -> None:
        self.watch = watch
        self.suspects = suspects
        followed = {register for registers in suspects.values() for register in registers}
        self.written = {register: np.zeros(resident.n_lanes, bool) for register in followed}

    def clear(self) -> None:
        """Begin a batch: no register is written."""
        for written in self.written.values():
            written[:] = False

    def bind(self, pc: int, ins: Instruction, step: Step) -> Step:
        """Return `step` with the checks of what it reads, and the marks of what it writes."""
        reads = self.suspects.get(pc, ())
        marks = [self.written[r] for r in ins.writes() if r in self.written]
        if not reads and not marks:
            return step
        checks = [(register, self.written[register]) for register in reads]

        def checked(g: Group) -> None:
            for register, written in checks:
                known = written[g.index]
                if not known.all():
                    self._report(pc, register, g, np.flatnonzero(~known))
            step(g)
            for mark in marks:
                mark[g.index] = True

        return checked

    def _report(self, pc: int, register: Reg, g: Group, lanes: Array) -> None:
        _log(
            self.watch,
            Rule.REGISTER,
            pc,
            "read",
            f"register {register} is read before it is written; it is 0",
            str(register),
            lanes.size,
            int(self.watch.items[g.index][lanes[0]]),
            f"give {register} a value on every path to this line, as mov_u32 {register}, 0"
            if register.cls.value == "s"
            else f"give {register} a value on every path to this line",
        )


class PrivateShadow:
    """Which bytes of private memory each lane has written."""

    def __init__(self, watch: LaunchWatch, resident: Resident) -> None:
        self.watch = watch
        self.resident = resident
        self.written = np.zeros(resident.private_memory.size, bool)

    def clear(self) -> None:
        """Begin a batch: nothing is written."""
        self.written[:] = False

    def bind(self, pc: int, ins: Instruction, step: Step) -> Step:
        """Return `step`, a load or store of private memory, with its check."""
        assert ins.address is not None and ins.row.type is not None
        resident, watch = self.resident, self.watch
        size, stride = ins.row.type.size, watch.work.kernel.private_size
        source = address_source(resident, ins.address)
        local = LocalAccess(resident.private_memory, stride, size)
        owner = resident.numbers * stride
        elements = self.written.reshape(-1, size)
        is_load = ins.row.is_load

        def checked(g: Group) -> None:
            offset = source(g)
            _, index = local.resolve(offset, owner[g.index])
            watch.log.accesses += g.count
            if is_load:
                known = elements[index].all(axis=1)
                if not known.all():
                    self._report(pc, g, offset, np.flatnonzero(~known))
            else:
                elements[index] = True
            step(g)

        return checked

    def _report(self, pc: int, g: Group, offset: Array, lanes: Array) -> None:
        kernel = self.watch.work.kernel
        where = symbol_place(kernel.private, int(offset[lanes[0]]), "private memory")
        _log(
            self.watch,
            Rule.ON_CHIP,
            pc,
            "load",
            f"{where} is read before the work-item has written it; it is 0",
            where,
            lanes.size,
            int(self.watch.items[g.index][lanes[0]]),
            "private memory is the work-item's own: store to it first",
        )


def stray(watch: LaunchWatch, resident: Resident, pc: int, ins: Instruction, step: Step) -> Step:
    """Return `step` with a check that the access stays in the array that its address names."""
    assert ins.address is not None and ins.row.type is not None
    kernel, program = watch.work.kernel, watch.work.program
    symbols = {
        Segment.GROUP: kernel.group,
        Segment.PRIVATE: kernel.private,
        Segment.READONLY: program.readonly,
    }[ins.address.segment]
    array = next((symbol for symbol in symbols if symbol.name == ins.address.array), None)
    if array is None or ins.address.base is None:
        return step  # without a register, the assembler has checked the offset
    source = address_source(resident, ins.address)
    first, last = array.offset, array.offset + array.size - ins.row.type.size
    action = "load" if ins.row.is_load else "store" if ins.row.is_store else "atomic"

    def checked(g: Group) -> None:
        offset = source(g)
        beyond = np.flatnonzero((offset < first) | (offset > last))
        if beyond.size:
            reached = int(offset[beyond[0]])
            where = symbol_place(symbols, reached, f"{ins.address.segment} memory")  # pyright: ignore[reportOptionalMemberAccess]
            _log(
                watch,
                Rule.STRAY,
                pc,
                action,
                f"the {action} names {array.name}[{array.count}] and reaches {where}",
                where,
                beyond.size,
                int(watch.items[g.index][beyond[0]]),
                "the address is a byte offset: is the index in range, and scaled by the size?",
            )
        step(g)

    return checked
