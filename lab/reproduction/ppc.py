"""The figures of the PPC paper: activity factors and instructions, which no timing changes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from .claims import at_most, holds, least, number, partly
from .figure import Figure, series
from .results import Results, mean, short
from .sets import PPC_STRUCTURED, PPC_UNSTRUCTURED, policies
from .study import Study

IPDOM, PPC, EXPLICIT, THREADS = "IPDOM", "PPC", "PPC explicit", "per-thread"


OTHER_PROGRAMS = (
    "the paper names none of its three programs; ours are four kinds of unstructured control flow, "
    "and how much each gains depends on how often its shared tail is reached from both sides"
)
MARKERS = (
    "implicit comparison executes no markers, which cost a program more the shorter its sides of "
    "branches are; the paper's programs and their compiler are not known"
)
LEVELS = (
    "paired paths compare the two PCs at the top of the stack, and once more for each level that "
    "ends in the same cycle"
)


def _activity(column: str, program: str, results: Results) -> float:
    stats = results(column, program)
    return stats.thread_instructions / (stats.warp_instructions * stats.width)


def _bars(results: Results, name: str, title: str, columns: Sequence[str]) -> Figure:
    shorts = {short(p): p for p in results.programs}
    return Figure(
        name, title, "bars", "program", "activity factor", tuple(shorts),
        series(columns, tuple(shorts), lambda c, p: _activity(c, shorts[p], results)), digits=3,
    )  # fmt: skip


def _gains(over: str, results: Results) -> dict[str, float]:
    return {
        short(p): _activity(PPC, p, results) / _activity(over, p, results) for p in results.programs
    }


def _mean_gain(over: str, results: Results) -> float:
    return mean(_gains(over, results).values(), "arithmetic") - 1


def _fewer(program: str, results: Results) -> float:
    counts = (results(c, program).warp_instructions for c in (PPC, EXPLICIT))
    implicit, explicit = counts
    return implicit / explicit


def _slightly(results: Results) -> tuple[str, int, int]:
    gains = _gains(EXPLICIT, results)
    shown = ", ".join(f"{p} {g - 1:+.1%}" for p, g in gains.items())
    return shown, sum(1 <= g < 1.1 for g in gains.values()), len(gains)


def _all_fewer(results: Results) -> tuple[str, int, int]:
    found = {short(p): _fewer(p, results) for p in results.programs}
    shown = ", ".join(f"{p} {x:.3f}" for p, x in found.items())
    return shown, sum(x <= 1 for x in found.values()), len(found)


def _comparisons(column: str, results: Results) -> float:
    return results.over(
        lambda p: results(column, p).pc_comparisons / results(column, p).warp_instructions,
        "arithmetic",
    )


def _two_pcs(results: Results) -> tuple[str, bool]:
    value = _comparisons(PPC, results)
    return f"{value:.2f} comparisons an instruction", value < 16


def studies() -> list[Study]:
    """Return the paper's figures in its order."""
    unstructured = {IPDOM: "conv", PPC: "ppc", EXPLICIT: "ppc-explicit"}
    structured = {PPC: "ppc", EXPLICIT: "ppc-explicit"}
    return [
        Study(
            "ppc-fig6", "Early re-convergence in unstructured programs", "PPC Figure 6",
            PPC_UNSTRUCTURED, policies("ppc", unstructured, warps=16),
            lambda r: [_bars(r, "ppc-fig6", "Activity factor", tuple(unstructured))],
            (
                number("mean gain of the activity factor", 0.1336, partial(_mean_gain, IPDOM),
                       neutral=0, form=".1%", why=OTHER_PROGRAMS),
                least("it grows in each program", "each", partial(_gains, IPDOM),
                      why=OTHER_PROGRAMS),
            ),
            note="The paper has three programs of its own, which it does not name; the four are "
            "ours. IPDOM is the stack with hardware re-convergence (Q-PPC-18); gains are relative "
            "(Q-PPC-17).",
        ),
        Study(
            "ppc-fig7", "Markers in structured programs: activity factor", "PPC Figure 7",
            PPC_STRUCTURED, policies("ppc", structured, warps=16),
            lambda r: [_bars(r, "ppc-fig7", "Activity factor", (EXPLICIT, PPC))],
            (partly("implicit comparison is slightly better", "slightly", _slightly, why=MARKERS),),
        ),
        Study(
            "ppc-fig8", "Markers in structured programs: instructions", "PPC Figure 8",
            PPC_STRUCTURED, policies("ppc", structured, warps=16), lambda r: [_instructions(r)],
            (
                partly("implicit comparison never needs more instructions", "at most 1",
                       _all_fewer, why=MARKERS),
                number("pathfinder needs fewer", 0.93, partial(_fewer, "ppc/pathfinder"),
                       why=MARKERS),
            ),
        ),
        Study(
            "ppc-hw", "Comparisons of PCs", "PPC III-A", PPC_UNSTRUCTURED,
            policies("ppc", {PPC: "ppc", THREADS: "per-thread"}, warps=16),
            lambda r: [_compared(r)],
            (
                at_most("comparisons an instruction with paired paths", "one a level", 2.0,
                        partial(_comparisons, PPC), why=LEVELS),
                holds("fewer than one for each of 16 threads", "16", _two_pcs, why=LEVELS),
            ),
        ),
    ]  # fmt: skip


def _instructions(results: Results) -> Figure:
    shorts = {short(p): p for p in results.programs}
    values = series(("implicit",), tuple(shorts), lambda _, p: _fewer(shorts[p], results))
    return Figure("ppc-fig8", "Instructions of PPC", "bars", "program",
                  "instructions, in units of explicit markers'", tuple(shorts), values, rule=1.0,
                  digits=3)  # fmt: skip


def _compared(results: Results) -> Figure:
    shorts = {short(p): p for p in results.programs}

    def value(column: str, category: str) -> float:
        stats = results(column, shorts[category])
        return stats.pc_comparisons / stats.warp_instructions

    return Figure("ppc-hw", "Comparisons of PCs", "bars", "program", "per instruction",
                  tuple(shorts), series((PPC, THREADS), tuple(shorts), value))  # fmt: skip
