"""The instruction budget of work-items, charged at latches: a loop header's instructions a trip.

As long as the trips of a warp, whoever goes them, do not come to the budget of a work-item, nobody
has used up his: one counter a warp is enough, and cheap. From then on each work-item counts its
own instructions from zero, and who has more than the budget ends the launch. That may be late, by
the budget at most, and is never unjust.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....isa.types import RegClass
from ..runtime.context import Slot, TrapCode

if TYPE_CHECKING:
    from .instructions import Instructions


def counter_bytes(low: Instructions) -> int:
    """Bytes of the counters of a warp's work-items."""
    return 8 * low.facts.width if low.flow.loops else 0


def fill(low: Instructions, counters: str) -> None:
    """A warp begins; `counters` (a ptr) is where its work-items count."""
    # The counters are volatile to keep them out of registers, which loops have better use for.
    if not low.flow.loops:
        return
    low.store("counters", ["ptr"], [counters])
    for place in _places(low, counters):
        low.code.line(f"store volatile <{low.n} x i64> zeroinitializer, ptr {place}, align 8")
    low.store("budget", ["i64"], [_of_one(low)])


def spend(low: Instructions, header: int) -> None:
    """Charge the lanes of a latch, which the node's mask has, for another trip."""
    code = low.code
    node = low.flow.nodes[header]
    cost = max(1, node.stop - node.start + (node.last is not None))
    (left,) = low.load("budget", ["i64"])
    rest = code.let(f"sub i64 {left}, {cost}")
    low.store("budget", ["i64"], [rest])
    count, out, go = (code.fresh_label("b") for _ in range(3))
    code.branch(code.let(f"icmp slt i64 {rest}, 0"), count, go, rarely=True)
    code.block(count)
    t = f"<{low.n} x i64>"
    limit = low.spread(RegClass.D, _of_one(low))
    over = []
    (counters,) = low.load("counters", ["ptr"])
    for place, mask in zip(_places(low, counters), low.mask.chunks, strict=True):
        trip = code.let(
            f"select {low.mask_type} {mask}, {t} splat (i64 {cost}), {t} zeroinitializer"
        )
        before = code.let(f"load volatile {t}, ptr {place}, align 8")
        spent = code.let(f"add {t} {before}, {trip}")
        code.line(f"store volatile {t} {spent}, ptr {place}, align 8")
        over.append(code.let(f"icmp ugt {t} {spent}, {limit}"))
    code.branch(low.any(over), out, go, rarely=True)
    code.block(out)
    low.trap(TrapCode.BUDGET, node.start, over)
    code.block(go)


def _of_one(low: Instructions) -> str:
    """The budget of a work-item, an i64."""
    return low.code.let(f"udiv i64 {low.slot(Slot.BUDGET)}, {low.warp_width}")


def _places(low: Instructions, counters: str) -> list[str]:
    return [
        low.code.let(f"getelementptr i64, ptr {counters}, i64 {j * low.n}") for j in range(low.k)
    ]
