"""The figures of the DWS paper. Means are harmonic, as the paper says of all of its own (3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ...timing.machines.machine import load
from ...timing.results.energy.area import area_of
from ..runs.run import Scalar
from .claims import Claim, at_most, holds, least, number, partly
from .figure import Figure, series
from .results import Config, Results, mean, or_none, short
from .sets import DWS_PROGRAMS, at, policies, speedup_bars, swept, time_lines
from .study import Study

CONV, DWS, BYPASS = "Conv", "DWS", "Slip.BranchBypass"
THREE = {CONV: "conv", DWS: "dws.revive-split", BYPASS: "slip.branch-bypass"}
TWO = {CONV: "conv", DWS: "dws.revive-split"}

PERSISTENT = (
    "with the tasks of a warp on neighbouring elements, few misses are divergent and Conv waits "
    "half as long as in the paper; lessons/table1 has the paper's rates, and its gain "
    "(`simtlab explain divergences`)"
)
NEVER_MEET = (
    "the programs are persistent loops, in which splits of a warp have no point to meet but equal "
    "PCs; `simtlab explain divergences`, 'Unrelenting subdivision'"
)


def contexts(width: int, warps: Scalar) -> dict[str, Scalar]:
    """Return the fields of a WPU of so many contexts, with slots and table in proportion."""
    slots = max(8, 2 * int(warps))
    return {"width": width, "warps": warps, "slots": slots, "wst_entries": 2 * slots}


# ------------------------------------------------------------------------------ Figure 1: Conv

WIDTHS = (1, 2, 4, 8, 16)
WAYS = (4, 8, 16, 32, 0)
WARPS = (1, 2, 4, 8, 16, 32)


def _ways(value: object) -> str:
    return str(value or "full")


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


def _listed(values: Mapping[str, float], digits: int = 2) -> str:
    return ", ".join(f"{name} {value:.{digits}f}" for name, value in values.items())


def figure_1() -> list[Study]:
    """Figure 1 and the paper's footnote 2: where a wider or deeper Conv stops to gain."""
    widths = tuple(map(str, WIDTHS))
    ways = tuple(map(_ways, WAYS))
    warps = tuple(map(str, WARPS))
    conv = {CONV: "conv"}

    def width_falls_then_rises(r: Results) -> tuple[str, bool]:
        t = _times(r, widths)
        return _listed(t), _best(t) != widths[-1] and t[widths[1]] < t[widths[0]]

    def wait_grows(r: Results) -> tuple[str, bool]:
        waits = {w: _waits(r, w) for w in widths}
        found = list(waits.values())
        return _listed(waits), found == sorted(found) and found[-1] > 0.5

    def too_many_warps(r: Results) -> tuple[str, bool]:
        t = _times(r, warps)
        return f"best at {_best(t)}: {_listed(t)}", _best(t) not in (warps[0], warps[-1])

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
            {at(CONV, _ways(w)): Config("dws", sets={"l1d.ways": w}) for w in WAYS},
            lambda r: [_time_parts(r, "dws-fig1b", "Conv, 4 x 16", "ways of the D-cache", ways)],
            (
                holds(
                    "waiting stays significant with full associativity", "yes",
                    lambda r: (f"{_waits(r, 'full'):.0%} of the slots", _waits(r, "full") > 0.25),
                ),
            ),
        ),
        Study(
            "dws-fig1c", "Conv: time by the number of 8-wide warps", "DWS Figure 1c", DWS_PROGRAMS,
            {at(CONV, w): Config("dws", sets=contexts(8, w)) for w in WARPS},
            lambda r: [_time_parts(r, "dws-fig1c", "Conv, 8 lanes", "warps", warps)],
            (
                holds("a few warps help, too many cost time", "optimum inside", too_many_warps),
            ),
            note="The axis is not legible in the text at hand (Q-DWS-46): 1 to 32 warps.",
        ),
        Study(
            "dws-fn2", "Conv: the number of warps, with misses of 300 cycles",
            "DWS footnote 2", DWS_PROGRAMS,
            swept("dws", conv, WARPS, lambda w: {**contexts(8, w), "l2.hit_latency": 300}),
            lambda r: [_time_parts(r, "dws-fn2", "Conv, 8 lanes, 300 cycles", "warps", warps)],
            (holds("the optimum moves to 8 or 16 warps", "8 or 16", optimum_moves),),
        ),
    ]  # fmt: skip


