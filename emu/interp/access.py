"""Memory instructions of the interpreter: addresses, checks, data movement, atomics.

Each maker returns a function of the issuing group. The checks of a lane come in the order bounds
(freed buffers included), alignment, write protection; the lowest lane that fails one is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...isa.instruction import Address, Instruction
from ...isa.program import Symbol
from ...isa.types import RegClass, Segment
from ..checks import Coverage
from ..memory import Buffer, Memory
from ..traps import TrapKind
from .alu import LaneFault, dtype_of
from .resident import Group, Resident

Array = np.ndarray
Step = Callable[[Group], None]

_UNSIGNED = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64"}


class GlobalAccess:
    """Finds the bytes at the addresses of one memory instruction.

    Most instructions access one buffer only, so the first lane's buffer is tried for all.
    """

    def __init__(
        self, memory: Memory, size: int, store: bool, coverage: Coverage | None = None
    ) -> None:
        self.memory = memory
        self.coverage = coverage if store else None
        self.size = size
        self.store = store
        self.shift = np.uint64(size.bit_length() - 1)
        self.last: Buffer | None = None

    def resolve(self, address: Array) -> list[tuple[Array, Array, slice | Array]]:
        """Return (elements, element indices, which addresses) for every buffer that is accessed.

        `address` is uint64. Raises LaneFault.
        """
        view = _UNSIGNED[self.size]
        return [
            (buffer.view(view), index, chosen) for buffer, index, chosen in self.locate(address)
        ]

    def locate(self, address: Array) -> list[tuple[Buffer, Array, slice | Array]]:
        """Return (buffer, element indices, which addresses) for every buffer that is accessed."""
        buffer = self.last
        if buffer is None or not buffer.base <= address[0] < buffer.end:
            buffer = self.last = self.memory.find(int(address[0]), self.size)
        if buffer is not None and buffer.alive and buffer.size >= self.size:
            offset = address - np.uint64(buffer.base)
            if offset.max() <= buffer.size - self.size:
                return [self._checked(buffer, offset, slice(None), address)]
        return self._search(address)

    def _search(self, address: Array) -> list[tuple[Buffer, Array, slice | Array]]:
        buffers = self.memory.buffers
        bases = np.array([b.base for b in buffers], np.uint64)
        which = np.searchsorted(bases, address, side="right") - 1
        ends = np.array([b.end for b in buffers], np.uint64)
        alive = np.array([b.alive for b in buffers], bool)
        inside = which >= 0
        nearest = np.maximum(which, 0)
        if buffers:
            # No sum here: an address near 2^64 must not wrap around into a buffer.
            room = ends[nearest] - np.minimum(address, ends[nearest])
            inside &= room >= np.uint64(self.size)
            freed = inside & ~alive[nearest]
        else:
            freed = inside
        if freed.any() or not inside.all():
            raise self._fault(address, inside, freed)
        result = []
        for number in np.unique(which):
            buffer = buffers[int(number)]
            chosen = np.flatnonzero(which == number)
            offset = address[chosen] - np.uint64(buffer.base)
            result.append(self._checked(buffer, offset, chosen, address))
        return result

    def _checked(
        self, buffer: Buffer, offset: Array, chosen: slice | Array, address: Array
    ) -> tuple[Buffer, Array, slice | Array]:
        if (offset & np.uint64(self.size - 1)).any() or (self.store and not buffer.writable):
            everywhere = np.ones(address.size, bool)
            raise self._fault(address, everywhere, ~everywhere)
        if self.coverage is not None:
            self.coverage.note(buffer, offset, self.size)
        return buffer, (offset >> self.shift).astype(np.intp), chosen

    def _fault(self, address: Array, inside: Array, freed: Array) -> LaneFault:
        """Return the fault of all lanes; some are inside a buffer, some inside a freed one."""
        frozen = np.zeros(address.size, bool)
        if self.store:
            for buffer in self.memory.buffers:
                if not buffer.writable:
                    frozen |= (address >= buffer.base) & (address < buffer.end)
        return LaneFault.first_of(
            (
                (TrapKind.OUT_OF_BOUNDS, ~inside),
                (TrapKind.FREED, freed),
                (TrapKind.MISALIGNED, address & np.uint64(self.size - 1)),
                (TrapKind.READ_ONLY, frozen),
            ),
            address,
        )


class LocalAccess:
    """Finds the bytes at the 32-bit offsets of group, private and readonly memory.

    Where an array is given, accesses outside of it are faults, too.
    """

    def __init__(
        self, data: Array, segment_size: int, size: int, array: Symbol | None = None
    ) -> None:
        self.elements = data.view(_UNSIGNED[size])
        self.array = array
        self.limit = segment_size - size
        self.size = size
        self.shift = size.bit_length() - 1

    def resolve(self, offset: Array, base: Array | int) -> tuple[Array, Array]:
        """Return (elements, indices) for int64 offsets into segments that begin at byte `base`."""
        wrong = (offset < 0) | (offset > self.limit)
        low = offset & (self.size - 1)
        checks = [(TrapKind.OUT_OF_BOUNDS, wrong), (TrapKind.MISALIGNED, low)]
        if self.array is not None:
            first, end = self.array.offset, self.array.offset + self.array.size
            beyond = (offset < first) | (offset > end - self.size)
            checks.append((TrapKind.OUT_OF_ARRAY, beyond))
        if any(failing.any() for _, failing in checks):
            raise LaneFault.first_of(checks, offset)
        return self.elements, (offset + base) >> self.shift


def address_source(resident: Resident, address: Address) -> Callable[[Group], Array]:
    """Return global addresses as uint64, offsets into other segments as int64; one per lane."""
    base, offset = address.base, address.offset
    if base is None:
        constant = np.int64(offset)
        return lambda g: np.full(g.count, constant)
    register = resident.registers[base.cls.value].bits[base.index]
    if base.cls is RegClass.D:
        # Address arithmetic wraps modulo 2^64; what it reaches is checked afterwards.
        step = np.uint64(offset & 0xFFFF_FFFF_FFFF_FFFF)
        return lambda g: register[g.index] + step
    return lambda g: register[g.index].astype(np.int64) + offset


Resolver = Callable[[Group], list[tuple[Array, Array, slice | Array]]]


def resolver(resident: Resident, ins: Instruction) -> Resolver:
    """Return a function from the issuing group to the places in host memory that it accesses."""
    address = ins.address
    assert address is not None and ins.row.type is not None
    size = ins.row.type.size
    source = address_source(resident, address)
    work = resident.work
    if address.segment is Segment.GLOBAL:
        coverage = work.checks.coverage if work.checks is not None else None
        access = GlobalAccess(work.memory, size, not ins.row.is_load, coverage)
        return lambda g: access.resolve(source(g))
    everything = slice(None)
    array = None
    if work.checks is not None:
        array = work.checks.array_of(work.program, work.kernel, address.array)
    if address.segment is Segment.GROUP:
        stride = work.kernel.group_size
        local = LocalAccess(resident.group_memory, stride, size, array)
        owner = resident.numbers // resident.lanes_per_group * stride
    elif address.segment is Segment.PRIVATE:
        stride = work.kernel.private_size
        local = LocalAccess(resident.private_memory, stride, size, array)
        owner = resident.numbers * stride
    else:
        is_readonly = address.segment is Segment.READONLY
        data = work.program.readonly_data if is_readonly else work.kernargs
        local = LocalAccess(np.frombuffer(data, np.uint8), len(data), size, array)
        owner = None
    if owner is None:
        return lambda g: [(*local.resolve(source(g), 0), everything)]
    return lambda g: [(*local.resolve(source(g), owner[g.index]), everything)]


def load(resident: Resident, ins: Instruction) -> Step:
    """Bind `ld`; types under 32 bits are extended to the register."""
    assert ins.dst is not None and ins.row.type is not None
    find = resolver(resident, ins)
    type_ = ins.row.type
    register = resident.register(ins.dst.cls.value, ins.dst.index, type_)
    in_memory = np.dtype(type_.numpy)
    widened = dtype_of(type_)

    def step(g: Group) -> None:
        places = find(g)
        if len(places) == 1 and isinstance(places[0][2], slice):
            elements, index, _ = places[0]
            register[g.index] = elements.take(index).view(in_memory)
            return
        values = np.empty(g.count, widened)
        for elements, index, chosen in places:
            values[chosen] = elements.take(index).view(in_memory)
        register[g.index] = values

    return step


def load_argument(resident: Resident, ins: Instruction) -> Step:
    """Bind `ld_kernarg`: one value for all lanes, known before the launch (verified)."""
    assert ins.dst is not None and ins.row.type is not None and ins.address is not None
    type_ = ins.row.type
    register = resident.register(ins.dst.cls.value, ins.dst.index, type_)
    value = np.frombuffer(resident.work.kernargs, type_.numpy, 1, ins.address.offset)[0]

    def step(g: Group) -> None:
        register[g.index] = value

    return step


def store(resident: Resident, ins: Instruction) -> Step:
    """Bind `st`; the highest lane wins where lanes of one instruction store to one address."""
    find = resolver(resident, ins)
    (source,) = ins.reads()[:1]
    assert ins.row.type is not None
    register = resident.registers[source.cls.value].bits[source.index]
    narrow = _UNSIGNED[ins.row.type.size]

    def step(g: Group) -> None:
        values = register[g.index].astype(narrow, copy=False)
        for elements, index, chosen in find(g):
            resident.note_write(elements, index, values[chosen])
            # NumPy assigns in order, so of repeated indices the last one stays.
            elements[index] = values[chosen]

    return step


_UPDATES: dict[str, np.ufunc] = {
    "add": np.add,
    "sub": np.subtract,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def atomic(resident: Resident, ins: Instruction) -> Step:
    """Bind an atomic; the lanes of one instruction take effect in ascending order."""
    type_ = ins.row.type
    assert type_ is not None
    find = resolver(resident, ins)
    operation = ins.row.stem.removeprefix("atomic_")
    sources = [resident.register(r.cls.value, r.index, type_) for r in ins.reads()[: len(ins.srcs)]]
    register = (
        None if ins.dst is None else resident.register(ins.dst.cls.value, ins.dst.index, type_)
    )
    dtype = np.dtype(type_.numpy)
    if register is None and operation in _UPDATES:
        return _reduction(resident, find, _UPDATES[operation], sources[0], dtype)

    def step(g: Group) -> None:
        operands = [s[g.index] for s in sources]
        old = np.empty(g.count, dtype)
        for elements, index, chosen in find(g):
            cells = elements.view(dtype)
            old[chosen] = _update(operation, cells, index, [o[chosen] for o in operands])
            resident.note_write(cells, index, old[chosen])
        if register is not None:
            register[g.index] = old

    return step


def _reduction(
    resident: Resident, find: Resolver, update: np.ufunc, operand: Array, dtype: np.dtype
) -> Step:
    """Bind an atomic without a result; NumPy's `ufunc.at` updates lane after lane itself."""

    def step(g: Group) -> None:
        values = operand[g.index]
        for elements, index, chosen in find(g):
            cells = elements.view(dtype)
            before = cells[index]
            update.at(cells, index, values[chosen])
            resident.note_write(cells, index, before)

    return step


