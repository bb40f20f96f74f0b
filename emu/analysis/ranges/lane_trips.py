"""Loops whose lanes leave in iterations that are known: strides of a workgroup through a tile.

In `for (i = x; i < 20; i += 16)` lanes leave in different iterations. If a workgroup is one warp,
the numbers of its work-items are constants, so the iterations of all lanes can be counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ....isa.types import RegClass
from ..facts import Facts
from ..order import Loop
from ..ssa import Const, Op, Phi, Value
from ..uniformity import Shapes
from .trips import MOST_VALUES, only_exit

MOST_RETURNS = 7
"""The most iterations after the first one that are counted."""

MOST_APART = 1
"""How many iterations the lanes' last ones may be apart: the budget is charged for the least."""

Numbers = NDArray[np.uint32]


@dataclass(frozen=True)
class LaneTrips:
    """How often lanes go back to the header of a loop."""

    exit: int
    """The node whose branch all lanes leave the loop by."""
    least: int
    most: int


def lane_trips(
    shapes: Shapes, loop: Loop, dominates: Callable[[int, int], bool]
) -> LaneTrips | None:
    """Return the iterations of the lanes of a loop that is left by one edge; None if not known.

    Some of the lanes may enter it.
    """
    facts, ssa, flow = shapes.facts, shapes.ssa, shapes.flow
    if not (facts.one_warp and facts.whole and only_exit(flow, loop)):
        return None
    leaving = [
        (number, [flow.route(number, s) not in loop.nodes for s in flow.nodes[number].successors])
        for number in loop.nodes & ssa.conditions.keys()
        if flow.loop_of[number] == loop.number
    ]
    exits = [(number, out) for number, out in leaving if any(out)]
    sources = [source for (source, _), latch in flow.back.items() if latch == loop.latch]
    if len(exits) != 1 or not all(dominates(exits[0][0], source) for source in sources):
        return None
    number, out = exits[0]
    values = _Values(shapes, loop)
    condition = ssa.conditions[number]
    if out[0] == out[1] or not values.is_known(condition):
        return None
    running = np.ones(prod(facts.group_size), bool)
    left: list[int] = []
    for returns in range(MOST_RETURNS + 1):
        stays = values.of(condition).astype(bool) != out[1]
        if (running & ~stays).any():
            left.append(returns)
        running &= stays
        if not running.any():
            apart = left[-1] - left[0]
            return LaneTrips(number, left[0], left[-1]) if apart <= MOST_APART else None
        values.step()
    return None


class _Values:
    """The values of all lanes in one iteration of a loop after the other."""

    def __init__(self, shapes: Shapes, loop: Loop) -> None:
        self._ssa, self._loop = shapes.ssa, loop
        self._facts = shapes.facts
        self._phis: dict[Phi, tuple[Value, Value]] = {}
        self._now: dict[Value, Numbers] = {}
        self._begun = False

    def is_known(self, value: Value) -> bool:
        """Return whether a value follows from constants and the numbers of work-items."""
        own = set(self._ssa.phis.get(self._loop.header, ()))
        work, seen = [value], {value}
        while work:
            value = work.pop()
            needed: list[Value] = []
            if isinstance(value, Phi):
                begin = {a for n, a in value.args.items() if n not in self._loop.nodes}
                following = {a for n, a in value.args.items() if n in self._loop.nodes}
                if value not in own or len(begin) != 1 or len(following) != 1:
                    return False
                self._phis[value] = next(iter(begin)), next(iter(following))
                needed = [*begin, *following]
            elif isinstance(value, Op):
                if _identity(value, self._facts) is None:
                    if not _is_known(value):
                        return False
                    needed = value.args
            work += [a for a in needed if a not in seen]
            seen.update(needed)
            if len(seen) > MOST_VALUES:
                return False
        # What phis begin with must not depend on an iteration.
        return not any(self._depends(begin, own) for begin, _ in self._phis.values())

    def _depends(self, value: Value, own: set[Phi]) -> bool:
        if isinstance(value, Phi):
            return value in own
        return isinstance(value, Op) and any(self._depends(a, own) for a in value.args)

    def of(self, value: Value) -> Numbers:
        """Return a known value in this iteration, one number a lane."""
        if not self._begun:
            self._begun = True
            self._now = {phi: self.of(begin) for phi, (begin, _) in self._phis.items()}
        if value not in self._now:
            self._now[value] = self._computed(value)
        return self._now[value]

    def step(self) -> None:
        """Go to the next iteration."""
        self._now = {phi: self.of(following) for phi, (_, following) in self._phis.items()}

    def _computed(self, value: Value) -> Numbers:
        if isinstance(value, Const):
            return np.full(prod(self._facts.group_size), value.bits & 0xFFFF_FFFF, np.uint32)
        assert isinstance(value, Op)
        identity = _identity(value, self._facts)
        if identity is not None:
            return identity
        stem, _, type_ = value.ins.row.name.rpartition("_")
        args = [self.of(a) for a in value.args]
        if stem.startswith("cmp") and type_ == "s32":
            args = [a.view(np.int32) for a in args]
        return _ARITHMETIC[stem](*args).astype(np.uint32)


_ARITHMETIC: dict[str, Callable[..., NDArray[np.generic]]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "mad": lambda a, b, c: a * b + c,
    "shl": lambda a, b: a << (b & np.uint32(31)),
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "cmp_eq": np.equal,
    "cmp_ne": np.not_equal,
    "cmp_lt": np.less,
    "cmp_le": np.less_equal,
    "cmp_gt": np.greater,
    "cmp_ge": np.greater_equal,
}


def _is_known(op: Op) -> bool:
    stem, _, type_ = op.ins.row.name.rpartition("_")
    if stem not in _ARITHMETIC:
        return False
    if type_ == "b1":
        return stem in ("and", "or", "xor") and all(a.cls is RegClass.C for a in op.args)
    return type_ in ("u32", "s32")


def _identity(op: Op, facts: Facts) -> Numbers | None:
    """Return the numbers of all work-items of a whole workgroup; None if they are not constants."""
    x, y, _ = facts.group_size
    flat = np.arange(prod(facts.group_size), dtype=np.uint32)
    match op.ins.row.stem:
        case "workitemid":
            return (flat % x, flat // x % y, flat // (x * y))[op.ins.literals[0]].astype(np.uint32)
        case "workitemflatid":
            return flat
        case "workgroupsize" | "currentworkgroupsize":
            return np.full_like(flat, facts.group_size[op.ins.literals[0]])
    return None
