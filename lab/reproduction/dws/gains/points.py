"""Points of the map: a program with its rates on a machine, under Conv and the variants of DWS."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .....timing.results.statistics import Statistics
from ....runs.run import Scalar
from ...results import Config, Results, mean
from ...sets import at
from ..common import CONV

REVIVE, LIMITED, BRANCH = "ReviveSplit", "ReviveSplit.BL", "BranchOnly"
VARIANTS = {
    BRANCH: "dws.branch-only",
    LIMITED: "dws.revive-split.bl",
    "AggressSplit": "dws.aggress-split",
    "LazySplit": "dws.lazy-split",
    REVIVE: "dws.revive-split",
}
"""By the name of a figure: the policy. ReviveSplit.BL is the paper's ReviveSplit.MemOnly."""


@dataclass(frozen=True)
class Point:
    """A program, with replaced fields of the machine `dws` and parameters of the program.

    The names of points with different values differ. `size` is empty for that of the scale.
    """

    name: str
    program: str
    sets: Mapping[str, Scalar] = field(default_factory=dict)
    size: str = ""

    def moved(self, step: str, sets: Mapping[str, Scalar]) -> Point:
        """Return the point with other values; `step` is added to its name."""
        return replace(self, name=f"{self.name}; {step}", sets={**self.sets, **sets})

    def configs(self, variants: Iterable[str]) -> dict[str, Config]:
        """Return what is simulated: Conv and the variants, each by its name at this point."""
        policies = {CONV: "conv", **{name: VARIANTS[name] for name in variants}}
        return {
            at(name, self.name): Config("dws", policy, self.sets, (self.program,), self.size)
            for name, policy in policies.items()
        }

    def under(self, policy: str, results: Results) -> Statistics:
        """Return the statistics of a policy at this point."""
        return results(at(policy, self.name), self.program)

    def gain(self, variant: str, results: Results) -> float:
        """Return the speedup of a variant over Conv."""
        return results.speedup(at(variant, self.name), self.program, at(CONV, self.name))

    def energy(self, variant: str, results: Results) -> float:
        """Return the energy under a variant over Conv's."""
        used = (results.energy(at(name, self.name), self.program) for name in (variant, CONV))
        return next(used) / next(used)


def mean_gain(points: Sequence[Point], variant: str, results: Results) -> float:
    """Return the harmonic mean of the speedups at several points."""
    return mean((point.gain(variant, results) for point in points), "harmonic")
