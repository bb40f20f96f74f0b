"""collatz: the purest divergent loop, with a closed form for its instructions."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 256


def make(rng: np.random.Generator, *, n: int) -> Data:
    """The numbers 1 to n; nothing of it is random."""
    return {"n": n, "steps": np.zeros(n, np.uint32)}


def launch(launcher: Launcher, data: Data) -> None:
    """One launch, a work-item a number."""
    group = min(GROUP, launcher.core_contexts)
    kernel = launcher("collatz", groups=-(-data["n"] // group), group_size=group)
    kernel(data["n"], data["steps"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """Block by block of twice the length: a number that has fallen below its block is known."""
    last = data["n"]
    steps = np.zeros(last + 1, np.uint32)
    first = 2
    while first <= last:
        index = np.arange(first, min(2 * first, last + 1))
        values = index.copy()
        taken = 0
        while index.size:
            taken += 1
            values = np.where(values % 2 == 1, 3 * values + 1, values // 2)
            known = values < first
            steps[index[known]] = taken + steps[values[known]]
            values, index = values[~known], index[~known]
        first *= 2
    return {"steps": steps[1:]}


WORKLOAD = Workload(
    title="collatz: steps of the 3n + 1 problem, heavily divergent",
    source="customary; the counts of its loop are an anchor against other simulators",
    sizes={"tiny": {"n": 130}, "small": {"n": 1 << 15}, "paper": {"n": 1 << 20}},
    make=make,
    launch=launch,
    reference=reference,
)