# ------------------------------------------------------------------- Figures 7, 11, 13: variants

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
    return _listed({p: found[p] for p in named}), len(below), len(named)


def _bypass_worse_on_kmeans(results: Results) -> tuple[str, bool]:
    a = results.speedup(BYPASS, "dws/kmeans", CONV)
    b = results.speedup("Slip", "dws/kmeans", CONV)
    return f"{a:.2f} against {b:.2f}", a < b


def _order(results: Results) -> tuple[str, bool]:
    columns = ("ReviveSplit", "Revive.MemOnly", "BranchOnly")
    found = {c: _hmean(c, results) for c in columns}
    values = list(found.values())
    return _listed(found, 3), values[0] > max(values[1:]) and min(values[1:]) > 1


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
                      partial(_all_speedups, "PC"), slack=0.005),
                holds("merging by the stack alone harms KMeans", "mean width 4",
                      _stack_hurts_kmeans),
                number("KMeans' mean width with PCs", 9, _pc_width, neutral=None, form=".1f",
                       why="lanes compare distances in a loop whose memory accesses they share"),
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
                        form=".3f")
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
                holds("ReviveSplit > MemOnly and BranchOnly > 1", "1.71, 1.20, 1.13", _order),
                least("ReviveSplit harms no program", "never below 1",
                      partial(_all_speedups, "ReviveSplit"), slack=0.005, why=NEVER_MEET),
                holds("AggressSplit loses", "below 1", partial(_degrade, "AggressSplit"),
                      why=PERSISTENT),
                holds("LazySplit loses", "below 1", partial(_degrade, "LazySplit"),
                      why=PERSISTENT),
                holds("Slip beats ReviveSplit in Filter only", "filter", _slip_only_filter),
                holds("Slip often loses", "often below 1", _slip_often_loses),
                partly("Slip.BranchBypass harms KMeans, Short and FFT", "below 1", _bypass_loses),
                holds("Slip.BranchBypass is worse than Slip on KMeans", "yes",
                      _bypass_worse_on_kmeans),
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
                       form=".1f"),
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


# --------------------------------------------------------------------------- Figure 14: who misses


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
    return f"spread over mean: {_listed(found)}", len(uneven), len(found)


def figure_14() -> Study:
    """Figure 14: misses by thread."""
    return Study(
        "dws-fig14", "Misses that stall other threads, by thread", "DWS Figure 14", DWS_PROGRAMS,
        {CONV: Config("dws")}, lambda r: [_miss_map(r, p) for p in r.programs],
        (partly("threads miss unevenly", "in every benchmark", _uneven),),
        note="Each map is in units of its largest count.",
    )  # fmt: skip


