"""The measures of a score: what they count on the machine, and how they are shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..timing.results.statistics import Statistics


@dataclass(frozen=True)
class Measure:
    """A figure of a simulation. `of` computes it; None is for a figure that has no value there."""

    name: str
    text: str
    form: str
    of: Callable[[Statistics], float | None]

    def shown(self, value: float | None) -> str:
        """Return a value as text."""
        return "-" if value is None else format(value, self.form)


def _lines(s: Statistics) -> float | None:
    lines = s.l1_hits + s.l1_misses + s.mshr_merges + s.upgrades
    return lines / s.accesses if s.accesses else None


SPEEDUP = "speedup"
"""The one measure that needs a second simulation, of the baseline."""

MEASURES = {
    measure.name: measure
    for measure in (
        Measure(
            "active-lanes",
            "mean share of a warp's lanes that are active",
            ".1%",
            lambda s: s.mean_width / s.width if s.warp_instructions else None,
        ),
        Measure("branches", "conditional branches", ",", lambda s: s.branches),
        Measure(
            "divergent-branches",
            "branches on which the lanes of a warp disagree",
            ",",
            lambda s: s.divergent_branches,
        ),
        Measure("accesses", "accesses of a warp to global memory", ",", lambda s: s.accesses),
        Measure(
            "lines-per-access",
            "cache lines (memory transactions) for each access of a warp",
            ".2f",
            _lines,
        ),
        Measure(
            "bank-conflicts",
            "cycles lost because lanes want different words of one bank of group memory",
            ",",
            lambda s: s.issue_slots["unit"],
        ),
        Measure("barriers", "barriers, per warp", ",", lambda s: s.barriers),
        Measure(
            "warp-instructions",
            "instructions issued, per warp",
            ",",
            lambda s: s.warp_instructions,
        ),
        Measure("cycles", "cycles on the machine", ",", lambda s: s.cycles),
        Measure(SPEEDUP, "cycles of the baseline over yours", ".2f", lambda s: None),
    )
}
"""Name -> measure, in the order in which a score lists them."""


def measured(stats: Statistics, baseline_cycles: int | None = None) -> dict[str, float]:
    """Return every measure of a simulation that has a value there."""
    found = {name: measure.of(stats) for name, measure in MEASURES.items()}
    if baseline_cycles is not None:
        found[SPEEDUP] = baseline_cycles / stats.cycles
    return {name: value for name, value in found.items() if value is not None}
