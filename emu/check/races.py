"""The rules about accesses: races, and loads of what was never written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..engine import Work
from ..memory import Buffer
from . import findings
from .finding import Rule
from .log import Log, line_key
from .order import Order
from .shadow import Latest, Shadow
from .timeline import Timeline

Array = np.ndarray


@dataclass(slots=True)
class Touch:
    """What some lanes of one instruction access in one memory.

    `cells`, `me` and `floors` have an entry for each granule; an element has `times` of them.
    `elements[index]` are the elements of `size` bytes, one for each of the `chosen` lanes.
    """

    shadow: Shadow
    elements: Array
    index: Array
    size: int
    chosen: slice | Array
    cells: Array
    me: Array
    floors: Array
    times: int
    buffer: Buffer | None

    @classmethod
    def of(
        cls,
        shadow: Shadow,
        elements: Array,
        index: Array,
        size: int,
        me: Array,
        floors: Array,
        chosen: slice | Array,
        buffer: Buffer | None = None,
    ) -> Touch:
        """Make one; `me` and `floors` are of all lanes of the instruction."""
        cells = shadow.cells(index, size)
        me, floors = me[chosen], floors[chosen]
        times = size // shadow.granule
        if times > 1:
            me, floors = np.repeat(me, times), np.repeat(floors, times)
        return cls(shadow, elements, index, size, chosen, cells, me, floors, times, buffer)


class Races:
    """Compares the accesses of one launch with the shadow memory, and updates it."""

    def __init__(self, work: Work, log: Log, timeline: Timeline, order: Order) -> None:
        self.work = work
        self.log = log
        self.timeline = timeline
        self.order = order

    def load(self, t: Touch) -> None:
        """Check loads: against stores and atomics, and whether there was one at all."""
        shadow = t.shadow
        stores = shadow.writes[t.cells]
        self._against_stores(t, "load", stores)
        if shadow.atomics is not None:
            self._against_latest(t, "load", shadow.atomics, "atomic")
        if not shadow.given:
            self._unwritten(t, "load", stores)
        shadow.reads.add(t.cells, t.me, self.order)

    def store(self, t: Touch, values: Array) -> None:
        """Check stores of `values`, which have not taken effect yet, against all accesses."""
        shadow, order = t.shadow, self.order
        stores = shadow.writes[t.cells]
        found = order.unordered(stores, t.me, t.floors, is_local=shadow.is_local)
        if found.size:
            lanes = found // t.times
            same = t.elements[t.index[lanes]] == values[lanes]
            self._report(t, "store", found[same], stores, "store", Rule.SAME_VALUE)
            self._report(t, "store", found[~same], stores, "store", Rule.RACE)
        self._against_latest(t, "store", shadow.reads, "load")
        if shadow.atomics is not None:
            self._against_latest(t, "store", shadow.atomics, "atomic")
        if order.clocks is not None:
            order.clocks.overwrite(shadow.number, t.index * t.size)
        shadow.writes[t.cells] = t.me

    def collisions(self, t: Touch, values: Array) -> None:
        """Check stores of one instruction, which have taken effect, against each other."""
        winner = t.shadow.writes[t.cells]
        lost = np.flatnonzero(winner != t.me)
        if lost.size:
            lanes = lost // t.times
            same = t.elements[t.index[lanes]] == values[lanes]
            self._report(t, "store", lost[same], winner, "store", Rule.SAME_VALUE)
            self._report(t, "store", lost[~same], winner, "store", Rule.RACE)

    def atomic(self, t: Touch) -> None:
        """Check atomics against loads and stores."""
        shadow = t.shadow
        stores = shadow.writes[t.cells]
        self._against_stores(t, "atomic", stores)
        self._against_latest(t, "atomic", shadow.reads, "load")
        if not shadow.given:
            self._unwritten(t, "atomic", stores)
        shadow.make_atomics().add(t.cells, t.me, self.order)

    def _against_stores(self, t: Touch, action: str, stores: Array) -> None:
        found = self.order.unordered(stores, t.me, t.floors, is_local=t.shadow.is_local)
        if found.size:
            self._report(t, action, found, stores, "store")

    def _against_latest(self, t: Touch, action: str, latest: Latest, before: str) -> None:
        found, earlier = latest.unordered(t.cells, t.me, t.floors, self.order)
        if found.size:
            self._report(t, action, found, earlier, before)

    def _report(
        self,
        t: Touch,
        action: str,
        found: Array,
        earlier: Array,
        before: str,
        rule: Rule | None = None,
    ) -> None:
        """Log races between the accesses at some positions and earlier ones."""
        if not found.size:
            return
        work = self.work
        if rule is None:
            rule = Rule.MIXED if "atomic" in (action, before) else Rule.RACE
        now = self.timeline.pcs(t.me[found[:1]])[0]
        pcs = self.timeline.pcs(earlier[found])
        for pc in np.unique(pcs).tolist():
            positions = found[pcs == pc]
            first = int(positions[0])
            place = findings.place(work, t, first)
            lines = {line_key(work.kernel, p) for p in (int(now), pc)}
            key = (rule, work.kernel.name, frozenset(lines), place.partition("[")[0])
            self.log.add(
                key,
                positions.size,
                lambda first=first, place=place: findings.race(
                    self, rule, place, (action, int(t.me[first])), (before, int(earlier[first]))
                ),
            )

    def _unwritten(self, t: Touch, action: str, stores: Array) -> None:
        found = t.shadow.unwritten(t.cells, stores)
        if not found.size:
            return
        work, first = self.work, int(found[0])
        pc = int(self.timeline.pcs(t.me[found[:1]])[0])
        place = findings.place(work, t, first)
        rule = Rule.ON_CHIP if t.shadow.is_local else Rule.BUFFER
        key = (rule, line_key(work.kernel, pc), place.partition("[")[0])
        lanes = np.unique(found // t.times).size
        self.log.add(
            key,
            lanes,
            lambda: findings.unwritten(self, rule, place, (action, int(t.me[first]))),
        )

    def end_of_group_memory(self, shadow: Shadow) -> None:
        """Log stores to group memory that no work-item has read, where that is asked for."""
        if self.log.wants_unread:
            findings.unread(self.timeline, self.log, shadow, "group memory")
