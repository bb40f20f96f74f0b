"""From instructions to steps: per instruction a function that does it to one work-item.

A step changes the work-item and what it can reach, and returns the next pc; an instruction that
traps changes nothing and raises `Trapped`. Steps find their operands by index in
`WorkItem.slots`: the registers that the kernel uses, class by class, then a slot for every
constant of its code, so that registers, immediates and literals are read alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...isa.instruction import Imm, Instruction, Reg
from ...isa.program import Kernel
from ...isa.table import Flags
from ...isa.types import BITS32, RegClass, Type, mask_of
from ..traps import TrapKind
from .access import Segments
from .alu import OPERATIONS
from .identity import IDENTITY
from .integers import INTEGER, DivideByZero, Operation, fills_register, register
from .state import State, Trapped, WorkItem

Step = Callable[[WorkItem], int]


class Code:
    """The steps of a kernel, and the slots that a work-item starts with."""

    def __init__(self, kernel: Kernel, segments: Segments) -> None:
        used = kernel.registers
        self.first_slots = {
            RegClass.S: 0, RegClass.D: used["s"], RegClass.C: used["s"] + used["d"]
        }  # fmt: skip
        self.slots = [0] * sum(used.values())
        self._constants: dict[int, int] = {}
        self._segments = segments
        self.steps: list[Step] = [
            self._step(ins, pc + 1) for pc, ins in enumerate(kernel.instructions)
        ]

    def _slot(self, source: Reg | Imm | int) -> int:
        """Return the slot of a register, an immediate or a literal."""
        if isinstance(source, Reg):
            return self.first_slots[source.cls] + source.index
        value = source.bits if isinstance(source, Imm) else source
        if value not in self._constants:
            self._constants[value] = len(self.slots)
            self.slots.append(value)
        return self._constants[value]

    def _step(self, ins: Instruction, after: int) -> Step:
        """Return the step of one instruction; `after` is the pc after it."""
        row = ins.row
        if row.has_address:
            return self._memory_step(ins, after)
        if row.stem in _CONTROL:
            sources = [self._slot(s) for s in (*ins.srcs, *ins.literals)]
            return _CONTROL[row.stem](sources, ins.target or 0, after)
        assert ins.dst is not None
        dst = self._slot(ins.dst)
        sources = [self._slot(s) for s in (*ins.srcs, *ins.literals)]
        if Flags.READS_DST in row.flags:
            sources.append(dst)
        if row.stem in IDENTITY:
            return _identity(IDENTITY[row.stem], dst, sources, after)
        compute = _compute(OPERATIONS[row.name], dst, sources, after)
        return _guarded(compute) if Flags.MAY_TRAP in row.flags else compute

    def _memory_step(self, ins: Instruction, after: int) -> Step:
        row, address = ins.row, ins.address
        assert row.type is not None
        assert address is not None
        base = self._slot(address.base if address.base is not None else 0)
        offset = address.offset
        dst = None if ins.dst is None else self._slot(ins.dst)
        if row.stem == "lda":
            assert dst is not None
            return _address_of(dst, base, offset, after)
        locate = self._segments.locator(
            address.segment, row.type.size, store=row.is_store or row.is_atomic
        )
        size = row.type.size
        sources = [self._slot(s) for s in ins.srcs]

        if row.is_load:
            assert dst is not None
            from_bytes = int.from_bytes

            def load(item: WorkItem) -> int:
                slots = item.slots
                data, place = locate(item, slots[base] + offset)
                slots[dst] = from_bytes(data[place : place + size], "little")
                return after

            def load_extended(item: WorkItem) -> int:
                slots = item.slots
                data, place = locate(item, slots[base] + offset)
                slots[dst] = extend(from_bytes(data[place : place + size], "little"))
                return after

            extend = register(row.type)
            return load if fills_register(row.type) else load_extended

        if row.is_store:
            (source,) = sources
            low = mask_of(row.type.bits)

            def store(item: WorkItem) -> int:
                slots = item.slots
                data, place = locate(item, slots[base] + offset)
                data[place : place + size] = (slots[source] & low).to_bytes(size, "little")
                return after

            return store

        update = _atomic(row.stem, row.type)

        def atomic(item: WorkItem) -> int:
            slots = item.slots
            data, place = locate(item, slots[base] + offset)
            old = int.from_bytes(data[place : place + size], "little")
            new = update(old, *(slots[s] for s in sources))
            data[place : place + size] = new.to_bytes(size, "little")
            if dst is not None:
                slots[dst] = old
            return after

        return atomic


# --- steps that compute


def _compute(operation: Operation, dst: int, sources: Sequence[int], after: int) -> Step:
    """Return destination = operation(sources); one to three sources are spelled out for speed."""
    match sources:
        case [a]:

            def unary(item: WorkItem) -> int:
                slots = item.slots
                slots[dst] = operation(slots[a])
                return after

            return unary
        case [a, b]:

            def binary(item: WorkItem) -> int:
                slots = item.slots
                slots[dst] = operation(slots[a], slots[b])
                return after

            return binary
        case [a, b, c]:

            def ternary(item: WorkItem) -> int:
                slots = item.slots
                slots[dst] = operation(slots[a], slots[b], slots[c])
                return after

            return ternary
        case _:

            def general(item: WorkItem) -> int:
                slots = item.slots
                slots[dst] = operation(*[slots[s] for s in sources])
                return after

            return general


def _guarded(step: Step) -> Step:
    """Return a step whose division by zero is the work-item's trap."""

    def guarded(item: WorkItem) -> int:
        try:
            return step(item)
        except DivideByZero:
            raise Trapped(TrapKind.DIVIDE_BY_ZERO) from None

    return guarded