# ---------------------------------------------------------------- Figures 15 to 17: caches, latency

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
    ways, sizes = tuple(map(_ways, WAYS)), tuple(f"{n}KiB" for n in SIZES)
    latencies = tuple(map(str, LATENCIES))

    def shrinks(labels: tuple[str, ...], r: Results) -> tuple[str, bool]:
        g = _gains(r, labels)
        return _listed(g, 3), g[labels[-1]] < max(g.values()) and g[labels[-1]] < g[labels[1]]

    def grows(r: Results) -> tuple[str, bool]:
        g = _gains(r, latencies)
        values = list(g.values())
        return _listed(g, 3), values == sorted(values)

    def doubling(r: Results) -> float:
        return r.mean_speedup(at(CONV, "64KiB"), at(DWS, "32KiB"), "harmonic")

    return [
        Study(
            "dws-fig15", "DWS by associativity of the D-cache", "DWS Figure 15", DWS_PROGRAMS,
            {at(n, _ways(w)): Config("dws", p, {"l1d.ways": w})
             for n, p in TWO.items() for w in WAYS},
            lambda r: [_gain_lines(r, "dws-fig15", "ways", ways)],
            (holds("the gain shrinks with associativity", "yes", partial(shrinks, ways)),),
        ),
        Study(
            "dws-fig16", "DWS by the second level's latency", "DWS Figure 16", DWS_PROGRAMS,
            swept("dws", TWO, LATENCIES, lambda n: {"l2.hit_latency": n}),
            lambda r: [
                time_lines(r, "dws-fig16", "Time by latency", "lookup of the second level, cycles",
                           tuple(TWO), LATENCIES, at(CONV, 10), "harmonic"),
                _gain_lines(r, "dws-fig16-gain", "lookup of the second level, cycles", latencies),
            ],
            (holds("the gain grows with latency", "yes", grows),),
        ),
        Study(
            "dws-fig17", "DWS by the size of the D-cache", "DWS Figure 17", DWS_PROGRAMS,
            {at(n, s): Config("dws", p, {"l1d.size": s}) for n, p in TWO.items() for s in sizes},
            lambda r: [_gain_lines(r, "dws-fig17", "D-cache", sizes)],
            (
                holds("the gain shrinks with the cache", "yes", partial(shrinks, sizes)),
                number("gain with 128 KB", 1.0, lambda r: _gain_at(r, "128KiB"), neutral=None,
                       form=".3f"),
                number("time of Conv with 64 KB over DWS with 32 KB: DWS is worth a doubling", 1.0,
                       lambda r: 1 / doubling(r), neutral=None, form=".3f"),
            ),
        ),
    ]  # fmt: skip


# ------------------------------------------------------------------- Figure 18: width times warps

GRID_WIDTHS = (1, 2, 4, 8, 16)
GRID_WARPS = (1, 2, 4, 8, 16)
CACHES = {
    "a": ("8 ways, 32 KB", {"l1d.ways": 8, "l1d.size": "32KiB"}),
    "b": ("fully associative, 32 KB", {"l1d.ways": 0, "l1d.size": "32KiB"}),
    "c": ("8 ways, 256 KB", {"l1d.ways": 8, "l1d.size": "256KiB"}),
    "d": ("fully associative, 256 KB", {"l1d.ways": 0, "l1d.size": "256KiB"}),
}


def _shape(warps: int, width: int) -> str:
    return f"{warps} x {width}"


def _grid(cache: Mapping[str, Scalar]) -> dict[str, Config]:
    """At width 1 no policy can differ from Conv, so that one simulation serves all."""
    return {
        at(name, _shape(m, w)): Config(
            "dws", policy if w > 1 else "conv",
            {**contexts(w, m), **cache, "l2.size": "4MiB"},
        )
        for name, policy in THREE.items() for w in GRID_WIDTHS for m in GRID_WARPS
    }  # fmt: skip


def _grid_speedup(results: Results, name: str, shape: str) -> float:
    return results.mean_speedup(at(name, shape), at(CONV, _shape(1, 1)), "harmonic")


def _grid_map(results: Results, key: str, name: str) -> Figure:
    return Figure(
        f"dws-fig18{key}-{name.lower()}", f"{name}: {CACHES[key][0]}", "map",
        "SIMD width", "warps", tuple(map(str, GRID_WIDTHS)),
        {
            str(m): series(
                (str(m),), tuple(map(str, GRID_WIDTHS)),
                lambda row, column: _grid_speedup(results, name, _shape(int(row), int(column))),
            )[str(m)]
            for m in GRID_WARPS
        },
    )  # fmt: skip


