"""Launches that are counted by loads of buffers which they do not change, by another kernel.

That kernel (counting/apart.py) runs first: if it fails, nothing has changed. The launch's own one
may then change no buffer but those by whose pointers it stores, as code that counts by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ....isa.program import Kernel
from ...engine import Work
from ...result import Result
from ...traps import Trap
from .again import run_again
from .counting.guarded import Guarded
from .plan import Plan
from .table import Table

if TYPE_CHECKING:
    from ...statistics import Statistics
    from .counting.apart import Apart


Execute = Callable[[Work], "Statistics | None"]
"""Runs a launch; raises Trap, and RefusedError."""


class RefusedError(Exception):
    """A launch has perhaps changed what it was counted by; memory is as it was before."""


def execute_apart(work: Work, apart: Apart, execute: Execute) -> Statistics | None:
    """Run and count a launch by two kernels, or by its own one if it is refused."""
    plain, counted = _parts_of(work, apart)
    if apart.relied is None:
        execute(plain)
        return execute(counted)
    table, _ = Plan.of(plain).guarded(plain, Table.of(work.memory))
    statistics = by_interpreter = None
    if table is not None:
        with suppress(Trap):
            statistics = execute(counted)
    try:
        if statistics is not None:
            by_interpreter = execute(plain)
    except RefusedError:
        statistics = None
    if statistics is None:
        work.kept["apart"] = apart.never()
        work.kept.pop("again", None)
        return execute(work)
    work.run_by = plain.run_by
    if "again" in plain.kept and "again" in counted.kept:
        work.kept["again"] = ApartAgain(apart)
    return statistics if by_interpreter is None else by_interpreter


def _parts_of(work: Work, apart: Apart) -> tuple[Work, Work]:
    """Return the launch that runs, and the one that is counted; both have plans that are guarded.

    If branches depend on no memory, plans are usual ones.
    """
    plain, counted = apart.works(work)
    if apart.relied is not None:
        for part, is_counted in ((plain, False), (counted, True)):
            if "plan" not in part.kept:
                guard = PartGuard(work.kernel, Guarded(apart.relied, None), is_counted)
                part.kept["plan"] = Plan(part, guard=guard)
    return plain, counted


class PartGuard:
    """Finds which buffers the two parts of a launch may use."""

    def __init__(self, kernel: Kernel, guarded: Guarded, is_counted: bool) -> None:
        self._kernel, self._guarded, self._is_counted = kernel, guarded, is_counted

    def of(
        self, work: Work, table: Table, pointers: tuple[int, ...], *, any_numbers: bool
    ) -> tuple[Table | None, frozenset[int] | None]:
        """Return the buffers as a part may use them, and those that are copied before.

        What is counted changes none, and may not load from those that the launch changes.
        """
        work = replace(work, kernel=self._kernel)
        guard, changes = self._guarded.of(work, table, pointers, any_numbers=any_numbers)
        if not self._is_counted or guard is None:
            return guard, changes
        return (table if changes is None else table.restricted(changes, ())), None

    def passed(self, work: Work, table: Table) -> None:
        """Take no note: no accesses are watched."""


class ApartAgain:
    """Runs a short launch that is counted apart once more."""

    def __init__(self, apart: Apart) -> None:
        self._parts = apart.counted, apart.plain
        self.is_complete = True
        """Whether launches take this way."""

    def native(self, args: tuple[object, ...]) -> Result | None:
        """Count a launch and run it; None if the longer way must, from the memory as it is."""
        results = []
        for part in self._parts:
            try:
                found = run_again(part.get("again"), args)
            except Trap:
                if results:
                    raise
                return None
            if found is None:
                return None
            results.append(found)
        counted, result = results
        result.set_counts(counted.counts_again(), counted.host_seconds)
        return result

    def finish(self, _args: tuple[object, ...], _found: None) -> None:
        """Leave a launch to the longer way."""

    def make_results(self, like: Result) -> None:
        """Let results be like this one, but for their seconds and counts."""
        for part in self._parts:
            again = part.get("again")
            if again is not None:
                again.make_results(like)
