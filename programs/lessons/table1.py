"""table1: branches and misses at rates that are given, such as those of the DWS paper's Table 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...isa.errors import UsageError
from ..workload import Data, Launcher, Parameter, Workload

LANES = 16
"""Work-items of a workgroup: a warp of the machine dws, so that a barrier is one of its lanes."""

STEPS = 48
"""Nodes of a chain, which is a ring."""

BITS = 64
"""Iterations after which the outcomes of the branch repeat."""

WORD, LINE, PAGE = 8, 128, 4096
"""Bytes of a node, of a cache line, and of a line in each set of the first level."""

HOT_SETS = 24
"""Sets of the 32 whose eight ways the lines of four warps fill. They are never replaced."""

LINES_A_SET = 6
"""Lines of a warp that share one of the other sets: eight ways cannot hold those of two warps."""

FACTOR = 1664525

_MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Body:
    """The loop of a kernel: its accesses, its instructions, and those of the optional work."""

    accesses: int
    instructions: int
    work: int

    @property
    def longest(self) -> int:
        """Instructions of an iteration that does the optional work."""
        return self.instructions + self.work

    @property
    def always(self) -> int:
        """Work that every iteration does: the rest is accesses of three, and the loop's seven."""
        return self.instructions - 3 * self.accesses - 7


BODIES = (
    Body(2, 14, 12),
    Body(3, 18, 16),
    Body(5, 25, 16),
    Body(7, 28, 20),
    Body(8, 31, 20),
    Body(10, 37, 20),
    Body(12, 43, 32),
    Body(16, 55, 44),
    Body(20, 74, 56),
    Body(25, 92, 48),
    Body(32, 103, 72),
)

BARRIER = 4
"""Instructions from one barrier to the next besides iterations; one of them is a branch."""


@dataclass(frozen=True)
class Mix:
    """A body, and how often its events happen: shares of iterations, and of accesses."""

    body: Body
    iterations: int
    every: int
    works: float
    diverges: float
    misses: float


def mix(
    instructions: int,
    branch_every: float,
    branch_divergence: float,
    miss_every: float,
    barrier_every: int,
) -> Mix:
    """Return the body with the fewest accesses that can have these rates. Raises UsageError."""
    # Two branches an iteration, and one more at each barrier.
    rounds = 1 / barrier_every if barrier_every else 0.0
    branches = 2 + rounds
    length = branch_every * branches - BARRIER * rounds
    diverges = branch_divergence * branches
    for body in BODIES:
        works = (length - body.instructions) / body.work
        if diverges <= works <= 1 and miss_every * body.accesses >= length + BARRIER * rounds:
            every = barrier_every or max(1, round(instructions / length))
            iterations = every * max(1, round(instructions / (length * every + BARRIER)))
            misses = (length + BARRIER * rounds) / body.accesses / miss_every
            return Mix(body, iterations, every, works, diverges, misses)
    raise _impossible(length, rounds, branches, diverges, branch_every, miss_every)


def _impossible(
    length: float,
    rounds: float,
    branches: float,
    diverges: float,
    branch_every: float,
    miss_every: float,
) -> UsageError:
    """Return the error for rates that no body has: what is possible in their place."""
    long_enough = [b for b in BODIES if diverges <= (length - b.instructions) / b.work <= 1]
    if long_enough:
        densest = max(body.accesses for body in long_enough)
        least = (length + BARRIER * rounds) / densest
        return UsageError(
            f"lessons/table1 cannot have miss_every={miss_every:g} with "
            f"branch_every={branch_every:g}: expected at least {least:.2f}",
            code="SIM515",
            hint="an iteration of that length has too few accesses",
        )
    lengths = BODIES[0].instructions + diverges * BODIES[0].work, BODIES[-1].longest
    low, high = ((each + BARRIER * rounds) / branches for each in lengths)
    return UsageError(
        f"lessons/table1 cannot have branch_every={branch_every:g} with this branch_divergence "
        f"and barrier_every: expected about {low:.1f} to {high:.1f}",
        code="SIM515",
        hint="not all values in between go together with many divergent branches; "
        "`simtlab programs table1` shows rates that do",
    )


