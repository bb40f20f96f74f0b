"""MAWS Figure 2: how many lanes miss in a divergent access, over time."""

from __future__ import annotations

from collections.abc import Sequence

from ...timing.results.samples import Interval
from .claims import holds, partly
from .figure import Figure, series
from .results import Config, Results, mean, or_none, short
from .sets import DWS_PROGRAMS, MAWS_SIZES
from .study import Study

CONV = "Conv"

TOGETHER = (
    "neighbouring lanes work on neighbouring data: in a divergent access the lanes on one side of "
    "the end of a line miss, which are the same ones in every iteration (`simtlab explain "
    "divergences`, MAWS)"
)

SAMPLE = 5_000
"""Cycles of an interval that is measured; neighbours are joined to `PHASES` a run at most."""

PHASES = 16

FEW = 20
"""Divergent accesses of a phase below which their mean degree says nothing."""


def phases(intervals: Sequence[Interval]) -> dict[str, tuple[int, ...]]:
    """Return the divergent accesses by lanes that miss, of phases that are alike in length.

    The names are the ends of the phases, in thousands of cycles.
    """
    length = -(-len(intervals) // PHASES)
    found: dict[str, tuple[int, ...]] = {}
    for first in range(0, len(intervals), max(1, length)):
        part = intervals[first : first + length]
        columns = zip(*(interval.degree for interval in part), strict=True)
        found[f"{part[-1].end / 1000:.0f}"] = tuple(map(sum, columns))
    return found


def mean_degree(counts: Sequence[int]) -> float:
    """Return the mean number of lanes that miss in a divergent access. Not of no accesses."""
    return sum(n * count for n, count in enumerate(counts)) / sum(counts)


def degrees() -> Study:
    """Figure 2: the degree of divergence over time."""

    def one(r: Results, program: str) -> Figure:
        found = or_none(lambda: phases(r(CONV, program).intervals)) or {"-": ()}
        width = max(map(len, found.values()))

        def share(row: str, column: str) -> float:
            total = sum(found[column])
            return found[column][int(row)] / total if total else 0.0

        # An access in which all lanes miss is not divergent.
        rows = tuple(str(n) for n in range(1, width - 1))
        values = series(rows, tuple(found), share) if rows else {"1": (None,)}
        return Figure(f"maws-fig2-{short(program)}", f"{short(program)}: lanes that miss",
                      "stacks", "end of the phase, thousands of cycles",
                      "share of divergent accesses", tuple(found), values)  # fmt: skip

    def means(r: Results, program: str) -> list[float]:
        counts = phases(r(CONV, program).intervals).values()
        return [mean_degree(count) for count in counts if sum(count) >= FEW]

    def varies(r: Results) -> tuple[str, int, int]:
        found = {short(p): means(r, p) for p in r.programs}
        spreads = {p: max(m) - min(m) for p, m in found.items() if m}
        none = [p for p, m in found.items() if not m]
        shown = ", ".join(f"{p} {s:.1f}" for p, s in spreads.items())
        without = f"; too few divergent accesses: {', '.join(none)}" if none else ""
        return (
            f"range of the phases' means: {shown}{without}",
            sum(s > 0.5 for s in spreads.values()), len(found),
        )  # fmt: skip

    def differ(r: Results) -> tuple[str, bool]:
        found = {short(p): mean(m, "arithmetic") for p in r.programs if (m := means(r, p))}
        spread = max(found.values()) - min(found.values())
        return ", ".join(f"{p} {m:.1f}" for p, m in found.items()), spread > 1

    def quickly(r: Results) -> tuple[str, bool]:
        found = means(r, "dws/svm")
        return f"{min(found):.1f} to {max(found):.1f}" if found else "-", bool(found) and (
            min(found) < 2 and max(found) > 3
        )

    return Study(
        "maws-fig2", "The degree of memory divergence over time", "MAWS Figure 2", DWS_PROGRAMS,
        {CONV: Config("maws-coherent", sample=SAMPLE)},
        lambda r: [one(r, p) for p in r.programs],
        (
            holds("the degree differs between benchmarks", "differs", differ, why=TOGETHER),
            partly("the degree varies with the phases of a benchmark", "varies", varies,
                   why=TOGETHER),
            holds("SVM's degree varies between 1 and 5", "1 to 5", quickly, why=TOGETHER),
        ),
        note=f"A run has up to {PHASES} phases of equal length. Claims leave out phases with fewer "
        f"than {FEW} divergent accesses. The paper's intervals are a million cycles.",
        sizes=MAWS_SIZES,
    )  # fmt: skip