def _update(operation: str, cells: Array, index: Array, operands: list[Array]) -> Array:
    """Apply one atomic to `cells[index]`, lane after lane; the old values in lane order."""
    order = np.argsort(index, kind="stable")
    sorted_index = index[order]
    new_run = np.empty(index.size, bool)
    new_run[0] = True
    np.not_equal(sorted_index[1:], sorted_index[:-1], out=new_run[1:])
    old = np.empty(index.size, cells.dtype)
    if new_run.all():
        old = cells[index]
        cells[index] = _combine(operation, old, operands)
    elif operation in ("add", "sub"):
        old[order] = _prefix(operation, cells, sorted_index, operands[0][order], new_run)
    elif operation == "exch":
        values = operands[0][order]
        before = np.empty_like(values)
        before[1:] = values[:-1]
        before[new_run] = cells[sorted_index[new_run]]
        old[order] = before
        cells[index] = operands[0]
    else:
        starts = np.flatnonzero(new_run)
        lengths = np.diff(starts, append=index.size)
        if lengths.max() > starts.size:  # many lanes at few places, as at a lock
            for lanes in np.split(order, starts[1:]):
                at = index[lanes[0]]
                given = [o[lanes] for o in operands]
                old[lanes], cells[at] = _at_one_place(operation, cells[at], given)
        else:
            for lanes in _in_turn(order, starts, lengths):
                old[lanes] = cells[index[lanes]]
                cells[index[lanes]] = _combine(operation, old[lanes], [o[lanes] for o in operands])
    return old


