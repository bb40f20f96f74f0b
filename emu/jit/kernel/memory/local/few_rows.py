"""Private memory at offsets of which few are possible: a row each, and a choice by lane.

A pivot's row is one of four, a counter one of eight. Such an offset is a uniform number and a
multiple of a power of two, between bounds that ranges give. The lanes' elements at each of these
offsets are neighbours. So a load is a load for each of them and some blends; a store has a mask
for each. Gathers and scatters take as long as all their lanes one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import gcd
from typing import NamedTuple

from ......isa.types import Type
from .....analysis.ranges.offset_ranges import Ranges
from .....analysis.ranges.range_arithmetic import Range
from .....analysis.values.ssa import Const, Op, Value
from ....llvm.text import integer
from ...lane_code import LaneCode
from ..addressing.extent import Extent
from ..moves import Moves
from .private_rows import PrivateRows

SIZE = 4
"""Bytes of an element: of eight, masks are halves of registers, and a gather is as fast."""

MOST_ROWS = 6
"""Offsets that may be possible; with more, a gather is as fast."""

MOST_PARTS = 3
"""Uniform numbers of a sum."""


class Part(NamedTuple):
    """A uniform number of a sum: a value, or the product of two, times a constant."""

    value: Value
    factor: Value | None
    scale: int


@dataclass(frozen=True)
class FewOffsets:
    """The offsets of the lanes: uniform parts, and `scale` times a value that is one of few."""

    parts: tuple[Part, ...]
    value: Value
    numbers: range
    scale: int


def few_offsets(lanes: LaneCode, ranges: Ranges, op: Op, extent: Extent) -> FewOffsets | None:
    """Return the offsets of an access, if few are possible and all of these are inside."""
    if extent.size != SIZE:
        return None
    value: Value = extent.base
    parts: list[Part] = []
    scale = 1
    while len(parts) <= MOST_PARTS and scale <= extent.total:
        numbers = _numbers(ranges.of(value, op.node))
        if numbers is not None:
            found = FewOffsets(tuple(parts), value, numbers, scale)
            return found if _is_inside(found, ranges, op.node, extent) else None
        peeled = _without_part(lanes, op, value)
        if peeled is None:
            return None
        value, more = peeled
        if isinstance(more, int):
            scale *= more
        else:
            parts.append(Part(*more, scale))
    return None


def _numbers(found: Range) -> range | None:
    """Return the numbers of a range, if they are two or more, but few."""
    low = -(-found.low // found.multiple) * found.multiple
    numbers = range(low, found.high + 1, found.multiple)
    return numbers if 1 < len(numbers) <= MOST_ROWS else None


def _is_inside(found: FewOffsets, ranges: Ranges, node: int, extent: Extent) -> bool:
    """Return whether all offsets that may be are inside, and aligned; no sum wraps around then.

    Some lane runs where memory is accessed, so what holds for it holds for uniform parts.
    """
    low, high = (found.scale * n + extent.offset for n in (found.numbers[0], found.numbers[-1]))
    multiple = gcd(found.scale * found.numbers.step, found.scale * found.numbers[0], extent.offset)
    for value, factor, scale in found.parts:
        own = ranges.of(value, node)
        other = Range(1, 1, 1) if factor is None else ranges.of(factor, node)
        low += own.low * other.low * scale
        high += own.high * other.high * scale
        multiple = gcd(multiple, own.multiple * other.multiple * scale)
    fits = low >= max(0, extent.offset) and high + extent.size <= extent.total
    return fits and multiple % extent.size == 0


def _without_part(
    lanes: LaneCode, op: Op, value: Value
) -> tuple[Value, tuple[Value, Value | None] | int] | None:
    """Return what is left of a sum without a uniform part, or of a product without a constant.

    Returns the part or the constant as well; None if it is neither.
    """
    flow, shapes = lanes.flow, lanes.shapes
    if not isinstance(value, Op) or flow.loop_of[value.node] != flow.loop_of[op.node]:
        return None  # a part may have another value by now
    if any(loop.is_merged for loop in flow.loops_around(op.node)):
        return None
    args, found = value.args, None
    match value.ins.row.name:
        case "shl_u32" | "shl_s32" if isinstance(args[1], Const):
            found = args[0], 1 << (args[1].bits & 31)
        case "mul_u32" | "mul_s32" if isinstance(args[1], Const) and 0 < args[1].bits < 1 << 31:
            found = args[0], args[1].bits
        case "add_u32" | "add_s32":
            for left, uniform in (args, args[::-1]):
                if shapes.is_uniform(uniform):
                    found = left, (uniform, None)
        case "mad_u32" | "mad_s32" if shapes.is_uniform(args[0]) and shapes.is_uniform(args[1]):
            found = args[2], (args[0], args[1])
        case _:
            return None
    if found is None:
        return None
    left, part = found
    used = [left] if isinstance(part, int) else [left, *part]
    ops = [v for v in used if isinstance(v, Op)]
    at_hand = all(v.node == op.node or v in lanes.table.crossing for v in ops)
    return found if at_hand else None


class FewRows:
    """Emits such accesses."""

    def __init__(self, lanes: LaneCode, moves: Moves, rows: PrivateRows) -> None:
        self._lanes, self._moves, self._rows = lanes, moves, rows

    def access(self, op: Op, type_: Type, extent: Extent, found: FewOffsets) -> list[str]:
        """Access one of few rows; return what was loaded."""
        lanes, code, n = self._lanes, self._lanes.code, self._lanes.n
        start, values = self._start(found.parts), lanes.vector(found.value)
        offsets = (found.scale * number + extent.offset for number in found.numbers)
        hosts = [self._rows.row(self._rows.sum(start, offset)) for offset in offsets]

        def at(number: int) -> list[str]:
            """Return the lanes whose value is this number."""
            t, wanted = integer(32, n), f"splat (i32 {number})"
            return [code.let(f"icmp eq {t} {value}, {wanted}") for value in values]

        if not op.ins.row.is_load:
            self._store(type_, self._moves.store_data(op, type_), hosts, map(at, found.numbers))
            return []
        first, *others = hosts
        loaded, t = self._moves.load_wide(type_, first), integer(op.cls.bits, n)
        for number, host in zip(found.numbers[1:], others, strict=True):
            row = self._moves.load_wide(type_, host)
            loaded = [
                code.let(f"select {lanes.mask_type} {mask}, {t} {new}, {t} {old}")
                for mask, new, old in zip(at(number), row, loaded, strict=True)
            ]
        return loaded

    def _start(self, parts: Sequence[Part]) -> str:
        """Return the sum of the uniform parts, an i32."""
        lanes, code, total = self._lanes, self._lanes.code, "0"
        for value, factor, scale in parts:
            part = code.let(f"mul i32 {lanes.scalar(value)}, {scale}")
            if factor is not None:
                part = code.let(f"mul i32 {part}, {lanes.scalar(factor)}")
            total = code.let(f"add i32 {total}, {part}")
        return total

    def _store(
        self, type_: Type, data: Sequence[str], hosts: Sequence[str], masks: Iterable[Sequence[str]]
    ) -> None:
        """Store an element of each running lane, in the rows of the masks.

        Other lanes' elements are stored as they were: a masked store would not be forwarded to
        loads that follow.
        """
        lanes, code, t = self._lanes, self._lanes.code, integer(type_.bits, self._lanes.n)
        for host, mask in zip(hosts, masks, strict=True):
            here = lanes.combine("and", mask, lanes.mask)
            places = lanes.chunk_places(host, type_.bits)
            for value, place, running in zip(data, places, here, strict=True):
                old = code.let(f"load {t}, ptr {place}, align {type_.size}")
                new = code.let(f"select {lanes.mask_type} {running}, {t} {value}, {t} {old}")
                code.line(f"store {t} {new}, ptr {place}, align {type_.size}")
