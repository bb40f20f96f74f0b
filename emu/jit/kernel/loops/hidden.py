"""Counters of loops with many addresses, of which LLVM does not know how they step.

Its strength reduction looks for the fewest registers among all ways to write the addresses of a
loop by what steps in it. With dozens of addresses that was half of the time of code generation, and
no choice fits into the registers. It leaves alone what is made of numbers that it does not know.
"""

from __future__ import annotations

from collections.abc import Collection

from ....analysis.flow.order import Loop
from ....analysis.values.ssa import Op, Ssa, Value
from ..lane_code import LaneCode

LEAST = 28
"""Addresses of vectors that step in a loop, from which on its counters are hidden."""

LEAST_OF_WARPS = 70
"""The same for the loop over warps: with 28 to 64 some kernels took 0.93 to 1.14 of the time."""

_SUMS = frozenset({"add", "sub", "mul", "mad", "shl", "cvt"})
"""What a stepped number may pass through on its way into an address."""

_SCALARS = ("i32", "i64")


def has_many_addresses(lanes: LaneCode, loop: Loop, copied: Collection[int]) -> bool:
    """Return whether many addresses step in a loop without loops inside but those `copied`."""
    if any(other.parent == loop.number for other in lanes.flow.loops if other.number not in copied):
        return False
    return _stepped_vectors(lanes, loop) >= LEAST


def _stepped_vectors(lanes: LaneCode, loop: Loop) -> int:
    """Return how many vectors, or scalars of all lanes, a loop accesses at places that it steps."""
    ssa, vectors = lanes.ssa, 0

    def is_sum(value: Value, of: Collection[Value]) -> bool:
        if not isinstance(value, Op) or value.ins.row.stem not in _SUMS:
            return False
        return any(arg in of for arg in value.args)

    stepped: set[Value] = {
        phi
        for phi in ssa.phis.get(loop.header, ())
        for before, arg in phi.args.items()
        if before in loop.nodes and is_sum(arg, (phi,))
    }
    for number in ssa.flow.order:
        if number not in loop.nodes:
            continue
        for op in ssa.ops.get(number, ()):
            if is_sum(op, stepped):
                stepped.add(op)
            if op.ins.row.is_memory and op.base is not None and op.base in stepped:
                vectors += 1 if lanes.shapes.is_uniform(op.base) else lanes.k
    return vectors


def steps_many_addresses(ssa: Ssa, vectors: int) -> bool:
    """Return whether the loop over warps steps many addresses: whether no other loop has them."""
    accesses = sum(op.ins.row.is_memory for ops in ssa.ops.values() for op in ops)
    return not ssa.flow.loops and vectors * accesses >= LEAST_OF_WARPS


def hide(lanes: LaneCode, header: int) -> None:
    """Hide where the scalars come from that a loop carries, in each iteration."""
    for phi in lanes.ssa.phis.get(header, ()):
        for part, types in lanes.parts(phi):
            if len(types) == 1 and types[0] in _SCALARS:
                (now,) = lanes.variables.load((phi, part), types)
                lanes.variables.store((phi, part), types, [lanes.code.opaque(types[0], now)])