def _at_one_place(
    operation: str, value: Any, operands: list[Array]
) -> tuple[Array | list[int], Any]:
    """Return what lane after lane finds at a place that has `value`, and what the last one leaves.

    A swap depends on whether the one before it has succeeded, and so is not a scan of NumPy's.
    """
    if operation != "cas":
        found = _UPDATES[operation].accumulate(np.concatenate([[value], operands[0]]))
        return found[:-1], found[-1]
    before, now = [], int(value)
    for expected, new in zip(operands[0].tolist(), operands[1].tolist(), strict=True):
        before.append(now)
        if now == expected:
            now = new
    return before, now


def _in_turn(order: Array, starts: Array, lengths: Array) -> list[Array]:
    """Return sets of lanes with distinct indices: the first lane of every run, then the second."""
    rank = np.arange(order.size) - np.repeat(starts, lengths)
    by_rank = np.argsort(rank, kind="stable")
    return np.split(order[by_rank], np.cumsum(np.bincount(rank))[:-1])


def _combine(operation: str, old: Array, operands: list[Array]) -> Array:
    if operation == "exch":
        return operands[0]
    if operation == "cas":
        return np.where(old == operands[0], operands[1], old)
    return _UPDATES[operation](old, operands[0])


def _prefix(operation: str, cells: Array, index: Array, values: Array, new_run: Array) -> Array:
    """Add up runs of equal indices; return the value that each lane found before its addition."""
    signed = values if operation == "add" else np.negative(values)
    total = np.cumsum(signed, dtype=cells.dtype)
    before = total - signed
    starts = np.flatnonzero(new_run)
    run = np.cumsum(new_run) - 1
    old = cells[index] + (before - before[starts][run])
    ends = np.append(starts[1:], index.size) - 1
    cells[index[ends]] = old[ends] + signed[ends]
    return old
