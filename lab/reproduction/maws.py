"""The figures of the MAWS report. Means are arithmetic; it does not name that of Figure 7."""

from __future__ import annotations

from functools import partial

from ..runs.run import Scalar
from .area import area_study
from .claims import Claim, holds, least, number, partly, unknown
from .degrees import TOGETHER, degrees
from .figure import Figure, series
from .results import Config, Mean, Results, mean, short
from .sets import DWS_PROGRAMS, MAWS_SIZES, MEANS, at, swept, time_lines
from .study import Study

CONV, LAZY, LATSPEC = "Conv", "LazySplit", "LatSpec"
THREE = {CONV: "conv", LAZY: "maws.lazy-split", LATSPEC: "maws.lat-spec"}

BARS: dict[str, tuple[str, dict[str, Scalar]]] = {
    CONV: ("conv", {}),
    "Aggress": ("maws.aggress", {}),
    LAZY: ("maws.lazy-split", {}),
    "LatSpec(RR)": ("maws.lat-spec", {"policy.loop-bypass": False, "scheduler": "rr"}),
    "LatSpec(LB+RR)": ("maws.lat-spec", {"scheduler": "rr"}),
    LATSPEC: ("maws.lat-spec", {}),
    "Conv(SWF)": ("conv", {"scheduler": "swf"}),
}
"""The bars of Figure 7, and Conv with the scheduler of the last one, which the paper lacks."""

SCHEDULER = (
    "the scheduler has most of the gain here: Conv with SWF, which the paper does not show, gains "
    "as much (`simtlab explain divergences`, MAWS)"
)


NOTHING_FETCHED = (
    "splits that run ahead fetch nothing for the others, because the same lanes miss in every "
    "iteration; the branches of short loops end them (`simtlab explain divergences`, MAWS)"
)
STARVED = unknown(
    "under round-robin LatSpec loses nothing in Short, and under SWF it loses 1% on maws-coherent, "
    "Conv a third of that; on maws-bulk it loses at most 0.2%, in HotSpot"
)
SVM_GAINS = (
    "the scheduler sets SVM's warps apart, which gains 15 to 25% with Conv too; Short and HotSpot "
    "gain little, as in the paper"
)
MACHINE_WAITS = "how long a program waits depends on its inputs, and the paper gives few of them"
SHAPE = unknown(
    "neighbouring lanes work on neighbouring data here, so that wide warps share lines, and no "
    "other mapping of tasks was tried on the machines of this report"
)
SPLITS_SELDOM = (
    "LatSpec splits at 1% of the divergent accesses or less, because other warps hide the latency; "
    "its gain is the scheduler's (`simtlab explain divergences`, MAWS)"
)


def _speedup(column: str, kind: Mean, results: Results) -> float:
    return results.mean_speedup(column, CONV, kind)


def _least_of(column: str, results: Results) -> float:
    return min(results.speedups(column, CONV).values())


def _most_of(column: str, results: Results) -> float:
    return max(results.speedups(column, CONV).values())


def _figure_7(results: Results, name: str) -> Figure:
    columns = tuple(BARS)[1:]
    shorts = {short(p): p for p in results.programs}

    def value(column: str, category: str) -> float:
        if category in MEANS:
            return _speedup(column, MEANS[category], results)
        return results.speedup(column, shorts[category], CONV)

    categories = (*shorts, "mean", "g-mean", "h-mean")
    return Figure(
        name, "Speedups over Conv", "bars", "program", "speedup over Conv", categories,
        series(columns, categories, value), rule=1.0, digits=3,
    )  # fmt: skip


def _without_bypass(results: Results) -> tuple[str, bool]:
    value = _speedup("LatSpec(RR)", "arithmetic", results)
    return f"{value:.3f}", value < 1.03


def _rr_like_swf(results: Results) -> tuple[str, int, int]:
    rr, swf = results.speedups("LatSpec(LB+RR)", CONV), results.speedups(LATSPEC, CONV)
    alike = [p for p in rr if abs(rr[p] / swf[p] - 1) < 0.05]
    return f"within 5% in {', '.join(alike) or 'none'}", len(alike), len(rr)


def _little(programs: tuple[str, ...], results: Results) -> tuple[str, int, int]:
    found = results.speedups(LATSPEC, CONV)
    shown = ", ".join(f"{p} {found[p]:.2f}" for p in programs)
    return shown, sum(found[p] < 1.1 for p in programs), len(programs)


