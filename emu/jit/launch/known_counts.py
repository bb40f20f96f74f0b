"""Counts that follow from a launch's numbers, kept for later launches with the same ones.

Where no branch depends on memory, what work-items execute follows from the grid, and from those
arguments that branches depend on. (Constant data do not change.) Such a launch is counted once.
Later ones with these arguments run the code that does not count.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, cast

from ....isa.program import Kernel
from ....isa.types import Segment
from ...analysis.analysis import analyse
from ...analysis.values.ssa import Op, made_of
from ...arguments import block_format
from ...engine import Kept, Work
from ...recent import Recent
from ...result import Result
from ...statistics import Statistics
from .again import Again, run_again
from .plan import Plan

if TYPE_CHECKING:
    from .counting.apart import Apart

MOST_KEPT = 16
"""Combinations of arguments whose counts are kept."""

MOST_NUMBERS = 1024
"""The same of short launches, which are found by the numbers alone."""

WORTH_COMPILING = 0.2
"""Seconds of launches with known counts after which code that does not count is compiled."""


class KnownCounts:
    """The counts of earlier calls of one launch, by the arguments that branches depend on."""

    def __init__(self, kernel: Kernel) -> None:
        self._places = deciding_arguments(kernel)
        self._found: Recent[bytes, Statistics] = Recent(MOST_KEPT)
        self._plain: Kept | None = None
        """What is kept of the code that does not count, once that runs."""
        self._numbers = _Numbers.of(kernel, self._places)
        self.again = KnownAgain(self._numbers)
        """Runs a launch whose counts are known, by the code that does not count."""
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

    def has_plain(self, work: Work) -> bool:
        """Return whether launches with known counts run the code that does not count."""
        return self.may_be_kept and self._kept_for(work) is not None

    def find(self, work: Work) -> tuple[Work, Statistics] | None:
        """Return the launch without statistics, and the statistics that it has.

        None where these are not known, or where a compilation would take longer than to count.
        """
        if self._places is None:
            return None
        found = self._found.find(self._key(work)) or self.again.counts_of(work.kernargs)
        if found is None:
            return None
        plain = self._plain
        if plain is None:
            plain = self._kept_for(work)
            if plain is None:
                return None
            self._plain = plain
        self.again.let(work.kernargs, found, plain)
        return replace(work, stats=False, kept=plain), copy_of(found)

    def keep(self, work: Work, statistics: Statistics, seconds: float) -> None:
        """Keep what a launch of some seconds has counted."""
        if self._places is None:
            return
        key = self._key(work)
        if key in self._found:
            self._spent += seconds
            return
        self._found.keep(key, copy_of(statistics))

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


def copy_of(counts: Statistics) -> Statistics:
    """Return a copy for the caller, who may change it."""
    return replace(counts, executions=counts.executions.copy(), lanes=counts.lanes.copy())


class _Numbers(NamedTuple):
    """The whole numbers among the arguments of a launch on which its counts depend."""

    positions: tuple[int, ...]
    unpack_from: Callable[[bytes], tuple[int, ...]]
    """Returns them from a block of arguments."""

    @classmethod
    def of(cls, kernel: Kernel, places: tuple[slice, ...] | None) -> _Numbers | None:
        """Return them; None if counts depend on others, too: equal floats may be different ones."""
        params = {(p.offset, p.offset + p.size): i for i, p in enumerate(kernel.params)}
        positions = [params.get((place.start, place.stop)) for place in places or ()]
        if places is None or any(
            i is None or kernel.params[i].is_pointer or kernel.params[i].type.is_float
            for i in positions
        ):
            return None
        found = tuple(i for i in positions if i is not None)
        unpack = struct.Struct(block_format(kernel)).unpack_from
        return cls(found, lambda block: tuple(map(unpack(block).__getitem__, found)))


class KnownAgain:
    """Runs a short launch whose counts may be known, in the place of `Again`."""

    def __init__(self, numbers: _Numbers | None) -> None:
        self._numbers = numbers
        self._counts: Recent[tuple[object, ...], Callable[[], Statistics]] = Recent(MOST_NUMBERS)
        self._plain: Kept = {}
        self.counting: Again | None = None
        """Runs launches with other numbers."""

    @property
    def is_complete(self) -> bool:
        """Whether a launch with other numbers need not take the longer way."""
        return self._numbers is None or (self.counting is not None and self.counting.is_complete)

    def let(self, kernargs: bytes, counts: Statistics, plain: Kept) -> None:
        """Let launches with the same numbers have these counts; `plain` runs them."""
        self._plain = plain
        if self._numbers is not None:
            self._counts.keep(self._numbers.unpack_from(kernargs), partial(copy_of, counts))

    def counts_of(self, kernargs: bytes) -> Statistics | None:
        """Return the counts of launches with these numbers, if they are known."""
        if self._numbers is None:
            return None
        counts = self._counts.find(self._numbers.unpack_from(kernargs))
        return None if counts is None else counts()

    def native(self, args: tuple[object, ...]) -> Result | None:
        """Run a launch and return its result; None if the longer way must run it."""
        if self._numbers is None:
            return None
        try:
            key = tuple([cast("int", args[i]) for i in self._numbers.positions])
            counts = self._counts.find(key)
        except Exception:  # whatever the arguments' own comparisons raise
            return None
        if counts is None:
            result = run_again(self.counting, args)
            if result is not None:
                self._counts.keep(key, result.counts_again())
            return result
        result = run_again(self._plain.get("again"), args)
        if result is not None:
            result.set_counts(counts)
        return result

    def finish(self, _args: tuple[object, ...], _found: None) -> None:
        """Leave a launch to the longer way."""

    def make_results(self, like: Result) -> None:
        """Let results be like this one, but for their seconds and counts."""
        for again in (self._plain.get("again"), self.counting):
            if again is not None:
                again.make_results(like)


def deciding_arguments(kernel: Kernel) -> tuple[slice, ...] | None:
    """Return the bytes of the arguments that branches depend on; None where they do on memory."""
    found = _FOUND.find(kernel.key)
    if found is None:
        found = _FOUND.keep(kernel.key, (_deciding_arguments(kernel),))
    return found[0]


_FOUND: Recent[tuple[object, ...], tuple[tuple[slice, ...] | None]] = Recent()


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
