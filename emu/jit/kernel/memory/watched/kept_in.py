"""Accesses that must stay in the buffer of their parameter, in code that counts."""

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


def refuse(lanes: LaneCode, op: Op, refused: Sequence[str]) -> None:
    """End the launch if the access of a lane is refused."""
    code = lanes.code
    end, go = code.fresh_label("o"), code.fresh_label("o")
    code.branch(lanes.any(refused), end, go, rarely=True)
    code.block(end)
    # The launch starts over, whatever it ends with.
    lanes.trap(TrapCode.OUT_OF_BOUNDS, op.pc, refused)
    code.block(go)