def _bars(key: str, machine: str, what: str, lazy: float, latspec: float, most: float,
          least_aggress: float) -> Study:  # fmt: skip
    claims: tuple[Claim, ...] = (
        number("LatSpec with loop bypass and SWF, mean", latspec,
               partial(_speedup, LATSPEC, "arithmetic"), why=SCHEDULER),
        number("LatSpec, largest", most, partial(_most_of, LATSPEC), why=SCHEDULER),
        least("LatSpec harms no program", "no degradation",
              lambda r: r.speedups(LATSPEC, CONV), slack=0.005, why=STARVED),
        number("LazySplit with loop bypass and RR, mean", lazy,
               partial(_speedup, LAZY, "arithmetic"), why=NOTHING_FETCHED),
        number("Aggress, least", least_aggress, partial(_least_of, "Aggress"),
               why=NOTHING_FETCHED),
        holds("without loop bypass almost no gain", "about 1", _without_bypass,
              why=SPLITS_SELDOM),
        partly("RR and SWF are alike for most programs", "most", _rr_like_swf, why=SCHEDULER),
        partly("SVM, Short and HotSpot gain little", "little",
               partial(_little, ("svm", "short", "hotspot")), why=SVM_GAINS),
    )  # fmt: skip
    return Study(
        f"maws-fig7{key}", f"Policies on the {what} machine", f"MAWS Figure 7{key}", DWS_PROGRAMS,
        {name: Config(machine, policy, sets) for name, (policy, sets) in BARS.items()},
        lambda r: [_figure_7(r, f"maws-fig7{key}")], claims, sizes=MAWS_SIZES,
        note="The paper does not say which mean it uses (Q-MAWS-21): verdicts use the arithmetic "
        "one. Conv(SWF) is ours.",
    )  # fmt: skip


def _intro() -> Study:
    conv = "Conv"

    def diverge(r: Results) -> float:
        return max(r(conv, p).divergent_access_share for p in r.programs)

    def waits(r: Results) -> float:
        return mean((r(conv, p).memory_wait for p in r.programs), "arithmetic")

    def bars(r: Results) -> list[Figure]:
        shorts = {short(p): p for p in r.programs}
        names = {"divergent misses": "divergent_access_share", "waits for memory": "memory_wait"}
        values = series(
            tuple(names), tuple(shorts), lambda name, p: getattr(r(conv, shorts[p]), names[name])
        )
        return [Figure("maws-intro", "Divergent misses, and waiting", "bars", "program",
                       "share of misses, of issue slots", tuple(shorts), values)]  # fmt: skip

    return Study(
        "maws-intro", "Misses that diverge, and waiting, in the introduction", "MAWS 1",
        DWS_PROGRAMS, {conv: Config("maws-intro16k")}, bars,
        (
            number("largest share of misses that diverge", 0.60, diverge, neutral=None, form=".0%",
                   why=TOGETHER),
            number("time that WPUs wait for memory", 0.53, waits, neutral=None, form=".0%",
                   why=MACHINE_WAITS),
        ),
        sizes=MAWS_SIZES,
    )  # fmt: skip


# -------------------------------------------------------------------------------- sensitivity

WIDTHS = (2, 4, 8, 16, 32)
WARPS = (1, 2, 4, 6, 8)
SHAPES = ((2, 32), (4, 16), (8, 8), (16, 4), (32, 2), (64, 1))
SIZES = tuple(f"{n}KiB" for n in (4, 8, 16, 32, 64))
LATENCIES = (10, 30, 100, 200, 300)


def _time(results: Results, name: str, value: object, base: str) -> float:
    return results.over(lambda p: 1 / results.speedup(at(name, value), p, base), "arithmetic")


def _best_width(name: str, results: Results) -> str:
    times = {w: _time(results, name, w, at(CONV, 2)) for w in WIDTHS}
    return str(min(times, key=lambda w: times[w]))


