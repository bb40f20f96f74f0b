"""Counts that follow from a launch's numbers, kept for later launches with the same ones.

Where no branch depends on memory, what work-items execute follows from the grid, and from those
arguments that branches depend on. (Constant data do not change.) Such a launch is counted once.
Later ones with these arguments run the code that does not count.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....isa.program import Kernel
from ....isa.types import Segment
from ...analysis.analysis import analyse
from ...analysis.ssa import Op, made_of
from ...engine import Kept, Work
from ...recent import Recent
from ...statistics import Statistics
from .plan import Plan

if TYPE_CHECKING:
    from .apart import Apart

MOST_KEPT = 16
"""Combinations of arguments whose counts are kept."""

WORTH_COMPILING = 0.2
"""Seconds of launches with known counts after which code that does not count is compiled."""


class KnownCounts:
    """The counts of earlier calls of one launch, by the arguments that branches depend on."""

    def __init__(self, kernel: Kernel) -> None:
        self._places = deciding_arguments(kernel)
        self._found: Recent[bytes, Statistics] = Recent(MOST_KEPT)
        self._plain: Kept | None = None
        """What is kept of the code that does not count, once that runs."""
        self._spent = 0.0
        """Seconds of launches that were counted although their counts were known."""

    @classmethod
    def of(cls, work: Work) -> KnownCounts:
        """Return the counts of earlier calls of a launch."""
        known = work.kept.get("known")
        return known if known is not None else work.kept.setdefault("known", cls(work.kernel))

    @property
    def may_be_kept(self) -> bool:
        """Whether counts follow from a launch's numbers."""
        return self._places is not None

    def find(self, work: Work) -> tuple[Work, Statistics] | None:
        """Return the launch without statistics, and the statistics that it has.

        None where these are not known, or where a compilation would take longer than to count.
        """
        if self._places is None:
            return None
        found = self._found.find(self._key(work))
        if found is None:
            return None
        plain = self._plain
        if plain is None:
            plain = self._kept_for(work)
            if plain is None:
                return None
            self._plain = plain
        # Statistics are the caller's, who may change them.
        counts = replace(found, executions=found.executions.copy(), lanes=found.lanes.copy())
        return replace(work, stats=False, kept=plain), counts

    def keep(self, work: Work, statistics: Statistics, seconds: float) -> None:
        """Keep what a launch of some seconds has counted."""
        if self._places is None:
            return
        key = self._key(work)
        if key in self._found:
            self._spent += seconds
            return
        copies = statistics.executions.copy(), statistics.lanes.copy()
        self._found.keep(key, replace(statistics, executions=copies[0], lanes=copies[1]))

    def _kept_for(self, work: Work) -> Kept | None:
        """Return what the code that does not count is to keep; None while it is not worth it."""
        apart: Apart | None = work.kept.get("apart")
        if apart is not None and apart.kernel is not None:
            return apart.plain
        if self._spent < WORTH_COMPILING and not Plan.is_compiled(work):
            return None
        return Kept()

    def _key(self, work: Work) -> bytes:
        assert self._places is not None
        return b"".join(work.kernargs[place] for place in self._places)


def deciding_arguments(kernel: Kernel) -> tuple[slice, ...] | None:
    """Return the bytes of the arguments that branches depend on; None where they do on memory."""
    found = _FOUND.find(kernel.words)
    if found is None:
        found = _FOUND.keep(kernel.words, (_deciding_arguments(kernel),))
    return found[0]


_FOUND: Recent[tuple[int, ...], tuple[tuple[slice, ...] | None]] = Recent()


def _deciding_arguments(kernel: Kernel) -> tuple[slice, ...] | None:
    found = set[tuple[int, int]]()
    for value in made_of(analyse(kernel).ssa.conditions.values()):
        if not isinstance(value, Op) or not value.ins.row.is_memory:
            continue
        row, address = value.ins.row, value.ins.address
        if row.segment is Segment.READONLY:
            continue
        if address is None or address.segment is not Segment.KERNARG or row.type is None:
            return None
        if address.base is not None:
            return (slice(None),)
        found.add((address.offset, address.offset + row.type.size))
    return tuple(slice(*place) for place in sorted(found))