def make(
    rng: np.random.Generator,
    *,
    n: int,
    instructions: int,
    branch_every: float,
    branch_divergence: float,
    miss_every: float,
    miss_divergence: float,
    miss_lanes: float,
    barrier_every: int,
) -> Data:
    """Chains of nodes that hit and miss, and outcomes of branches, at the rates that are given."""
    chosen = mix(instructions, branch_every, branch_divergence, miss_every, barrier_every)
    warps = -(-n // LANES)
    misses = _miss_lanes(rng, warps, chosen.misses, miss_divergence, miss_lanes)
    first, nodes = _chains(misses)
    return {
        "body": chosen.body,
        "every": chosen.every,
        "iterations": chosen.iterations,
        "nodes": nodes,
        "first": first[:n],
        "taken": _outcomes(rng, warps, chosen)[:n],
        "y": np.zeros(n, np.uint64),
    }


def _spread(warps: int, places: int, *shares: float) -> np.ndarray:
    """Return how many of a warp's places each share takes, shape (warps, shares).

    Rounding errors pass on to the next warp, so that all warps together have the exact share.
    """
    ends = np.arange(warps + 1)[:, None] * np.array(shares) * places
    return np.diff(np.floor(ends + 0.5 - 1e-9).astype(np.int64), axis=0)


def _miss_lanes(
    rng: np.random.Generator, warps: int, misses: float, divergence: float, lanes: float
) -> np.ndarray:
    """Return which lanes miss at each step, shape (warps, STEPS, LANES)."""
    found = np.zeros((warps, STEPS, LANES), bool)
    counts = _spread(warps, STEPS, misses, misses * divergence)
    for w, (n, n_divergent) in enumerate(counts):
        steps = rng.permutation(STEPS)
        found[w, steps[n_divergent:n]] = True
        found[w, steps[:n_divergent]] = _some(rng, n_divergent, lanes)
    return found


def _some(rng: np.random.Generator, n: int, share: float) -> np.ndarray:
    """Return n rows of lanes of which a share is true: at least one lane, and not all of them."""
    rows = rng.random((n, LANES)) < share
    lane = rng.integers(0, LANES, n)
    alike = rows.all(axis=1) | ~rows.any(axis=1)
    rows[np.arange(n), lane] ^= alike
    return rows


def _chains(misses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where each lane's chain begins, in bytes, and the nodes.

    A lane that hits has its node in a line that the warp's lanes share and that nothing replaces.
    Lanes that all miss share a line, too; other lanes that miss have a line each. Those lines are
    in few sets, and replace each other before they are needed again.
    """
    warps = len(misses)
    together = np.asarray(misses.all(axis=2))
    alone = misses & ~together[:, :, None]
    n_lines = int((together + alone.sum(axis=2)).sum(axis=1).max())
    sets = min(max(n_lines // LINES_A_SET, 1), PAGE // LINE - HOT_SETS)
    pages = -(-n_lines // sets)

    step = np.arange(STEPS)[:, None]
    warp = np.arange(warps)[:, None, None]
    hot = warp * 2 * PAGE + step // HOT_SETS * PAGE + step % HOT_SETS * LINE
    # Lines of misses are numbered in the order of steps, and of lanes within a step.
    new = alone.copy()
    new[:, :, 0] |= together
    line = new.reshape(warps, -1).cumsum(axis=1).reshape(new.shape) - 1
    line = np.where(together[:, :, None], line[:, :, :1], line)
    cold = (warps * 2 + warp * pages + line // sets) * PAGE + (HOT_SETS + line % sets) * LINE
    places = np.where(misses, cold, hot) + np.arange(LANES) * WORD

    nodes = np.zeros(warps * (2 + pages) * PAGE // WORD, np.int64)
    nodes[places // WORD] = np.roll(places, -1, axis=1) - places
    return places[:, 0].reshape(-1).astype(np.uint64), nodes.view(np.uint64)


def _outcomes(rng: np.random.Generator, warps: int, chosen: Mix) -> np.ndarray:
    """Return for each lane the iterations in which it does the work, as bits."""
    found = np.zeros((warps, BITS, LANES), bool)
    counts = _spread(warps, BITS, chosen.works, chosen.diverges)
    for w, (n, n_divergent) in enumerate(counts):
        bits = rng.permutation(BITS)
        found[w, bits[n_divergent:n]] = True
        found[w, bits[:n_divergent]] = _some(rng, n_divergent, 0.5)
    weights = np.uint64(1) << np.arange(BITS, dtype=np.uint64)
    return np.where(found, weights[:, None], 0).sum(axis=1, dtype=np.uint64).reshape(-1)


def launch(launcher: Launcher, data: Data) -> None:
    """Exactly one work-item for each chain; a workgroup is a warp."""
    n = len(data["y"])
    kernel = launcher(f"accesses{data['body'].accesses}", items=n, group_size=min(LANES, n))
    kernel(*(data[name] for name in ("nodes", "first", "taken", "every", "iterations", "y")))


def reference(data: Data) -> dict[str, np.ndarray]:
    """Rounds of a ring at once, and the work as one affine map."""
    body, n_iterations = data["body"], data["iterations"]
    place = data["first"].copy()
    steps = []
    for _ in range(STEPS):
        steps.append(data["nodes"][place // np.uint64(WORD)])
        place += steps[-1]
    squares = np.array(steps) ** 2
    rounds, rest = divmod(n_iterations * body.accesses, STEPS)
    total = squares.sum(axis=0) * np.uint64(rounds & _MASK) + squares[:rest].sum(axis=0)

    bits = data["taken"] >> np.arange(BITS, dtype=np.uint64)[:, None] & np.uint64(1)
    rounds, rest = divmod(n_iterations, BITS)
    done = bits.sum(axis=0) * np.uint64(rounds) + bits[:rest].sum(axis=0)
    times = np.uint64(n_iterations * body.always) + done * np.uint64(body.work)
    item = np.arange(len(total), dtype=np.uint32)
    return {"y": total + _affine(item, item | np.uint32(1), times)}


def _affine(x: np.ndarray, addend: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return x after `times` steps x * FACTOR + addend, by repeated squaring of the map."""
    factor = FACTOR
    while times.any():
        x = np.where(times & np.uint64(1), x * np.uint32(factor) + addend, x)
        addend = addend * np.uint32(factor) + addend
        factor = factor * factor % (1 << 32)
        times = times >> np.uint64(1)
    return x.astype(np.uint64)


def _row(
    branch_every: int, divergent: float, miss_every: int, divergent_misses: float
) -> dict[str, float]:
    return {
        "n": 256,
        "instructions": 20_000,
        "branch_every": branch_every,
        "branch_divergence": divergent,
        "miss_every": miss_every,
        "miss_divergence": divergent_misses,
        "miss_lanes": 0.1,
        "barrier_every": 4,
    }


_MIDDLE = _row(16, 0.05, 7, 0.75)

WORKLOAD = Workload(
    title="table1: branches and misses at rates that are given",
    source="DWS Table 1",
    sizes={
        "tiny": {**_MIDDLE, "n": 64, "instructions": 700},
        "small": _MIDDLE,
        "paper": {**_MIDDLE, "instructions": 500_000},
        "fft": _row(59, 0.034, 7, 0.69),
        "filter": _row(12, 0.0, 27, 0.88),
        "hotspot": _row(16, 0.014, 7, 0.77),
        "lu": _row(53, 0.043, 5, 0.81),
        "merge": _row(9, 0.131, 45, 0.60),
        "short": _row(19, 0.22, 6, 0.79),
        "kmeans": _row(10, 0.02, 47, 0.83),
        "svm": _row(12, 0.043, 11, 0.62),
    },
    parameters={
        "n": Parameter("work-items", 1, 1 << 16, whole=True),
        "instructions": Parameter("of a work-item, about", 1, 10_000_000, whole=True),
        "branch_every": Parameter("instructions from one branch to the next", 1, 1_000),
        "branch_divergence": Parameter("share of branches that diverge", 0, 0.5),
        "miss_every": Parameter("instructions from one access with a miss to the next", 1, 100_000),
        "miss_divergence": Parameter("share of those accesses in which some lanes hit", 0, 1),
        "miss_lanes": Parameter("share of lanes that miss in such a divergent access", 0, 1),
        "barrier_every": Parameter("iterations between barriers; 0: none", 0, 1 << 20, whole=True),
    },
    make=make,
    launch=launch,
    reference=reference,
)
