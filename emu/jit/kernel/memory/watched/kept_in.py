"""Accesses that must stay in the buffer of their parameter, and conditions that must be the same.

Code that counts refuses other launches.
"""

from __future__ import annotations

from collections.abc import Sequence

from .....analysis.values.ssa import Op
from ....llvm.text import integer
from ....runtime.context import BASE, SIZE, TrapCode, param_slot
from ...context_code import load_slot
from ...lane_code import LaneCode


def offsets_in(lanes: LaneCode, op: Op, param: int) -> list[str]:
    """Return the lanes' offsets into a parameter's buffer; running lanes are inside."""
    code, entry = lanes.code, lanes.entry
    address, t = op.ins.address, integer(64, lanes.n)
    assert address is not None
    assert op.base is not None
    moved = entry.let(f"sub i64 {address.offset}, {load_slot(entry, param_slot(param, BASE))}")
    size = lanes.chunk_of(64, load_slot(code, param_slot(param, SIZE)))
    by = lanes.chunk_of(64, moved)
    offsets = [code.let(f"add {t} {c}, {by}") for c in lanes.vector(op.base)]
    outside = [code.let(f"icmp uge {t} {o}, {size}") for o in offsets]
    refuse(lanes, op, lanes.combine("and", outside, lanes.mask))
    return offsets


def keep_to_side(lanes: LaneCode, op: Op, side: bool) -> None:
    """End the launch if a condition, which has been computed, is not `side` for a running lane."""
    found = lanes.vector(op)
    if side:
        found = [lanes.code.let(f"xor {lanes.mask_type} {c}, splat (i1 true)") for c in found]
    refuse(lanes, op, lanes.combine("and", found, lanes.mask), TrapCode.DIVIDE_BY_ZERO)


def refuse(
    lanes: LaneCode, op: Op, refused: Sequence[str], kind: TrapCode = TrapCode.OUT_OF_BOUNDS
) -> None:
    """End the launch if a lane is refused, by a trap of any kind that the instruction may have."""
    code = lanes.code
    end, go = code.fresh_label("o"), code.fresh_label("o")
    code.branch(lanes.any(refused), end, go, rarely=True)
    code.block(end)
    # The launch starts over, whatever it ends with.
    lanes.trap(kind, op.pc, refused)
    code.block(go)