def _wide_gain(results: Results) -> tuple[str, int, int]:
    shapes = [_shape(m, w) for w in GRID_WIDTHS if w >= 8 for m in GRID_WARPS]
    worse = [
        s for s in shapes
        if _grid_speedup(results, DWS, s) < 0.995 * _grid_speedup(results, CONV, s)
    ]  # fmt: skip
    return f"worse at {', '.join(worse) or 'none'}", len(shapes) - len(worse), len(shapes)


def _budget(results: Results) -> float:
    shapes = [_shape(m, w) for m in GRID_WARPS for w in GRID_WIDTHS if m * w <= 32]
    best = {n: max(_grid_speedup(results, n, s) for s in shapes) for n in (CONV, DWS)}
    return best[DWS] / best[CONV]


def _slip_scales_badly(results: Results) -> tuple[str, bool]:
    slip, conv = (_grid_speedup(results, n, _shape(4, 16)) for n in (BYPASS, CONV))
    return f"{slip:.2f} against {conv:.2f} at 4 x 16", slip < conv


def _matters_little(results: Results) -> float:
    shape = _shape(4, 16)
    return _grid_speedup(results, DWS, shape) / _grid_speedup(results, CONV, shape)


def figure_18() -> list[Study]:
    """Figure 18: three policies on machines of every shape, with four caches."""
    claims: dict[str, tuple[Claim, ...]] = {
        "a": (
            number("best DWS over best Conv within 32 threads", 1.2, _budget, why=PERSISTENT),
            holds("Slip.BranchBypass may be below Conv", "yes", _slip_scales_badly),
        ),
        "d": (at_most("DWS matters little at 4 x 16", "little", 1.1, _matters_little),),
    }
    return [
        Study(
            f"dws-fig18{key}", f"Three policies by width and warps: {title}", f"DWS Figure 18{key}",
            DWS_PROGRAMS, _grid(cache),
            lambda r, k=key: [_grid_map(r, k, name) for name in THREE],
            (
                partly("DWS is not below Conv where warps are 8 lanes or wider", "yes", _wide_gain,
                       why=NEVER_MEET),
                *claims.get(key, ()),
            ),
            note="Speedup over one warp of one lane with the same cache; harmonic mean.",
        )
        for key, (title, cache) in CACHES.items()
    ]  # fmt: skip


# ------------------------------------------------------------- Figures 19 to 21: energy, hardware

SLOTS = (4, 6, 8, 12, 16, 32, 64)
ENTRIES = (4, 8, 16, 32, 64)


def _energy_bars(results: Results) -> Figure:
    shorts = {short(p): p for p in results.programs}
    columns = (DWS, BYPASS)

    def value(column: str, category: str) -> float:
        if category == "h-mean":
            return 1 - _saving(column, results)
        program = shorts[category]
        return results.energy(column, program) / results.energy(CONV, program)

    return Figure(
        "dws-fig19", "Energy", "bars", "program", "energy over Conv's", (*shorts, "h-mean"),
        series(columns, (*shorts, "h-mean"), value), rule=1.0, digits=3,
    )  # fmt: skip


def _saving(column: str, results: Results) -> float:
    def ratio(program: str) -> float:
        return results.energy(column, program) / results.energy(CONV, program)

    return 1 - results.over(ratio, "harmonic")


def _savings_follow(results: Results) -> tuple[str, bool]:
    speed = results.speedups(DWS, CONV)
    saved = {
        short(p): 1 - results.energy(DWS, p) / results.energy(CONV, p) for p in results.programs
    }
    best = max(speed, key=lambda p: speed[p])
    top = sorted(saved, key=lambda p: -saved[p])[:2]
    return f"fastest {best}; saves most {top[0]}", best in top


def _limit_bars(results: Results, name: str, x: str, labels: tuple[str, ...]) -> Figure:
    def value(row: str, label: str) -> float:
        column = CONV if row == CONV else (label if row == DWS else BYPASS)
        return results.mean_speedup(column, CONV, "harmonic")

    rows = (DWS, BYPASS) if BYPASS in results.configs else (DWS,)
    return Figure(
        name, "DWS with limited hardware", "lines", x, "speedup over Conv; harmonic mean", labels,
        series(rows, labels, value), rule=1.0, digits=3,
    )  # fmt: skip


