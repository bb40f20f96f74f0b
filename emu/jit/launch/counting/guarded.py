"""Launches that count and may be refused: the buffers that they may use, and what they may change.

Native code refuses such a launch if a pointer leaves its buffer for one that it must not reach, and
if watched accesses meet. What it may change is copied before, but in two cases:

- Nothing is watched, and the addresses of all accesses have bounds (`analysis/ranges/`) inside of
  their buffers.
- Watched places follow from the numbers among the launch's arguments, and in an earlier launch with
  the same ones no accesses have met.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from .....isa.program import Kernel
from ....analysis.counting.independence import Reliance, reliance_as
from ....analysis.counting.known_places import arguments_of_places
from ....analysis.counting.plan import analyse_counting
from ....analysis.facts import Facts
from ....analysis.ranges.launch_ranges import Ranges
from ....engine import Work
from ....recent import Recent
from ...runtime.context import BASE, SIZE
from ..sharing import Access, Accesses
from .contents import MOST_EACH_BATCH
from .owners import has_owner_numbers

if TYPE_CHECKING:
    from ..table import Table

LITTLE = 1 << 21
"""Bytes up to which a copy is cheap: `Again` copies as many, for any numbers."""

MOST_KEPT = 256
"""Combinations of arguments that are kept. A sort in memory has one for each distance."""

Changes = frozenset[int]
"""The bases of buffers that a launch may change, and must leave as they were if it is refused."""


class Guard(Protocol):
    """Finds which buffers a launch may use, and which are copied before."""

    def of(
        self, work: Work, table: Table, pointers: tuple[int, ...], *, any_numbers: bool
    ) -> tuple[Table | None, frozenset[int] | None]:
        """Return them; the first is None if there are none, the second if it is never refused."""
        ...

    def passed(self, work: Work, table: Table) -> None:
        """Note that a launch was not refused."""
        ...


class Guarded:
    """What has been found for the last launches of a kernel."""

    def __init__(self, relied: Reliance, known_places: KnownPlaces | None) -> None:
        self._relied, self._known_places = relied, known_places
        self._inside = Inside(relied)
        self._last: tuple[object, _Buffers, tuple[Table | None, Changes | None]] | None = None
        """A table and pointers, their buffers, and what `_guarded` has returned for these."""

    def of(
        self, work: Work, table: Table, pointers: tuple[int, ...], *, any_numbers: bool
    ) -> tuple[Table | None, Changes | None]:
        """Return the buffers as a launch may use them, and those that are copied before.

        The first is None if the launch must not count, the second if it is never refused. With
        `any_numbers` that holds whatever the numbers among the arguments are.
        """
        key = table.serial, pointers
        if self._last is None or self._last[0] != key:
            buffers = _buffers(work, table, pointers)
            self._last = key, buffers, _guarded(work, table, self._relied, buffers)
        _, buffers, (guard, changes) = self._last
        if guard is None or changes is None:
            return guard, changes
        copied = sum(table.rows[base][SIZE] for base in changes)
        if self._inside.holds(work, pointers, buffers, copied, any_numbers=any_numbers):
            return guard, None
        known = self._known_places
        if known is not None and not any_numbers and known.has(work.kernargs, table):
            return guard, None
        return guard, changes

    def passed(self, work: Work, table: Table) -> None:
        """Note that no accesses of a launch have met."""
        if self._known_places is not None:
            self._known_places.add(work.kernargs, table)


_Buffers = Mapping[int, tuple[int, int]]
"""Place of a pointer among the arguments -> the address and bytes of its buffer; 0 for none."""


def _buffers(work: Work, table: Table, pointers: Iterable[int]) -> _Buffers:
    """Return the buffers of a launch's pointer parameters."""
    params = (param for param in work.kernel.params if param.is_pointer)
    rows = ((p, table.row_at(at, work.memory)) for p, at in zip(params, pointers, strict=True))
    return {param.offset: (row[BASE], row[SIZE]) for param, row in rows}


