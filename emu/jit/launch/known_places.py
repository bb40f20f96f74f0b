"""Launches that are watched, and in which accesses are known not to meet.

Where watched places follow from the numbers among a launch's arguments, and no accesses have met, a
later launch with the same ones is not refused. So nothing is copied before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....isa.program import Kernel
from ...analysis.counting.independence import reliance_of
from ...analysis.counting.known_places import arguments_of_places
from ...analysis.counting.plan import analyse_counting
from ...analysis.facts import Facts
from ...recent import Recent

if TYPE_CHECKING:
    from .plan import Table

MOST_KEPT = 256
"""Combinations of arguments that are kept. A sort in memory has one for each distance."""


class KnownPlaces:
    """Combinations of the arguments at some places with which launches have passed."""

    def __init__(self, places: tuple[slice, ...]) -> None:
        self._places = places
        self._passed: Recent[tuple[object, ...], bool] = Recent(MOST_KEPT)

    @classmethod
    def of(cls, kernel: Kernel, facts: Facts) -> KnownPlaces | None:
        """Return those of a kernel, none yet; None if its places depend on memory."""
        analysis, relied = analyse_counting(kernel, facts), reliance_of(kernel, facts.group_size)
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