def _identity(function: Callable[..., int], dst: int, sources: Sequence[int], after: int) -> Step:
    def identity(item: WorkItem) -> int:
        slots = item.slots
        slots[dst] = function(item, *[slots[s] for s in sources])
        return after

    return identity


def _address_of(dst: int, base: int, offset: int, after: int) -> Step:
    """Return the offset of an address in its segment; a register holds it modulo 2^32."""

    def address_of(item: WorkItem) -> int:
        slots = item.slots
        slots[dst] = slots[base] + offset & BITS32
        return after

    return address_of


def _atomic(stem: str, type_: Type) -> Operation:
    """Return the new value of memory, from the old one and the sources."""
    name = stem.removeprefix("atomic_")
    if name == "exch":
        return lambda old, a: a
    if name == "cas":
        return lambda old, a, b: b if old == a else old
    return INTEGER[name](type_)


# --- steps of control: from the sources' slots, the target and the pc after the instruction


def _branch(sources: Sequence[int], target: int, after: int) -> Step:
    return lambda item: target


def _conditional_branch(sources: Sequence[int], target: int, after: int) -> Step:
    (condition,) = sources
    return lambda item: target if item.slots[condition] else after


def _return(sources: Sequence[int], target: int, after: int) -> Step:
    def ret(item: WorkItem) -> int:
        item.state = State.RETURNED
        return after - 1

    return ret


def _trap(sources: Sequence[int], target: int, after: int) -> Step:
    (code,) = sources

    def trap(item: WorkItem) -> int:
        raise Trapped(TrapKind.TRAP, code=item.slots[code])

    return trap


def _barrier(sources: Sequence[int], target: int, after: int) -> Step:
    """Return a step that keeps the work-item at the barrier's pc until the barrier opens."""

    def barrier(item: WorkItem) -> int:
        item.state = State.WAITING
        return after - 1

    return barrier


def _nothing(sources: Sequence[int], target: int, after: int) -> Step:
    """Return a step without effect: stores are visible at once, so a fence orders nothing."""
    return lambda item: after


_CONTROL: dict[str, Callable[[Sequence[int], int, int], Step]] = {
    "br": _branch,
    "cbr": _conditional_branch,
    "ret": _return,
    "trap": _trap,
    "barrier": _barrier,
    "nop": _nothing,
    "reconverge": _nothing,
    "memfence": _nothing,
}
