"""Traps: what ends a launch, reported with kernel, line, work-item, address and nearest buffer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import prod

from ..isa.errors import Diagnostic, Note, Outcome, SimtError, Span
from ..isa.program import Kernel, Program, Symbol
from ..isa.types import Segment
from .geometry import Dim3, Geometry
from .loop_conditions import unchanged_condition
from .memory import FIRST_BUFFER, Memory


class TrapKind(StrEnum):
    """Why a launch ended; the value is the error code of `simtlab explain`."""

    OUT_OF_BOUNDS = "SIM401"
    MISALIGNED = "SIM402"
    FREED = "SIM403"
    DIVIDE_BY_ZERO = "SIM404"
    DIVERGENT_BARRIER = "SIM405"
    BUDGET = "SIM406"
    SIMT_DEADLOCK = "SIM407"
    LIVELOCK = "SIM408"
    TRAP = "SIM409"
    READ_ONLY = "SIM410"
    OUT_OF_ARRAY = "SIM411"
    UNDECIDED = "SIM412"


@dataclass(frozen=True, slots=True)
class TrapRecord:
    """A trap as an engine finds it: which work-item, at which pc, on which address.

    `group` and `local` are flat numbers. `address` is simulated for global memory and an offset
    for the other segments; `size` is the bytes of the access. `detail` is an extra sentence
    for kinds that need one (which lanes wait where), `code` the operand of a `trap` instruction.
    `loop` is the part of `detail` that says which lanes repeat which loop.
    """

    kind: TrapKind
    pc: int
    group: int
    local: int
    segment: Segment | None = None
    address: int | None = None
    size: int = 0
    store: bool = False
    code: int = 0
    detail: str = ""
    loop: str = ""
    notes: tuple[Note, ...] = ()

    @property
    def key(self) -> tuple[TrapKind, int, int, int]:
        """Return what two engines must agree on: kind, pc and work-item."""
        return self.kind, self.pc, self.group, self.local


class Trap(SimtError):
    """A kernel broke a rule; the launch has ended, and the device stays usable."""

    outcome = Outcome.FINDING

    def __init__(
        self,
        record: TrapRecord,
        program: Program,
        kernel: Kernel,
        geometry: Geometry,
        memory: Memory,
    ) -> None:
        self.record = record
        self.kernel = kernel
        self.workitem: Dim3 = geometry.absolute_id(record.group, record.local)
        self.group: Dim3 = geometry.group_id(record.group)
        self.warp = record.local // geometry.width
        self.lane = record.local % geometry.width
        self.span: Span | None = program.span(kernel, record.pc)
        where, hint = _explain(record, program, kernel, geometry, memory)
        unchanged = None
        if record.kind in (TrapKind.BUDGET, TrapKind.LIVELOCK, TrapKind.UNDECIDED):
            unchanged = unchanged_condition(program, kernel, record.pc)
        who = (
            f"work-item {_dims(self.workitem, geometry.items)} (workgroup "
            f"{_dims(self.group, geometry.groups)}, warp {self.warp}, lane {self.lane})"
        )
        super().__init__(
            diagnostics=(
                Diagnostic(
                    record.kind.value,
                    f"kernel {kernel.name}: {where}",
                    span=self.span,
                    label=kernel.instructions[record.pc].name if self.span else "",
                    hint=unchanged.hint if unchanged else hint,
                    notes=(
                        Note(f"{who} at pc {record.pc}"),
                        *record.notes,
                        *((Note(unchanged.note),) if unchanged else ()),
                    ),
                ),
            )
        )


def _dims(value: Dim3, extent: Dim3) -> str:
    """Return a position as text; one number where the launch has one dimension."""
    return str(value[0]) if extent[1] == extent[2] == 1 else str(value)


def _explain(
    record: TrapRecord, program: Program, kernel: Kernel, geometry: Geometry, memory: Memory
) -> tuple[str, str]:
    """Return the sentence that says what happened, and the hint."""
    access = f"{'store to' if record.store else 'load from'} {record.segment} address"
    shown = (
        ""
        if record.address is None
        else f"{record.address:#x}"
        if record.segment is Segment.GLOBAL
        else str(record.address)
    )
    match record.kind:
        case TrapKind.OUT_OF_BOUNDS if _lacks_pointer(record):
            return (
                f"out-of-bounds {access} {shown} ({record.size} bytes): every buffer is at "
                f"{FIRST_BUFFER:#x} or above",
                "the address has no pointer in it: load one with ld_kernarg_u64 and add it, for "
                "example: mad_u64 $d0, $d1, 4, $d0",
            )
        case TrapKind.OUT_OF_BOUNDS if record.segment is Segment.GLOBAL:
            return (
                f"out-of-bounds {access} {shown} ({record.size} bytes): {_near(record, memory)}",
                "guard the access, for example: cmp_ge_u32 $c0, $s0, $s1; cbr $c0, @done",
            )
        case TrapKind.OUT_OF_BOUNDS:
            size = {
                Segment.GROUP: kernel.group_size,
                Segment.PRIVATE: kernel.private_size,
            }.get(record.segment or Segment.GROUP)
            owned = f" of {size} bytes" if size is not None else ""
            array = _array(record, kernel)
            used = f", which {array.name}[{array.count}] is a part of" if array else ""
            return (
                f"out-of-bounds {access} {shown} ({record.size} bytes): outside the "
                f"{record.segment} segment{owned}{used}",
                _local_hint(array, geometry),
            )
        case TrapKind.OUT_OF_ARRAY:
            return _beyond_array(record, program, kernel, access, shown)
        case TrapKind.MISALIGNED:
            return (
                f"misaligned {access} {shown}: not a multiple of {record.size}",
                f"scale the index by {record.size}, for example: "
                + (
                    f"mad_u64 $d0, $d1, {record.size}, $d0"
                    if record.segment is Segment.GLOBAL
                    else f"mul_u32 $s0, $s0, {record.size}"
                ),
            )
        case TrapKind.FREED:
            return (
                f"{access} {shown}: {_near(record, memory)}",
                "free the buffer only after its last launch",
            )
        case TrapKind.READ_ONLY:
            return (
                f"{access} {shown}: {_near(record, memory)}",
                "pass a writable array",
            )
        case TrapKind.DIVIDE_BY_ZERO:
            return (
                "integer division by zero",
                "guard the division with a compare and a branch",
            )
        case TrapKind.DIVERGENT_BARRIER:
            return (
                f"divergent barrier: {record.detail}",
                "every work-item of a workgroup must execute the same barrier equally often; "
                "move it out of the branch",
            )
        case TrapKind.BUDGET:
            return (
                f"instruction budget exhausted: {record.detail}",
                "raise it with --budget (or budget=) if the kernel is meant to run this long",
            )
        case TrapKind.SIMT_DEADLOCK:
            return (
                f"SIMT deadlock: {record.detail}",
                "the scheme never schedules the waiting work-items: let one work-item of a warp "
                "take the lock for all (--engine oracle, which schedules each alone, would finish)",
            )
        case TrapKind.LIVELOCK:
            return (
                f"livelock: {record.detail}",
                "the loop ends under no schedule: check the condition that leaves it",
            )
        case TrapKind.UNDECIDED:
            return (
                f"the launch does not end: {record.detail}",
                "a loop is endless, or work-items wait for others in a way that was not "
                "recognised: run fewer work-items with --engine interp or oracle to find out",
            )
        case TrapKind.TRAP:
            return f"trap instruction with code {record.code}", ""


def _lacks_pointer(record: TrapRecord) -> bool:
    """Return whether a global address is nearer to 0 than to where any buffer can be."""
    return record.segment is Segment.GLOBAL and (record.address or 0) < FIRST_BUFFER // 2


def _beyond_array(
    record: TrapRecord, program: Program, kernel: Kernel, access: str, shown: str
) -> tuple[str, str]:
    """Return the sentence and the hint for an access that leaves the array its address names."""
    named = kernel.instructions[record.pc].address
    assert named is not None and record.address is not None
    symbols = [
        symbol
        for symbol in (*kernel.group, *kernel.private, *program.readonly)
        if symbol.segment is record.segment
    ]
    array = next(symbol for symbol in symbols if symbol.name == named.array)
    hit = next((s for s in symbols if s.offset <= record.address < s.offset + s.size), None)
    reached = (
        "it reaches no array"
        if hit is None
        else f"it reaches {hit.name}[{hit.count}]"
        if hit is not array
        else "it runs over the end"
    )
    return (
        f"{access} {shown} ({record.size} bytes): outside of {array.name}[{array.count}], the "
        f"array that the address names; {reached}",
        "the address is a byte offset: is the index in range, and scaled by the element size?",
    )


def _array(record: TrapRecord, kernel: Kernel) -> Symbol | None:
    """Return the group or private array that the instruction names, if it names one."""
    address = kernel.instructions[record.pc].address
    arrays = {Segment.GROUP: kernel.group, Segment.PRIVATE: kernel.private}
    if address is None:
        return None
    for array in arrays.get(address.segment, ()):
        if array.offset <= address.offset < array.offset + array.size:
            return array
    return None


def _local_hint(array: Symbol | None, geometry: Geometry) -> str:
    """Return the hint for an offset outside of its segment."""
    items = prod(geometry.group_size)
    if array is not None and array.segment is Segment.GROUP and items > array.count:
        return (
            f"{array.name} has {array.count} elements, and the workgroup {items} work-items: "
            f"make the array larger, or the workgroup smaller with --block (or group_size=)"
        )
    return "the address is a byte offset: is the index scaled by the element size?"


def _near(record: TrapRecord, memory: Memory) -> str:
    """Return where a global address is: in which buffer, or how far from the nearest one."""
    address = record.address or 0
    inside = memory.find(address)
    if inside is not None and not inside.alive:
        return f"inside buffer {inside.name}, which was freed"
    if inside is not None and address + record.size <= inside.end:
        return f"inside buffer {inside.name}, which is read-only"
    near = memory.nearest(address)
    if near is None:
        return "no buffer is live"
    span = f"buffer {near.name} [{near.base:#x}, {near.end:#x})"
    if address < near.base:
        return f"{_bytes(near.base - address)} before {span}"
    if address >= near.end:
        return f"{_bytes(address - near.end)} after the end of {span}"
    return f"runs over the end of {span}"


def _bytes(number: int) -> str:
    return f"{number} byte{'' if number == 1 else 's'}"