def sensitivity() -> list[Study]:
    """Figures 8 to 12."""

    def saturates(r: Results) -> tuple[str, bool]:
        t = {w: _time(r, CONV, w, at(CONV, 2)) for w in WIDTHS}
        return ", ".join(f"{w}: {x:.2f}" for w, x in t.items()), t[8] > 0.9 * t[4]

    def best_at_8(r: Results) -> tuple[str, int, int]:
        best = {name: _best_width(name, r) for name in (LAZY, LATSPEC)}
        shown = ", ".join(f"{n} {w}" for n, w in best.items())
        return shown, sum(w == "8" for w in best.values()), 2

    def more_warps_help(r: Results) -> tuple[str, bool]:
        t = [_time(r, CONV, w, at(CONV, 1)) for w in WARPS]
        return ", ".join(f"{x:.2f}" for x in t), t == sorted(t, reverse=True)

    def two_are_four(r: Results) -> tuple[str, bool]:
        few, many = (_time(r, n, w, at(CONV, 1)) for n, w in ((LATSPEC, 2), (CONV, 4)))
        return f"{few:.3f} against {many:.3f}", few <= many

    def best_shape(program: str, name: str, r: Results) -> str:
        times = {
            f"{w} x {s}": 1 / r.speedup(at(name, f"{w} x {s}"), program, at(CONV, "8 x 8"))
            for s, w in SHAPES
        }
        return min(times, key=lambda k: times[k])

    def named_shape(program: str, shape: str, r: Results) -> tuple[str, bool]:
        found = best_shape(program, CONV, r)
        return found, found == shape

    def gains(values: tuple[object, ...], r: Results) -> dict[object, float]:
        return {
            v: r.over(lambda p, v=v: r.speedup(at(LATSPEC, v), p, at(CONV, v)), "arithmetic")
            for v in values
        }

    def medium(r: Results) -> tuple[str, bool]:
        g = gains(SIZES, r)
        best = max(g, key=lambda v: g[v])
        shown = ", ".join(f"{v} {x:.3f}" for v, x in g.items())
        return shown, best not in (SIZES[0], SIZES[-1])

    def never_slower(r: Results) -> dict[str, float]:
        return {
            f"{short(p)} at {v}": r.speedup(at(LATSPEC, v), p, at(CONV, v))
            for v in LATENCIES
            for p in r.programs
        }

    def grows(r: Results) -> tuple[str, int, int]:
        right, shown = 0, []
        for program in ("dws/merge", "dws/kmeans"):
            g = [r.speedup(at(LATSPEC, v), program, at(CONV, v)) for v in (10, 300)]
            right += g[1] > g[0]
            shown.append(f"{short(program)} {g[0]:.2f} to {g[1]:.2f}")
        return ", ".join(shown), right, 2

    def width(value: Scalar) -> dict[str, Scalar]:
        return {"width": value}

    def shape_sets(width: int, warps: int) -> dict[str, Scalar]:
        return {"width": width, "warps": warps}

    return [
        Study(
            "maws-fig8", "Time by SIMD width, four warps", "MAWS Figure 8", DWS_PROGRAMS,
            swept("maws-bulk", THREE, WIDTHS, width),
            lambda r: [time_lines(r, "maws-fig8", "Time by width", "SIMD width", tuple(THREE),
                                  WIDTHS, at(CONV, 2), "arithmetic")],
            (
                holds("Conv saturates at 4 lanes", "4", saturates, why=SHAPE),
                partly("LazySplit and LatSpec are best at 8 lanes", "8", best_at_8, why=SHAPE),
            ), sizes=MAWS_SIZES,
        ),
        Study(
            "maws-fig9", "Time by the number of warps, 8 lanes", "MAWS Figure 9", DWS_PROGRAMS,
            swept("maws-bulk", THREE, WARPS, lambda w: {"warps": w}),
            lambda r: [time_lines(r, "maws-fig9", "Time by warps", "warps", tuple(THREE), WARPS,
                                  at(CONV, 1), "arithmetic")],
            (
                holds("more warps help", "each step", more_warps_help, why=SHAPE),
                holds("LatSpec with two warps is as fast as Conv with four", "yes", two_are_four,
                      why=SPLITS_SELDOM),
            ), sizes=MAWS_SIZES,
        ),
        Study(
            "maws-fig10", "Time by the shape of 64 contexts", "MAWS Figure 10", DWS_PROGRAMS,
            {at(n, f"{w} x {s}"): Config("maws-coherent", p, shape_sets(s, w))
             for n, p in THREE.items() for s, w in SHAPES},
            lambda r: [time_lines(r, "maws-fig10", "Time by shape", "warps x lanes", tuple(THREE),
                                  [f"{w} x {s}" for s, w in SHAPES], at(CONV, "8 x 8"),
                                  "arithmetic")],
            (
                holds("KMeans is best as 1 x 64", "1 x 64",
                      partial(named_shape, "dws/kmeans", "1 x 64"), why=SHAPE),
                holds("Merge is best as 16 x 4", "16 x 4",
                      partial(named_shape, "dws/merge", "16 x 4"), why=SHAPE),
            ), sizes=MAWS_SIZES,
        ),
        Study(
            "maws-fig11", "Time by the size of the D-cache", "MAWS Figure 11", DWS_PROGRAMS,
            swept("maws-bulk", THREE, SIZES, lambda s: {"l1d.size": s}),
            lambda r: [time_lines(r, "maws-fig11", "Time by cache", "D-cache", tuple(THREE), SIZES,
                                  at(CONV, SIZES[0]), "arithmetic")],
            (holds("the gain is largest at medium sizes", "medium", medium,
                   why=SPLITS_SELDOM),), sizes=MAWS_SIZES,
        ),
        Study(
            "maws-fig12", "Time by the last level's latency", "MAWS Figure 12", DWS_PROGRAMS,
            swept("maws-coherent", THREE, LATENCIES, lambda n: {"l2.hit_latency": n}),
            lambda r: [time_lines(r, "maws-fig12", "Time by latency",
                                  "lookup of the last level, cycles", tuple(THREE), LATENCIES,
                                  at(CONV, 10), "arithmetic")],
            (
                least("MAWS never takes longer than Conv", "always", never_slower, slack=0.005,
                      why=STARVED),
                partly("the gain grows with latency for Merge and KMeans", "grows", grows,
                       why=SPLITS_SELDOM),
            ), sizes=MAWS_SIZES,
        ),
        area_study(
            "maws", "MAWS 5.4.1", "maws-intro16k", 0.02, title="Area of the warp-split tables"
        ),
    ]  # fmt: skip


def studies() -> list[Study]:
    """Return the report's figures in its order; its Table 2 is a characterisation."""
    return [
        _intro(),
        degrees(),
        _bars("a", "maws-bulk", "bulk-synchronous", 1.12, 1.15, 1.6, 0.87),
        _bars("b", "maws-coherent", "coherent", 1.07, 1.17, 1.9, 0.92),
        *sensitivity(),
    ]