def _guarded(
    work: Work, table: Table, relied: Reliance, buffers: _Buffers
) -> tuple[Table | None, Changes | None]:
    """Return the buffers as a launch may use them that counts, and those that it may change.

    No buffer may be both loaded from for a branch and stored to, unless it is watched. A store to
    any buffer but those expected then faults, as does a load for a branch from one of these. The
    first is None if the launch must not count, the second if it need not keep to anything.
    """
    if not relied.is_tested:
        return table, None
    if table.overlaps or not has_owner_numbers(work.geometry):
        return None, None
    if relied.stored is None:
        return table, frozenset(table.rows)

    def bases(positions: Iterable[int]) -> frozenset[int]:
        found = (buffers[work.kernel.params[position].offset] for position in positions)
        return frozenset(base for base, size in found if size)

    loaded, owned, stored = map(bases, (relied.loaded, relied.owned, relied.stored))
    if relied.before:
        each = [base for p in relied.stored for base in bases([p])]
        copied = sum(table.rows[b][SIZE] for b in bases(relied.before - relied.own.keys()))
        if len(each) > len(stored) or copied > MOST_EACH_BATCH:
            return None, None
    if loaded & stored or owned & bases(relied.stored - relied.owned):
        return None, None
    are_watched = relied.owned <= set(relied.watched.values())
    if not are_watched and sum(len(bases([p])) for p in relied.owned) > len(owned):
        return None, None  # elements or counters of two parameters may meet
    return table.changed(stored), stored


class Inside:
    """What has been found for the last launches of a kernel."""

    def __init__(self, relied: Reliance) -> None:
        self._relied = relied
        self._found: Recent[object, tuple[bool, ...]] = Recent(64)
        """Empty for numbers that a launch had once: bounds are found if they come again."""

    def holds(
        self,
        work: Work,
        pointers: tuple[int, ...],
        buffers: _Buffers,
        copied: int,
        *,
        any_numbers: bool,
    ) -> bool:
        """Return whether all accesses that may be refused stay in their buffers.

        With `any_numbers` whatever the numbers among the arguments are. Else so many bytes are
        `copied` before the launch.
        """
        relied = self._relied
        if relied.watched or relied.is_kept_to or relied.loop is not None:
            return False
        key = (pointers, *buffers.values())
        found = self._found.find(key)
        if found is None:
            found = self._found.keep(key, (self._are_inside(work, buffers, buffers.keys()),))
        if found[0] or any_numbers or copied <= LITTLE:
            return found[0]
        numbers = key, work.kernargs
        found = self._found.find(numbers)
        if found is None:
            self._found.keep(numbers, ())
            return False
        if not found:
            found = self._found.keep(numbers, (self._are_inside(work, buffers, None),))
        return found[0]

    def _are_inside(self, work: Work, buffers: _Buffers, known: Collection[int] | None) -> bool:
        """Find out where at most the arguments at these places are known."""
        accesses, bounds = Accesses.of(work.kernel), [0, work.geometry.n_groups]
        ranges = Ranges(accesses.guards, work.kernargs, work.geometry, bounds, known)
        pcs = self._relied.loads | self._relied.kept_out.keys()
        loads = (load for load in accesses.loads if load.op.pc in pcs)
        return all(
            _is_inside(access, ranges, buffers)
            for access in (*accesses.stores, *accesses.atomics, *loads)
        )


def _is_inside(access: Access, ranges: Ranges, buffers: _Buffers) -> bool:
    if len(access.pointers) != 1:
        return False
    (pointer,) = access.pointers
    base, size = buffers[pointer]
    extent = access.extent(ranges)
    if extent is None:
        return False
    return bool(base <= extent.low.min() and extent.high.max() < base + size)


class KnownPlaces:
    """Combinations of the arguments at some places with which launches have passed."""

    def __init__(self, places: tuple[slice, ...]) -> None:
        self._places = places
        self._passed: Recent[tuple[object, ...], bool] = Recent(MOST_KEPT)

    @classmethod
    def of(cls, kernel: Kernel, facts: Facts) -> KnownPlaces | None:
        """Return those of a kernel, none yet; None if its places depend on memory."""
        analysis, relied = analyse_counting(kernel, facts), reliance_as(kernel, facts)
        if analysis is None or relied is None:
            return None
        places = arguments_of_places(analysis.ssa, relied)
        return None if places is None else cls(places)

    def has(self, kernargs: bytes, table: Table) -> bool:
        """Return whether a launch with these arguments has passed."""
        return self._passed.find(self._key(kernargs, table)) is not None

    def add(self, kernargs: bytes, table: Table) -> None:
        """Note that a launch with these arguments has passed."""
        self._passed.keep(self._key(kernargs, table), True)

    def _key(self, kernargs: bytes, table: Table) -> tuple[object, ...]:
        return table.serial, *(kernargs[place] for place in self._places)