def hardware() -> list[Study]:
    """Figures 19 to 21, and the text on limits and area."""
    slots = tuple(f"{n} slots" for n in SLOTS)
    entries = tuple(f"{n} entries" for n in ENTRIES)

    def moderate(r: Results) -> tuple[str, bool]:
        found = {s: r.mean_speedup(s, CONV, "harmonic") for s in slots}
        best = max(found, key=lambda s: found[s])
        return f"best with {best}: {_listed(found, 3)}", best not in (slots[0], slots[-1])

    def saturates(r: Results) -> tuple[str, bool]:
        found = {e: r.mean_speedup(e, CONV, "harmonic") for e in entries}
        values = list(found.values())
        flat = abs(values[2] - values[-1]) < 0.01
        return _listed(found, 3), flat and max(values) - values[2] < 0.01

    def loss(r: Results) -> float:
        return 1 - r.mean_speedup("limited", "unlimited", "harmonic")

    revive = "dws.revive-split"
    return [
        Study(
            "dws-fig19", "Energy", "DWS Figure 19", DWS_PROGRAMS, policies("dws", THREE),
            lambda r: [_energy_bars(r)],
            (
                number("DWS saves", 0.30, partial(_saving, DWS), neutral=0, form=".1%",
                       why="energy follows time here as there, and there is less time to save"),
                number("Slip.BranchBypass saves", 0.05, partial(_saving, BYPASS), neutral=0,
                       form=".1%"),
                holds("savings follow speedups", "yes", _savings_follow),
            ),
            note="Energies per event are estimates (Q-DWS-42); `simtlab time` prints the parts.",
        ),
        Study(
            "dws-fig20", "DWS by scheduler slots", "DWS Figure 20", DWS_PROGRAMS,
            {CONV: Config("dws"),
             **{s: Config("dws", revive, {"slots": n, "wst_entries": 0})
                for s, n in zip(slots, SLOTS, strict=True)}},
            lambda r: [_limit_bars(r, "dws-fig20", "scheduler slots", slots)],
            (holds("a moderate number of slots is best", "yes", moderate),),
            note="Four slots are those of Conv's four warps. The warp-split table is unlimited.",
        ),
        Study(
            "dws-fig21", "DWS by entries of the warp-split table", "DWS Figure 21", DWS_PROGRAMS,
            {CONV: Config("dws"), BYPASS: Config("dws", "slip.branch-bypass"),
             **{e: Config("dws", revive, {"wst_entries": n})
                for e, n in zip(entries, ENTRIES, strict=True)}},
            lambda r: [_limit_bars(r, "dws-fig21", "entries, with 8 slots", entries)],
            (holds("the gain saturates at twice the slots", "16 entries", saturates),),
        ),
        Study(
            "dws-lim", "The loss by limits", "DWS 5.6", DWS_PROGRAMS,
            {"limited": Config("dws", revive),
             "unlimited": Config("dws", revive, {"slots": 0, "wst_entries": 0})},
            lambda r: [
                speedup_bars(r, "dws-lim", "Limits", ("limited",), "unlimited", "harmonic")
            ],
            (at_most("8 slots and 16 entries cost", "below 1%", 0.01, loss, form=".1%"),),
        ),
        Study(
            "dws-area", "Area of the warp-split table", "DWS 5.6", (), {}, lambda r: [],
            (at_most("share of a WPU", "below 1%", 0.01,
                     lambda r: area_of(load("dws")).share("dws"), form=".2%"),),
            note="`simtlab machines dws --area` prints the parts.",
        ),
    ]  # fmt: skip


def studies() -> list[Study]:
    """Return the paper's figures in its order; its Table 1 is a characterisation."""
    return [*figure_1(), *variants(), figure_14(), *caches(), *figure_18(), *hardware()]
