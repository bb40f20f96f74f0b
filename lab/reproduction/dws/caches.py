"""Figures 15 to 17: the gain by associativity, latency and size of the caches."""

from __future__ import annotations

from functools import partial

from ..claims import holds, number
from ..figure import Figure, series
from ..results import Config, Results, short
from ..sets import DWS_PROGRAMS, at, swept, time_lines
from ..study import Study
from .common import CONV, DWS, TWO, WAYS, listed, ways_named
from .reasons import PERSISTENT, SMALL_GAIN, WIDE_CACHES

SIZES = (8, 16, 32, 64, 128)
LATENCIES = (10, 30, 100, 300)


def _gain_at(results: Results, label: str) -> float:
    return results.mean_speedup(at(DWS, label), at(CONV, label), "harmonic")


def _gains(results: Results, labels: tuple[str, ...]) -> dict[str, float]:
    return {label: _gain_at(results, label) for label in labels}


def _gain_lines(results: Results, name: str, x: str, labels: tuple[str, ...]) -> Figure:
    shorts = {short(p): p for p in results.programs}

    def value(row: str, label: str) -> float:
        if row == "h-mean":
            return _gain_at(results, label)
        return results.speedup(at(DWS, label), shorts[row], at(CONV, label))

    return Figure(
        name, "DWS against Conv of the same machine", "lines", x, "speedup over Conv", labels,
        series(("h-mean", *shorts), labels, value), rule=1.0, digits=3,
    )  # fmt: skip


def caches() -> list[Study]:
    """Figures 15, 16 and 17: DWS by associativity, by latency and by the size of the cache."""
    ways, sizes = tuple(map(ways_named, WAYS)), tuple(f"{n}KiB" for n in SIZES)
    latencies = tuple(map(str, LATENCIES))

    def shrinks(labels: tuple[str, ...], r: Results) -> tuple[str, bool]:
        g = _gains(r, labels)
        return listed(g, 3), g[labels[-1]] < max(g.values()) and g[labels[-1]] < g[labels[1]]

    def grows(r: Results) -> tuple[str, bool]:
        g = _gains(r, latencies)
        values = list(g.values())
        return listed(g, 3), values == sorted(values)

    def doubling(r: Results) -> float:
        return r.mean_speedup(at(CONV, "64KiB"), at(DWS, "32KiB"), "harmonic")

    return [
        Study(
            "dws-fig15", "DWS by associativity of the D-cache", "DWS Figure 15", DWS_PROGRAMS,
            {at(n, ways_named(w)): Config("dws", p, {"l1d.ways": w})
             for n, p in TWO.items() for w in WAYS},
            lambda r: [_gain_lines(r, "dws-fig15", "ways", ways)],
            (holds("the gain shrinks with associativity", "yes", partial(shrinks, ways),
                   why=SMALL_GAIN),),
        ),
        Study(
            "dws-fig16", "DWS by the second level's latency", "DWS Figure 16", DWS_PROGRAMS,
            swept("dws", TWO, LATENCIES, lambda n: {"l2.hit_latency": n}),
            lambda r: [
                time_lines(r, "dws-fig16", "Time by latency", "lookup of the second level, cycles",
                           tuple(TWO), LATENCIES, at(CONV, 10), "harmonic"),
                _gain_lines(r, "dws-fig16-gain", "lookup of the second level, cycles", latencies),
            ],
            (holds("the gain grows with latency", "yes", grows, why=SMALL_GAIN),),
        ),
        Study(
            "dws-fig17", "DWS by the size of the D-cache", "DWS Figure 17", DWS_PROGRAMS,
            {at(n, s): Config("dws", p, {"l1d.size": s}) for n, p in TWO.items() for s in sizes},
            lambda r: [_gain_lines(r, "dws-fig17", "D-cache", sizes)],
            (
                holds("the gain shrinks with the cache", "yes", partial(shrinks, sizes),
                      why=SMALL_GAIN),
                number("gain with 128 KB", 1.0, lambda r: _gain_at(r, "128KiB"), neutral=None,
                       form=".3f", why=WIDE_CACHES),
                number("time of Conv with 64 KB over DWS with 32 KB: DWS is worth a doubling", 1.0,
                       lambda r: 1 / doubling(r), neutral=None, form=".3f", why=PERSISTENT),
            ),
        ),
    ]  # fmt: skip
