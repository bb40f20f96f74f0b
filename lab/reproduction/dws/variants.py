"""Figures 7, 11 and 13, and the means of 5.5: the variants of subdivision, and slip."""

from __future__ import annotations

from functools import partial

from ..claims import at_most, holds, least, number, partly
from ..figure import Figure, series
from ..results import Results, short
from ..sets import DWS_PROGRAMS, policies, speedup_bars
from ..study import Study
from .common import BYPASS, CONV, DWS, TWO, listed
from .reasons import (
    BUSY_KMEANS,
    CONV_WIDTH,
    FIRST_BRANCH,
    KMEANS_WIDTH,
    NEVER_MEET,
    PERSISTENT,
    SLIP_BRANCHES,
    SLIP_IDLE,
    SMALL_MEANS,
    STACK_LOOP,
)  # fmt: skip

BRANCH = {
    CONV: "conv",
    "stack": "dws.branch-only.stack",
    "PC": "dws.branch-only",
}
LIMITED = {
    CONV: "conv",
    "AggressSplit.BL": "dws.aggress-split.bl",
    "LazySplit.BL": "dws.lazy-split.bl",
    "ReviveSplit.BL": "dws.revive-split.bl",
}
BARS = {
    CONV: "conv",
    "BranchOnly": "dws.branch-only",
    "Revive.MemOnly": "dws.revive-split.mem-only",
    "AggressSplit": "dws.aggress-split",
    "LazySplit": "dws.lazy-split",
    "ReviveSplit": "dws.revive-split",
    "Slip": "slip",
    BYPASS: "slip.branch-bypass",
}


def _hmean(column: str, results: Results) -> float:
    return results.mean_speedup(column, CONV, "harmonic")


def _width(results: Results, column: str, program: str) -> float:
    return results(column, program).mean_width


def _all_speedups(column: str, results: Results) -> dict[str, float]:
    return results.speedups(column, CONV)


def _gain_most(results: Results) -> tuple[str, bool]:
    found = results.speedups("PC", CONV)
    best = sorted(found, key=lambda p: -found[p])[:2]
    return f"{best[0]} and {best[1]}", set(best) == {"kmeans", "merge"}


def _stack_hurts_kmeans(results: Results) -> tuple[str, bool]:
    speed = results.speedup("stack", "dws/kmeans", CONV)
    narrow = _width(results, "stack", "dws/kmeans")
    return f"{speed:.2f}, mean width {narrow:.1f}", speed < 0.8 and narrow < 8


def _pc_width(results: Results) -> float:
    return _width(results, "PC", "dws/kmeans")


def _degrade(column: str, results: Results) -> tuple[str, bool]:
    value = _hmean(column, results)
    return f"{value:.2f}", value < 1


def _slip_only_filter(results: Results) -> tuple[str, bool]:
    slip, dws = results.speedups("Slip", CONV), results.speedups("ReviveSplit", CONV)
    better = [p for p in slip if slip[p] > dws[p]]
    return f"better in {', '.join(better) or 'none'}", better == ["filter"]


def _slip_often_loses(results: Results) -> tuple[str, bool]:
    below = [p for p, s in results.speedups("Slip", CONV).items() if s < 0.995]
    return f"below 1 in {', '.join(below) or 'none'}", len(below) >= 3


def _bypass_loses(results: Results) -> tuple[str, int, int]:
    found = results.speedups(BYPASS, CONV)
    named = ("kmeans", "short", "fft")
    below = [p for p in named if found[p] < 0.995]
    return listed({p: found[p] for p in named}), len(below), len(named)


def _bypass_worse_on_kmeans(results: Results) -> tuple[str, bool]:
    a = results.speedup(BYPASS, "dws/kmeans", CONV)
    b = results.speedup("Slip", "dws/kmeans", CONV)
    return f"{a:.2f} against {b:.2f}", a < b


def _order(results: Results) -> tuple[str, bool]:
    columns = ("ReviveSplit", "Revive.MemOnly", "BranchOnly")
    found = {c: _hmean(c, results) for c in columns}
    values = list(found.values())
    return listed(found, 3), values[0] > max(values[1:]) and min(values[1:]) > 1


