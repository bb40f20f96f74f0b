"""Loops in which each lane of a warp stores to places of its own: columns, and pieces of a row.

An address steps by the same number in each iteration. Lanes that begin at a constant distance do
not meet

- where a lane's steps stay below that distance, as in `text[10 * i + k]` with k below 10;
- where a step is a whole row, as in `y[k * n + i]` with i below n.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....isa.types import Segment, sign_extend
from ..flow.order import Loop
from ..ranges.guards import Guards
from ..ranges.stepping import increment_of
from ..ranges.trips import trips_of
from ..values.ssa import Const, Op, Phi, Value
from ..warps.uniformity import Shapes

FARTHEST = 1 << 32
"""Bytes between neighbours; nearer lanes of a warp do not meet by wrapping around."""

MOST_BITS = 16
"""Bits of the largest element of which a row has many."""


def store_apart(shapes: Shapes, loop: Loop, stores: Sequence[Op]) -> bool:
    """Return whether no two lanes store to one byte by these stores, in any iterations."""
    ssa = shapes.ssa
    phi, extent = stores[0].base, _extent(stores)
    if not isinstance(phi, Phi) or phi.node != loop.header or extent is None:
        return False
    if any(op.base is not phi for op in stores):
        return False
    begins = {arg for before, arg in phi.args.items() if before not in loop.nodes}
    terms = increment_of(loop, phi)
    if len(begins) != 1 or terms is None or len(terms) != 1:
        return False
    (begin,), ((_, step),) = begins, terms
    guards, between = Guards(ssa), shapes.stride(begin)
    trips = trips_of(ssa, loop, guards.tree.dominates)
    if not between or trips is None:
        return False
    apart = abs(sign_extend(between, 64))
    if extent > apart or apart >= FARTHEST:
        return False
    if isinstance(step, Const):
        return abs(sign_extend(step.bits, 64)) * trips.returns + extent <= apart
    # The trips are at most a thousand, so that no multiple of a row wraps around.
    row, place = _times(step), _place_in(begin)
    if row is None or place is None or row[1] != place[1] or extent > row[1]:
        return False
    if not shapes.is_uniform(row[0]):
        return False  # lanes with shorter rows step to places of others
    number = shapes.stride(place[0])
    steps = bool(number) and number * place[1] == between
    return steps and _is_below(place[0], row[0], guards, loop)


def _is_below(number: Value, end: Value, guards: Guards, loop: Loop) -> bool:
    """Return whether lanes in a loop have a number below another one, both without a sign."""
    return any(
        guard.value is number
        and guard.other is end
        and guard.relation == "lt"
        and guard.type.name == "u32"
        for guard in guards.at(loop.header)
    )


def _extent(stores: Sequence[Op]) -> int | None:
    """Return how many bytes some stores to global memory reach over in one iteration."""
    begins, ends = list[int](), list[int]()
    for op in stores:
        address, type_ = op.ins.address, op.ins.row.type
        if op.ins.row.segment is not Segment.GLOBAL or address is None or type_ is None:
            return None
        begins.append(address.offset)
        ends.append(address.offset + type_.size)
    return max(ends) - min(begins)


def _place_in(address: Value) -> tuple[Value, int] | None:
    """Return (number, bytes of each) of an address that is a multiple of a number and the rest."""
    if not isinstance(address, Op):
        return None
    match address.ins.row.name:
        case "mad_u64":
            a, b, _ = address.args
            return _product(a, b)
        case "add_u64":
            return _times(address.args[0]) or _times(address.args[1])
    return None


def _times(value: Value) -> tuple[Value, int] | None:
    """Return (number, factor) of a small constant multiple of a number of 32 bits."""
    if not isinstance(value, Op):
        return None
    match value.ins.row.name, value.args:
        case "mul_u64", [a, b]:
            return _product(a, b)
        case "shl_u64", [a, Const(bits=count)] if count < MOST_BITS:
            return _product(a, Const(a.cls, 1 << count))
        case "cvt_u64_u32", [number]:
            return number, 1
    return None


def _product(a: Value, b: Value) -> tuple[Value, int] | None:
    if isinstance(a, Const):
        a, b = b, a
    if not isinstance(b, Const) or b.bits >> MOST_BITS:
        return None
    if not isinstance(a, Op) or a.ins.row.name != "cvt_u64_u32":
        return None
    return a.args[0], b.bits
