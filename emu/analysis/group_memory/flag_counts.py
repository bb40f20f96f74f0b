"""How many lanes up to each one have a flag, where a scan in group memory calculates that.

A compaction adds up flags, 0 or 1, over a workgroup that is one warp. In each copy of the scan's
loop it is known which words are added, so a value is a sum of lanes' flags: a matrix of numbers.
Where that has the flags of all lanes up to a lane's own, native code counts bits and does not scan.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....isa.types import RegClass
from ..flow.order import Loop
from ..lanes.running import Lanes
from ..values.ssa import Const, Op, Phi, Value
from ..warps.uniformity import Shapes
from .forwarded import Access, Rank, Sources

MOST_LANES = 512
"""Lanes of the largest matrix: a sum of two takes a tenth of a millisecond."""


Matrix = NDArray[np.int32]
"""For each lane, how often each lane's flag is added, modulo 2^32."""


@dataclass(frozen=True)
class _Sum:
    """A sum of flags in each lane."""

    flag: Op
    times: Matrix


class FlagCounts:
    """The values that are sums of flags, in a walk through copies of loops."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes, self._flow, self._ssa = shapes, shapes.flow, shapes.ssa
        self._lanes = shapes.facts.width
        ops = (op for ops in self._ssa.ops.values() for op in ops)
        self._is_on = self._lanes <= MOST_LANES and any(map(_is_flag, ops))
        self._sums: dict[Value, _Sum] = {}
        self._stored: dict[Access, _Sum] = {}
        self._came: dict[tuple[int, int], Lanes | None] = {}
        """Edges -> the lanes that may have come by them, None where these are not known."""
        self.ranks: dict[Value, Rank] = {}
        """The values outside of loops that are ranks."""

    def enter(self, header: int, copied: Collection[int]) -> None:
        """Begin the loops with a header, of which some are `copied`, by number."""
        loops = [loop for loop in self._flow.loops if loop.header == header]
        inside = {n for loop in loops for n in loop.nodes}
        if any(loop.number not in copied for loop in loops):
            self._begin(header, frozenset())
        else:
            self._begin(header, set(range(len(self._flow.nodes))) - inside)

    def repeat(self, loop: Loop) -> None:
        """Begin the next copy of a loop."""
        self._begin(loop.header, loop.nodes)
        for edge in [edge for edge in self._came if edge[0] in loop.nodes]:
            del self._came[edge]

    def _begin(self, header: int, sources: Collection[int]) -> None:
        """Set the phis of a header, whose lanes all come from one of some nodes."""
        found = {}
        for phi in self._ssa.phis.get(header, ()):
            values = {value for source, value in phi.args.items() if source in sources}
            found[phi] = self._sums.get(values.pop()) if len(values) == 1 else None
        for phi, sum_ in found.items():
            self._set(phi, sum_)

    def begin(self, number: int, running: Lanes) -> None:
        """Begin a node that is no header of a loop, for the lanes that may run it."""
        if self._is_on:
            found = {phi: self._merged(phi, running) for phi in self._ssa.phis.get(number, ())}
            for phi, sum_ in found.items():
                self._set(phi, sum_, running)

    def take(self, source: int, target: int, lanes: Lanes | None) -> None:
        """Note the lanes that may go to a successor; None if it is not known which do."""
        self._came[source, target] = lanes

    def _set(self, value: Value, sum_: _Sum | None, running: Lanes | None = None) -> None:
        if sum_ is None:
            self._sums.pop(value, None)
            return
        self._sums[value] = sum_
        if running is not None and isinstance(value, Op | Phi):
            if self._flow.loop_of[value.node] is None:
                rank = self._rank(value, sum_, running)
                if rank is not None:
                    self.ranks[value] = rank

    def _rank(self, value: Value, sum_: _Sum, running: Lanes) -> Rank | None:
        if self._shapes.is_uniform(value):
            return Rank(sum_.flag, of_all=True) if (sum_.times[running] == 1).all() else None
        for inclusive in (True, False):
            wanted = np.tri(self._lanes, k=0 if inclusive else -1, dtype=np.int32)
            if np.array_equal(sum_.times[running], wanted[running]):
                return Rank(sum_.flag, inclusive=inclusive)
        return None

    def _merged(self, phi: Phi, running: Lanes) -> _Sum | None:
        """Return what the lanes of a phi have, the same by each way that they may have come."""
        rows, flags = np.zeros((self._lanes, self._lanes), np.int32), set[Op]()
        arrived = np.zeros_like(running)
        for source, value in phi.args.items():
            if (source, phi.node) not in self._came:
                continue
            came = self._came[source, phi.node]
            sum_ = self._sums.get(value)
            is_zero = isinstance(value, Const) and value.bits == 0
            if came is None or (sum_ is None and not is_zero):
                return None
            times = np.zeros_like(rows) if sum_ is None else sum_.times
            again = came & arrived
            if not np.array_equal(rows[again], times[again]):
                return None
            rows[came] = times[came]
            arrived |= came
            if sum_ is not None:
                flags.add(sum_.flag)
        is_known = len(flags) == 1 and arrived[running].all()
        return _Sum(flags.pop(), rows) if is_known else None

    def calculate(self, op: Op, running: Lanes, *, exact: bool) -> None:
        """Note what an instruction calculates, for lanes that may run, or for `exact` ones."""
        if not self._is_on or op.cls is not RegClass.S:
            return
        found = None
        if _is_flag(op) and exact and running.all() and self._flow.loop_of[op.node] is None:
            found = _Sum(op, np.eye(self._lanes, dtype=np.int32))
        elif op.ins.row.name in ("add_u32", "add_s32", "sub_u32", "sub_s32"):
            a, b = map(self._sums.get, op.args)
            if a is not None and b is not None and a.flag is b.flag:
                sign = -1 if op.ins.row.stem == "sub" else 1
                found = _Sum(a.flag, a.times + np.int32(sign) * b.times)
        self._set(op, found, running)

    def store(self, access: Access) -> None:
        """Note what a store writes of the lanes that certainly run it."""
        sum_ = self._sums.get(access.op.args[0])
        if sum_ is not None:
            self._stored[access] = sum_
        else:
            self._stored.pop(access, None)

    def change(self, stores: Iterable[Access]) -> None:
        """Note that other data may be where some stores have written."""
        for access in stores:
            self._stored.pop(access, None)

    def load(self, op: Op, sources: Sources | None, running: Lanes) -> None:
        """Note what the lanes of a load get."""
        found = None
        if self._is_on and sources is not None:
            stored = [self._stored.get(store) for store in sources.stores]
            known = [sum_ for sum_ in stored if sum_ is not None]
            if len(known) == len(stored) and len({sum_.flag for sum_ in known}) == 1:
                rows = np.zeros((self._lanes, self._lanes), np.int32)
                for position, sum_ in enumerate(known):
                    here = sources.store_of == position
                    rows[here] = sum_.times[sources.lane_of[here]]
                found = _Sum(known[0].flag, rows)
        self._set(op, found, running)


def _is_flag(op: Op) -> bool:
    """Return whether an op makes 1 of a condition and 0 of its opposite."""
    if op.ins.row.name == "cvt_u32_b1":
        return True
    ends = [arg.bits for arg in op.args[1:] if isinstance(arg, Const)]
    return op.ins.row.name == "select_u32" and ends == [1, 0]
