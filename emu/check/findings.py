"""The sentences of findings about accesses, and the names of what was accessed."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

from ...isa.errors import Note
from ...isa.program import Kernel, Param, Symbol
from ..engine import Work
from ..memory import Buffer
from .finding import Finding, Rule, Severity
from .log import Log, access_of, line_key
from .shadow import Shadow
from .timeline import Timeline

if TYPE_CHECKING:
    from .races import Races, Touch

_BARRIER = "put a `barrier` between the two, which every work-item of the workgroup reaches"
_ONE_LINE = (
    "give each work-item elements of its own, let one of them store, or use an atomic; a `barrier` "
    "helps only between two rounds of a loop"
)
_APART = (
    "no barrier orders different workgroups: use an atomic, give each workgroup elements of its "
    "own, or do the second part in another launch"
)
_ATOMIC = (
    "access it by atomics only (atomic_or of 0 loads, atomic_exch stores), or put a barrier or the "
    "end of the launch between"
)
_PUBLISH = "with `memfence` before the atomic that publishes it, and an atomic that reads it"


def place(work: Work, t: Touch, position: int) -> str:
    """Return what is accessed at a position, as `x[3]` or `tile[16]`."""
    offset = int(t.cells[position]) * t.shadow.granule
    if t.buffer is not None:
        return buffer_place(work, t.buffer, offset)
    return symbol_place(work.kernel.group, offset % work.kernel.group_size, "group memory")


def symbol_place(symbols: tuple[Symbol, ...], offset: int, segment: str) -> str:
    """Return the array and index at an offset into a segment."""
    for symbol in symbols:
        if symbol.offset <= offset < symbol.offset + symbol.size:
            return f"{symbol.name}[{(offset - symbol.offset) // symbol.type.size}]"
    return f"{segment}[{offset}]"


def buffer_place(work: Work, buffer: Buffer, offset: int) -> str:
    """Return the parameter of the kernel, and the index, at an offset into a buffer."""
    param, start = parameter(work, buffer, offset)
    if param is None:
        return f"{buffer.name}[byte {offset}]"
    return f"{param.name}[{(offset - start) // param.type.size}]"


def parameter(work: Work, buffer: Buffer, offset: int) -> tuple[Param | None, int]:
    """Return the pointer nearest below an offset into a buffer, and the offset that it points to.

    None if no parameter points there.
    """
    best, best_start = None, -1
    for param in work.kernel.params:
        if param.is_pointer:
            start = struct.unpack_from("<Q", work.kernargs, param.offset)[0] - buffer.base
            if 0 <= start <= offset and start > best_start:
                best, best_start = param, start
    return best, max(best_start, 0)


def race(
    races: Races,
    rule: Rule,
    where: str,
    now: tuple[str, int],
    before: tuple[str, int],
) -> Finding:
    """Return the finding for two accesses without an order, each (action, packed access)."""
    launch = races.timeline.current
    later, earlier = (access_of(launch, action, packed) for action, packed in (now, before))
    severity = Severity.ERROR
    notes: tuple[Note, ...] = ()
    match rule:
        case Rule.SAME_VALUE:
            message = f"two work-items store the same value to {where} with nothing between"
            severity = Severity.WARNING
            hint = "let one work-item store it, if that is meant"
        case Rule.MIXED:
            message = f"an atomic and a plain access to {where} with nothing between"
            hint = _ATOMIC
        case _:
            message = f"data race on {where}: nothing orders a {before[0]} and a {now[0]}"
            hint = _BARRIER if later.group == earlier.group else _APART
            if later.pc == earlier.pc and later.group == earlier.group:
                hint = _ONE_LINE
            if (later.group, later.warp) == (earlier.group, earlier.warp):
                notes = (Note("both are lanes of one warp, which need not run in lock step"),)
            if _has_atomics(launch.work.kernel):
                hint += f"; or hand it over {_PUBLISH}"
    return Finding(
        rule, severity, launch.work.kernel.name, message,
        place=where, accesses=(later, earlier), hint=hint, notes=notes,
    )  # fmt: skip


def _has_atomics(kernel: Kernel) -> bool:
    return any(ins.row.is_atomic for ins in kernel.instructions)


def unwritten(races: Races, rule: Rule, where: str, now: tuple[str, int]) -> Finding:
    """Return the finding for memory that is loaded before anything is stored there."""
    launch = races.timeline.current
    if rule is Rule.ON_CHIP:
        message = f"{where} is read before a work-item has written it"
        hint = "store to it first, and put a barrier between if another work-item stores"
    else:
        message = f"{where} is read, but neither the host nor a kernel has written it"
        hint = "allocate it with device.zeros, or fill it first"
    return Finding(
        rule, Severity.ERROR, launch.work.kernel.name, message,
        place=where, accesses=(access_of(launch, *now),), hint=hint,
    )  # fmt: skip


def unread(timeline: Timeline, log: Log, shadow: Shadow, where: str) -> None:
    """Log the last stores to a memory that no work-item has read since."""
    stores = shadow.writes
    lonely = (stores != 0) & (shadow.reads.first < stores)
    if shadow.atomics is not None:
        lonely &= shadow.atomics.first < stores
    found = stores[lonely]
    # Launch by launch, since each has its own table of pcs.
    while found.size:
        launch = timeline.launch_of(int(found[0]))
        first = launch.first << 32
        end = (launch.first + launch.pcs.size) << 32
        ours = (found >= first) & (found < end)
        numbers = launch.pcs[(found[ours] >> 32) - launch.first]
        for pc in np.unique(numbers).tolist():
            example = int(found[ours][numbers == pc][0])
            kernel = launch.work.kernel
            key = (Rule.UNREAD, line_key(kernel, pc), where)
            log.add(
                key,
                int((numbers == pc).sum()),
                lambda launch=launch, example=example: Finding(
                    Rule.UNREAD,
                    Severity.WARNING,
                    launch.work.kernel.name,
                    f"no work-item reads what is stored to {where} here",
                    place=where,
                    accesses=(access_of(launch, "store", example),),
                    hint="leave the store out, unless the host reads the result",
                    unit="element",
                ),
            )
        found = found[~ours]