def variants() -> list[Study]:
    """Figures 7, 11 and 13 and the means of the text: the variants of DWS and slip."""
    waits = partial(_mean_of, "memory_wait")
    widths = partial(_mean_of, "mean_width")
    return [
        Study(
            "dws-fig7", "Subdivision upon branches: merging by the stack or by PCs",
            "DWS Figure 7", DWS_PROGRAMS, policies("dws", BRANCH),
            lambda r: [
                speedup_bars(r, "dws-fig7", "BranchOnly", ("stack", "PC"), CONV, "harmonic")
            ],
            (
                number("mean speedup, merging by PCs", 1.13, partial(_hmean, "PC"), why=PERSISTENT),
                least("merging by PCs harms no program", "never below 1",
                      partial(_all_speedups, "PC"), slack=0.005, why=BUSY_KMEANS),
                holds("merging by the stack alone harms KMeans", "mean width 4",
                      _stack_hurts_kmeans, why=STACK_LOOP),
                number("KMeans' mean width with PCs", 9, _pc_width, neutral=None, form=".1f",
                       why=KMEANS_WIDTH),
                holds("KMeans and Merge gain most", "KMeans and Merge", _gain_most,
                      why=PERSISTENT),
            ),
        ),
        Study(
            "dws-fig11", "Subdivision upon misses, splits limited by branches",
            "DWS Figure 11", DWS_PROGRAMS, policies("dws", LIMITED),
            lambda r: [
                speedup_bars(r, "dws-fig11", "BranchLimited", tuple(LIMITED)[1:], CONV, "harmonic")
            ],
            tuple(
                at_most(f"{column} gains little", "little", 1.1, partial(_hmean, column),
                        form=".3f", why=FIRST_BRANCH)
                for column in tuple(LIMITED)[1:]
            ),
        ),
        Study(
            "dws-fig13", "All variants of subdivision, and slip", "DWS Figure 13", DWS_PROGRAMS,
            policies("dws", BARS),
            lambda r: [
                speedup_bars(r, "dws-fig13", "Speedups", tuple(BARS)[1:], CONV, "harmonic")
            ],
            (
                number("BranchOnly", 1.13, partial(_hmean, "BranchOnly"), why=PERSISTENT),
                number("ReviveSplit.MemOnly", 1.20, partial(_hmean, "Revive.MemOnly"),
                       why=PERSISTENT),
                number("ReviveSplit", 1.71, partial(_hmean, "ReviveSplit"), why=PERSISTENT),
                holds("ReviveSplit > MemOnly and BranchOnly > 1", "1.71, 1.20, 1.13", _order,
                      why=SMALL_MEANS),
                least("ReviveSplit harms no program", "never below 1",
                      partial(_all_speedups, "ReviveSplit"), slack=0.005, why=NEVER_MEET),
                holds("AggressSplit loses", "below 1", partial(_degrade, "AggressSplit"),
                      why=PERSISTENT),
                holds("LazySplit loses", "below 1", partial(_degrade, "LazySplit"),
                      why=PERSISTENT),
                holds("Slip beats ReviveSplit in Filter only", "filter", _slip_only_filter,
                      why=SLIP_IDLE),
                holds("Slip often loses", "often below 1", _slip_often_loses, why=SLIP_IDLE),
                partly("Slip.BranchBypass harms KMeans, Short and FFT", "below 1", _bypass_loses,
                       why=SLIP_BRANCHES),
                holds("Slip.BranchBypass is worse than Slip on KMeans", "yes",
                      _bypass_worse_on_kmeans, why=SLIP_BRANCHES),
            ),
        ),
        Study(
            "dws-stat", "How long a WPU waits, and how many lanes an instruction has",
            "DWS 5.5", DWS_PROGRAMS, policies("dws", TWO),
            lambda r: [_waits_and_widths(r)],
            (
                number("Conv waits for memory", 0.76, partial(waits, CONV), neutral=None,
                       form=".0%", why=PERSISTENT),
                number("ReviveSplit waits", 0.36, partial(waits, DWS), neutral=None, form=".0%",
                       why=PERSISTENT),
                number("mean width under Conv", 14, partial(widths, CONV), neutral=None,
                       form=".1f", why=CONV_WIDTH),
                number("mean width under ReviveSplit", 4, partial(widths, DWS), neutral=None,
                       form=".1f", why=PERSISTENT),
            ),
            note="The paper's means do not fit a single program (`simtlab explain divergences`).",
        ),
    ]  # fmt: skip


def _mean_of(what: str, column: str, results: Results) -> float:
    return results.over(lambda p: getattr(results(column, p), what), "harmonic")


def _waits_and_widths(results: Results) -> Figure:
    columns = {
        "Conv waits": (CONV, "memory_wait"), "DWS waits": (DWS, "memory_wait"),
        "Conv width": (CONV, "mean_width"), "DWS width": (DWS, "mean_width"),
    }  # fmt: skip
    shorts = {short(p): p for p in results.programs}

    def value(name: str, category: str) -> float:
        column, what = columns[name]
        if category == "h-mean":
            return _mean_of(what, column, results) / (16 if what == "mean_width" else 1)
        found = getattr(results(column, shorts[category]), what)
        return found / (16 if what == "mean_width" else 1)

    return Figure(
        "dws-stat", "Waiting, and lanes of an instruction", "bars", "program",
        "share of issue slots; of 16 lanes", (*shorts, "h-mean"),
        series(tuple(columns), (*shorts, "h-mean"), value),
    )  # fmt: skip
