"""Figures 19 to 21 and 5.6: energy, scheduler slots, entries and area."""

from __future__ import annotations

from functools import partial

from ..area import area_study
from ..claims import at_most, holds, number
from ..figure import Figure, series
from ..results import Config, Results, short
from ..sets import DWS_PROGRAMS, policies, speedup_bars
from ..study import Study
from .common import BYPASS, CONV, DWS, THREE, listed
from .reasons import ENERGY, FEW_SPLITS, SLIP_ENERGY

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
        return f"best with {best}: {listed(found, 3)}", best not in (slots[0], slots[-1])

    def saturates(r: Results) -> tuple[str, bool]:
        found = {e: r.mean_speedup(e, CONV, "harmonic") for e in entries}
        values = list(found.values())
        flat = abs(values[2] - values[-1]) < 0.01
        return listed(found, 3), flat and max(values) - values[2] < 0.01

    def loss(r: Results) -> float:
        return 1 - r.mean_speedup("limited", "unlimited", "harmonic")

    revive = "dws.revive-split"
    return [
        Study(
            "dws-fig19", "Energy", "DWS Figure 19", DWS_PROGRAMS, policies("dws", THREE),
            lambda r: [_energy_bars(r)],
            (
                number("DWS saves", 0.30, partial(_saving, DWS), neutral=0, form=".1%",
                       why=ENERGY),
                number("Slip.BranchBypass saves", 0.05, partial(_saving, BYPASS), neutral=0,
                       form=".1%", why=SLIP_ENERGY),
                holds("savings follow speedups", "yes", _savings_follow, why=ENERGY),
            ),
            note="Energies per event are estimates (Q-DWS-42); `simtlab time` prints the parts.",
        ),
        Study(
            "dws-fig20", "DWS by scheduler slots", "DWS Figure 20", DWS_PROGRAMS,
            {CONV: Config("dws"),
             **{s: Config("dws", revive, {"slots": n, "wst_entries": 0})
                for s, n in zip(slots, SLOTS, strict=True)}},
            lambda r: [_limit_bars(r, "dws-fig20", "scheduler slots", slots)],
            (holds("a moderate number of slots is best", "yes", moderate, why=FEW_SPLITS),),
            note="Four slots are those of Conv's four warps. The warp-split table is unlimited.",
        ),
        Study(
            "dws-fig21", "DWS by entries of the warp-split table", "DWS Figure 21", DWS_PROGRAMS,
            {CONV: Config("dws"), BYPASS: Config("dws", "slip.branch-bypass"),
             **{e: Config("dws", revive, {"wst_entries": n})
                for e, n in zip(entries, ENTRIES, strict=True)}},
            lambda r: [_limit_bars(r, "dws-fig21", "entries, with 8 slots", entries)],
            (holds("the gain saturates at twice the slots", "16 entries", saturates,
                   why=FEW_SPLITS),),
        ),
        Study(
            "dws-lim", "The loss by limits", "DWS 5.6", DWS_PROGRAMS,
            {"limited": Config("dws", revive),
             "unlimited": Config("dws", revive, {"slots": 0, "wst_entries": 0})},
            lambda r: [
                speedup_bars(r, "dws-lim", "Limits", ("limited",), "unlimited", "harmonic")
            ],
            (at_most("8 slots and 16 entries cost", "below 1%", 0.01, loss, form=".1%",
                      why=FEW_SPLITS),),
        ),
        area_study("dws", "DWS 5.6", "dws", 0.01, title="Area of the warp-split table"),
    ]  # fmt: skip
