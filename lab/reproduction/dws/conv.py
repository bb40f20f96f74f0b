"""Figure 1 and footnote 2: where a wider or deeper Conv no longer gains."""

from __future__ import annotations

from collections.abc import Mapping

from ..claims import holds
from ..figure import Figure, series
from ..results import Config, Results, mean
from ..sets import DWS_PROGRAMS, at, swept
from ..study import Study
from .common import CONV, WAYS, contexts, listed, ways_named
from .reasons import PERSISTENT, SHARED_LINES

WIDTHS = (1, 2, 4, 8, 16)
WARPS = (1, 2, 4, 8, 16, 32)


def _time_parts(results: Results, name: str, title: str, x: str, labels: tuple[str, ...]) -> Figure:
    first = at(CONV, labels[0])

    def time(label: str) -> float:
        return results.over(lambda p: 1 / results.speedup(at(CONV, label), p, first), "harmonic")

    def part(name: str, label: str) -> float:
        shares = (results(at(CONV, label), p).memory_wait for p in results.programs)
        share = mean(shares, "arithmetic")
        return time(label) * (share if name == "waits for memory" else 1 - share)

    return Figure(
        name, title, "stacks", x, "time, in units of the first; harmonic mean", labels,
        series(("computes", "waits for memory"), labels, part), digits=3,
    )  # fmt: skip


def _times(results: Results, labels: tuple[str, ...]) -> dict[str, float]:
    first = at(CONV, labels[0])
    return {
        label: results.over(
            lambda p, x=label: 1 / results.speedup(at(CONV, x), p, first), "harmonic"
        )
        for label in labels
    }


def _waits(results: Results, label: str) -> float:
    waits = (results(at(CONV, label), p).memory_wait for p in results.programs)
    return mean(waits, "arithmetic")


def _best(times: Mapping[str, float]) -> str:
    return min(times, key=lambda label: times[label])


def figure_1() -> list[Study]:
    """Figure 1 and the paper's footnote 2: where a wider or deeper Conv stops to gain."""
    widths = tuple(map(str, WIDTHS))
    ways = tuple(map(ways_named, WAYS))
    warps = tuple(map(str, WARPS))
    conv = {CONV: "conv"}

    def width_falls_then_rises(r: Results) -> tuple[str, bool]:
        t = _times(r, widths)
        return listed(t), _best(t) != widths[-1] and t[widths[1]] < t[widths[0]]

    def wait_grows(r: Results) -> tuple[str, bool]:
        waits = {w: _waits(r, w) for w in widths}
        found = list(waits.values())
        return listed(waits), found == sorted(found) and found[-1] > 0.5

    def too_many_warps(r: Results) -> tuple[str, bool]:
        t = _times(r, warps)
        return f"best at {_best(t)}: {listed(t)}", _best(t) not in (warps[0], warps[-1])

    def optimum_moves(r: Results) -> tuple[str, bool]:
        t = _times(r, warps)
        return f"best at {_best(t)}", _best(t) in ("8", "16")

    return [
        Study(
            "dws-fig1a", "Conv: time by SIMD width, four warps", "DWS Figure 1a", DWS_PROGRAMS,
            {at(CONV, w): Config("dws", sets=contexts(w, 4)) for w in WIDTHS},
            lambda r: [_time_parts(r, "dws-fig1a", "Conv, four warps", "SIMD width", widths)],
            (
                holds(
                    "time falls and then rises with the width", "optimum below 16 lanes",
                    width_falls_then_rises,
                    why="only programs whose lanes have data of their own thrash the cache at 16 "
                    "lanes: `simtlab explain programs`, mappings of tasks to lanes",
                ),
                holds("the part that waits for memory grows and dominates", "above half at 16",
                      wait_grows, why=PERSISTENT),
            ),
            note="Parts: the share of issue slots that wait for memory, mean of the programs.",
        ),
        Study(
            "dws-fig1b", "Conv: time by associativity of the D-cache", "DWS Figure 1b",
            DWS_PROGRAMS,
            {at(CONV, ways_named(w)): Config("dws", sets={"l1d.ways": w}) for w in WAYS},
            lambda r: [_time_parts(r, "dws-fig1b", "Conv, 4 x 16", "ways of the D-cache", ways)],
            (
                holds(
                    "waiting stays significant with full associativity", "yes",
                    lambda r: (f"{_waits(r, 'full'):.0%} of the slots", _waits(r, "full") > 0.25),
                    why=PERSISTENT,
                ),
            ),
        ),
        Study(
            "dws-fig1c", "Conv: time by the number of 8-wide warps", "DWS Figure 1c", DWS_PROGRAMS,
            {at(CONV, w): Config("dws", sets=contexts(8, w)) for w in WARPS},
            lambda r: [_time_parts(r, "dws-fig1c", "Conv, 8 lanes", "warps", warps)],
            (
                holds("a few warps help, too many cost time", "optimum inside", too_many_warps,
                      why=SHARED_LINES),
            ),
            note="The axis is not legible in the text at hand (Q-DWS-46): 1 to 32 warps.",
        ),
        Study(
            "dws-fn2", "Conv: the number of warps, with misses of 300 cycles",
            "DWS footnote 2", DWS_PROGRAMS,
            swept("dws", conv, WARPS, lambda w: {**contexts(8, w), "l2.hit_latency": 300}),
            lambda r: [_time_parts(r, "dws-fn2", "Conv, 8 lanes, 300 cycles", "warps", warps)],
            (
                holds("the optimum moves to 8 or 16 warps", "8 or 16", optimum_moves,
                      why=SHARED_LINES),
            ),
        ),
    ]  # fmt: skip
