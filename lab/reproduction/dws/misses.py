"""Figure 14: which threads miss."""

from __future__ import annotations

from ..claims import partly
from ..figure import Figure
from ..results import Config, Results, or_none, short
from ..sets import DWS_PROGRAMS
from ..study import Study
from .common import CONV, listed
from .reasons import ALL_LANES_MISS


def _miss_map(results: Results, program: str) -> Figure:
    """Return the misses that stall other lanes: a row per warp of WPU 0, a column per lane."""
    stats = or_none(lambda: results(CONV, program))
    found = stats.stalling_misses[:4] if stats is not None else ((0,) * 16,) * 4
    most = max(map(max, found)) or 1
    return Figure(
        f"dws-fig14-{short(program)}", f"{short(program)}: stalling misses of WPU 0", "map",
        "lane", "warp", tuple(map(str, range(len(found[0])))),
        {f"warp {w}": tuple(n / most for n in row) for w, row in enumerate(found)},
    )  # fmt: skip


def _uneven(results: Results) -> tuple[str, int, int]:
    found = {}
    for program in results.programs:
        counts = [n for row in results(CONV, program).stalling_misses[:4] for n in row]
        average = sum(counts) / len(counts)
        spread = (sum((n - average) ** 2 for n in counts) / len(counts)) ** 0.5
        found[short(program)] = spread / average if average else 0.0
    uneven = [p for p, s in found.items() if s > 0.1]
    return f"spread over mean: {listed(found)}", len(uneven), len(found)


def figure_14() -> Study:
    """Figure 14: misses by thread."""
    return Study(
        "dws-fig14", "Misses that stall other threads, by thread", "DWS Figure 14", DWS_PROGRAMS,
        {CONV: Config("dws")}, lambda r: [_miss_map(r, p) for p in r.programs],
        (partly("threads miss unevenly", "in every benchmark", _uneven, why=ALL_LANES_MISS),),
        note="Each map is in units of its largest count.",
    )  # fmt: skip
