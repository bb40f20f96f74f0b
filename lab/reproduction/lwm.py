"""The figures of the LWM paper. Its averages are taken as geometric means (Q-LWM-21)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ...timing.machines.machine import load
from ...timing.results.energy.area import area_of
from ..runs.run import KernelLaunch
from .claims import holds, number, partly, unknown
from .figure import Figure, series
from .results import Config, Mean, Results, mean, short
from .sets import LWM_BRANCHING, LWM_PROGRAMS, LWM_WAITING, MEANS
from .study import Study

BASE, TWO_LEVEL, LARGE, BOTH, DWF = "Baseline", "2Lev", "LWM", "LWM+2Lev", "DWF"
MAJORITY, PDOM = "DWF majority", "DWF pdom"
NINE = {
    BASE: "conv", TWO_LEVEL: "two-level", LARGE: "lwm", BOTH: "lwm+two-level",
    MAJORITY: "dwf.majority", PDOM: "dwf.pdom",
}  # fmt: skip
PARTS = ("0", "1-7", "8-15", "16-23", "24-31", "32")

INPUTS = (
    "the paper gives no inputs; `simtlab explain divergences`, LWM, says which programs wait for "
    "banks of memory and which for latencies"
)


BRANCHES = (
    "the paper gives no inputs; how often lanes part depends on them (`simtlab reproduce lwm-tab2`)"
)
SCHEDULES = (
    "where little diverges warp formation acts as a scheduler: majority keeps warps at one PC "
    "together, which helps MatrixMult and Histogram as fetch groups do; it loses where warps wait "
    "for memory, as in bfs (0.4)"
)
FEW_WARPS = unknown(
    "with 512 work-items a warp there are two warps, and the programs that branch keep more lanes "
    "together than lose cycles (S-LWM-X4 has the arithmetic)"
)
ALWAYS_MASKED = (
    "rows for memory matter where accesses have partial masks; which programs have them depends on "
    "the inputs, which the paper does not give"
)
JUMPS = (
    "a jump of a full warp saves seven cycles (`simtlab reproduce lwm-micro`), so that the gain is "
    "the share of jumps, which the compiler decides"
)
FETCH_ORDER = (
    "fetch groups also decide the order in which warps reach memory and leave its open rows "
    "(`simtlab explain divergences`, LWM)"
)
ROWS = "a row of lanes takes a cycle, and a full warp of 256 has eight"
BITS = "the number is a sum of table widths; `simtlab machines lwm --area` prints its parts"


def _speedup(column: str, program: str, results: Results) -> float:
    if column == DWF:
        return max(results.speedup(c, program, BASE) for c in (MAJORITY, PDOM))
    return results.speedup(column, program, BASE)


def _mean(column: str, kind: Mean, results: Results, programs: Sequence[str] = ()) -> float:
    return mean((_speedup(column, p, results) for p in programs or results.programs), kind)


def _geometric(column: str, results: Results) -> float:
    return _mean(column, "geometric", results)


def _ipc_bars(results: Results, name: str, columns: Sequence[str]) -> Figure:
    shorts = {short(p): p for p in results.programs}
    values = series(columns, tuple(shorts), lambda c, p: results.ipc(c, shorts[p]))
    return Figure(name, "Instructions of work-items a cycle", "bars", "program", "IPC",
                  tuple(shorts), values)  # fmt: skip


def _mean_bars(results: Results, name: str, columns: Sequence[str]) -> Figure:
    shorts = {short(p): p for p in results.programs}

    def value(column: str, category: str) -> float:
        if category in MEANS:
            return _mean(column, MEANS[category], results)
        return _speedup(column, shorts[category], results)

    categories = (*shorts, "g-mean", "mean", "h-mean")
    return Figure(name, "Speedups over the baseline", "bars", "program", "speedup", categories,
                  series(columns, categories, value), rule=1.0, digits=3)  # fmt: skip


def _units(results: Results, column: str, name: str) -> Figure:
    shorts = {short(p): p for p in results.programs}
    values = series(
        PARTS, tuple(shorts), lambda part, p: results(column, shorts[p]).utilisation[part]
    )
    return Figure(name, f"{column}: cycles by active units", "stacks", "program",
                  "share of cycles", tuple(shorts), values)  # fmt: skip


def _partial(column: str, program: str, results: Results) -> float:
    found = results(column, program).utilisation
    return sum(share for part, share in found.items() if part not in ("0", "32"))


def _idle(column: str, program: str, results: Results) -> float:
    return results(column, program).utilisation["0"]


def _figure_1() -> Study:
    def left(r: Results) -> tuple[str, int, int]:
        found = {short(p): _partial(BASE, p, r) for p in LWM_BRANCHING}
        return _shares(found), sum(x > 0.3 for x in found.values()), len(found)

    def right(r: Results) -> tuple[str, int, int]:
        found = {short(p): _idle(BASE, p, r) for p in LWM_WAITING}
        return _shares(found), sum(x > 0.2 for x in found.values()), len(found)

    return Study(
        "lwm-fig1", "Active units of the baseline", "LWM Figure 1", LWM_PROGRAMS,
        {BASE: Config("lwm")}, lambda r: [_units(r, BASE, "lwm-fig1")],
        (
            partly("cycles with a part of the units in the programs that branch", "many", left,
                   why=BRANCHES),
            partly("idle cycles in the programs that wait", "many", right, why=INPUTS),
            number("bfs is idle", 0.95, partial(_idle, BASE, "lwm/bfs"), neutral=None, form=".0%",
                   why=INPUTS),
        ),
    )  # fmt: skip


def _shares(found: dict[str, float]) -> str:
    return ", ".join(f"{name} {share:.0%}" for name, share in found.items())


def _gains(column: str, programs: Sequence[str], least: float, r: Results) -> tuple[str, int, int]:
    found = {short(p): _speedup(column, p, r) for p in programs}
    shown = ", ".join(f"{name} {x:.2f}" for name, x in found.items())
    return shown, sum(x >= least for x in found.values()), len(found)


def _figures_9_and_10() -> list[Study]:
    configs = {name: Config("lwm", policy) for name, policy in NINE.items()}
    columns = (TWO_LEVEL, LARGE, BOTH, DWF)

    def shifts(r: Results) -> tuple[str, int, int]:
        found = {short(p): _partial(LARGE, p, r) - _partial(BASE, p, r) for p in LWM_BRANCHING}
        return _shares(found), sum(x < 0 for x in found.values()), len(found)

    def cuts(r: Results) -> tuple[str, int, int]:
        found = {short(p): _idle(TWO_LEVEL, p, r) - _idle(BASE, p, r) for p in LWM_WAITING}
        return _shares(found), sum(x < 0 for x in found.values()), len(found)

    def loses(r: Results) -> tuple[str, bool]:
        value = _geometric(DWF, r)
        return f"{value:.3f}", value < 1

    return [
        Study(
            "lwm-fig9", "Large warps, two-level scheduling, both, and warp formation",
            "LWM Figure 9", LWM_PROGRAMS, configs,
            lambda r: [_ipc_bars(r, "lwm-fig9", tuple(NINE)),
                       _mean_bars(r, "lwm-fig9-speedups", columns)],
            (
                number("large warps, mean", 1.076, partial(_geometric, LARGE), form=".3f",
                       why=INPUTS),
                number("two-level, mean", 1.101, partial(_geometric, TWO_LEVEL), form=".3f",
                       why=INPUTS),
                number("both, mean", 1.170, partial(_geometric, BOTH), form=".3f", why=INPUTS),
                holds("warp formation is below the baseline", "below 1", loses, why=SCHEDULES),
                partly("large warps help the four that branch", "clearly",
                       partial(_gains, LARGE, LWM_BRANCHING, 1.03), why=BRANCHES),
                partly("two-level helps those that wait", "clearly",
                       partial(_gains, TWO_LEVEL, LWM_WAITING, 1.03), why=INPUTS),
            ),
            note="DWF is the better of its priorities. bfs has a scale of its own in the paper.",
        ),
        Study(
            "lwm-fig10", "Active units under each policy", "LWM Figure 10", LWM_PROGRAMS,
            {name: configs[name] for name in (BASE, TWO_LEVEL, LARGE, BOTH)},
            lambda r: [_units(r, c, f"lwm-fig10-{i}")
                       for i, c in enumerate((BASE, TWO_LEVEL, LARGE, BOTH), 1)],
            (
                partly("large warps leave fewer cycles with a part of the units", "fewer", shifts,
                       why=BRANCHES),
                partly("two-level leaves fewer idle cycles", "fewer", cuts, why=INPUTS),
            ),
        ),
    ]  # fmt: skip


# ---------------------------------------------------------------------------- Figures 11 to 14

SIZES = (64, 128, 256, 512)
GROUPS = (1, 2, 4, 8, 16, 32)
COMBINED = (
    ("2Lev8", 32, 8), ("LWM64+2Lev8", 64, 8), ("LWM128+2Lev4", 128, 4), ("LWM256+2Lev2", 256, 2),
    ("LWM512+2Lev1", 512, 1),
)  # fmt: skip


def _means(results: Results, columns: Sequence[str]) -> dict[str, float]:
    return {c: _geometric(c, results) for c in columns}


def _shown(found: dict[str, float]) -> str:
    return ", ".join(f"{name} {x:.3f}" for name, x in found.items())


def _figure_11() -> Study:
    names = tuple(f"LWM{n}" for n in SIZES)

    def grows(r: Results) -> tuple[str, bool]:
        found = _means(r, names)
        values = list(found.values())
        return _shown(found), values[:3] == sorted(values[:3])

    def slightly_worse(r: Results) -> tuple[str, bool]:
        found = _means(r, names)
        return _shown(found), found[names[3]] < found[names[2]]

    return Study(
        "lwm-fig11", "The size of large warps", "LWM Figure 11", LWM_PROGRAMS,
        {BASE: Config("lwm"),
         **{name: Config("lwm", "lwm", {"policy.warp": n})
            for name, n in zip(names, SIZES, strict=True)}},
        lambda r: [_ipc_bars(r, "lwm-fig11", (BASE, *names))],
        (
            holds("the gain grows up to 256", "256", grows, why=INPUTS),
            holds("512 is slightly worse", "slightly", slightly_worse, why=FEW_WARPS),
        ),
    )  # fmt: skip


def _figure_12() -> Study:
    off = {
        "LWM": {}, "no rows for memory": {"policy.memory-rows": False},
        "jumps of all rows": {"policy.jump-once": False},
    }  # fmt: skip

    def change(name: str, r: Results) -> float:
        return 1 - r.mean_speedup(name, "LWM", "geometric")

    return Study(
        "lwm-fig12", "The optimisations of large warps", "LWM Figure 12", LWM_PROGRAMS,
        {name: Config("lwm", "lwm", sets) for name, sets in off.items()},
        lambda r: [_ipc_bars(r, "lwm-fig12", tuple(off))],
        (
            holds("rows for memory make no difference", "negligible",
                  lambda r: (f"{change('no rows for memory', r):+.1%}",
                             abs(change("no rows for memory", r)) < 0.01), why=ALWAYS_MASKED),
            number("jumps in one cycle gain", 0.01, partial(change, "jumps of all rows"),
                   neutral=0, form=".1%", why=JUMPS),
        ),
    )  # fmt: skip


def _figure_13() -> Study:
    names = tuple(f"2Lev{n}" for n in GROUPS)

    def flat(r: Results) -> tuple[str, int, int]:
        spans = {}
        for program in LWM_BRANCHING:
            found = [_speedup(n, program, r) for n in names]
            spans[short(program)] = max(found) / min(found) - 1
        return _shares(spans), sum(s < 0.05 for s in spans.values()), len(spans)

    def eight_is_best(r: Results) -> tuple[str, bool]:
        found = {n: _mean(n, "geometric", r, LWM_WAITING) for n in names}
        return _shown(found), max(found, key=lambda n: found[n]) == "2Lev8"

    return Study(
        "lwm-fig13", "The size of fetch groups", "LWM Figure 13", LWM_PROGRAMS,
        {BASE: Config("lwm"),
         **{n: Config("lwm", "two-level", {"fetch_group": g})
            for n, g in zip(names, GROUPS, strict=True)}},
        lambda r: [_ipc_bars(r, "lwm-fig13", (BASE, *names))],
        (
            partly("flat for the programs that branch", "flat", flat, why=FETCH_ORDER),
            holds("8 is best for the programs that wait", "8", eight_is_best, why=INPUTS),
        ),
    )  # fmt: skip


def _figure_14() -> Study:
    names = tuple(name for name, _, _ in COMBINED)

    def best(r: Results) -> tuple[str, bool]:
        found = _means(r, names)
        return _shown(found), max(found, key=lambda n: found[n]) == "LWM256+2Lev2"

    def config(warp: int, group: int) -> Config:
        if warp == 32:
            return Config("lwm", "two-level", {"fetch_group": group})
        return Config("lwm", "lwm+two-level", {"policy.warp": warp, "fetch_group": group})

    return Study(
        "lwm-fig14", "Both mechanisms by the size of warps", "LWM Figure 14", LWM_PROGRAMS,
        {BASE: Config("lwm"), **{name: config(warp, group) for name, warp, group in COMBINED}},
        lambda r: [_ipc_bars(r, "lwm-fig14", (BASE, *names)),
                   _mean_bars(r, "lwm-fig14-speedups", names)],
        (holds("LWM256+2Lev2 is best in the mean", "LWM256+2Lev2", best, why=INPUTS),),
    )  # fmt: skip


def _hardware() -> Study:
    return Study(
        "lwm-hw", "Storage of large warps", "LWM 3.3", (), {}, lambda r: [],
        (
            number("bytes for warps of 256", 96, lambda r: area_of(load("lwm")).lwm_bits / 8,
                   neutral=None, form=".0f", why=BITS),
        ),
        note="`simtlab machines lwm --area` prints the decoders too.",
    )  # fmt: skip


JUMP = str(Path(__file__).with_name("jump.sasm"))
"""A kernel with one jump; a launch of 256 work-items is one large warp, which is full."""


def _micro() -> Study:
    ways = {"one sub-warp": True, "a sub-warp for each row": False}
    launch = KernelLaunch(items=(256,), group_size=(256,))
    configs = {
        name: Config("lwm", "lwm", {"policy.jump-once": once}, launch=launch)
        for name, once in ways.items()
    }

    def bars(r: Results) -> list[Figure]:
        values = series(("cycles",), tuple(ways), lambda _, way: r.cycles(way, JUMP))
        return [Figure("lwm-micro", "A jump of a full warp of 256", "bars", "the jump takes",
                       "cycles of the launch", tuple(ways), values, digits=0)]  # fmt: skip

    def saved(r: Results) -> float:
        once, every = (r.cycles(way, JUMP) for way in ways)
        return every - once

    return Study(
        "lwm-micro", "An unconditional jump of a large warp", "LWM 3.1.2", (JUMP,), configs, bars,
        (number("cycles that a jump of a full warp of 256 saves", 7, saved, neutral=None,
                form=".0f", why=ROWS),),
        note="The kernel is one warp of three instructions.",
    )  # fmt: skip


def studies() -> list[Study]:
    """Return the paper's figures in its order; its Table 2 is a characterisation."""
    return [
        _figure_1(), *_figures_9_and_10(), _figure_11(), _figure_12(), _figure_13(), _figure_14(),
        _hardware(), _micro(),
    ]  # fmt: skip
