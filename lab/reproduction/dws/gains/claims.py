"""What the paper says of the gain, judged by the map: where 1.71 is reached, and where not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise

from ...claims import Claim, holds, least, number, partly
from ...results import NotMeasured, Results, mean
from ..common import listed
from ..reasons import ENERGY, LOW_LATENCY, NEVER_MEET
from .places import LATENCIES, MAPPINGS, places, programs, rows
from .points import BRANCH, LIMITED, REVIVE, mean_gain
from .surfaces import Surface

PAPER = {BRANCH: 1.13, LIMITED: 1.20, REVIVE: 1.71}
"""The paper's means. It calls ReviveSplit.BL ReviveSplit.MemOnly there."""

SLACK = 0.01
"""Speedups that differ by less are alike: a run of another length differs by as much."""

PLAIN_SIDES = (
    "in lessons/table1 the sides of branches have no accesses, so that one side cannot hide the "
    "latency of the other; BranchOnly gains where both sides miss, as in ppc/exits with 300 cycles "
    "for the second level"
)
SLOTS = (
    "where misses take 300 cycles more splits are ready than there are slots; the paper's own "
    "latencies make few splits (`simtlab explain divergences`, 'The rates of Table 1')"
)


def claims(scale: str, by_name: Mapping[str, Surface], left_open: Surface) -> tuple[Claim, ...]:
    """Return the claims of a scale."""
    return (
        *(_within(left_open, variant) for variant in (REVIVE, LIMITED, BRANCH)),
        holds(
            "ReviveSplit gains 1.71 with the paper's latencies", "1.71",
            partial(_with_latency, left_open, "30"), why=LOW_LATENCY,
        ),
        holds(
            "a single program can gain 1.71", "1.71", partial(_reached, by_name), why=LOW_LATENCY,
        ),
        number(
            "best mean of our eight programs, by mapping and latency", PAPER[REVIVE],
            partial(_best_of_programs, scale), why=LOW_LATENCY,
        ),
        number(
            "energy that ReviveSplit saves with the rates of Table 1, 300 cycles", 0.30,
            partial(_saved, scale, 300), neutral=0, form=".0%", why=ENERGY,
        ),
        partly(
            "ReviveSplit gains more than BranchOnly and ReviveSplit.BL", "1.71, 1.20, 1.13",
            partial(_order, left_open),
            why="with 30 cycles for the second level splits issue more instructions than the "
            "latency that they hide is worth; ReviveSplit.BL makes fewer of them",
        ),
        partly(
            "the gain grows with the latency", "Figure 16", partial(_grows, by_name["share"]),
            why="all lanes miss together, or nothing but latency is left to gain from",
        ),
        partly(
            "the gain shrinks with the cache", "Figure 17", partial(_shrinks, by_name["cache"]),
            why="the data of the programs fit into the smallest cache, or into none of them",
        ),
        *(
            least(
                f"ReviveSplit harms no program, {latency} cycles for the second level",
                "never below 1", partial(_gains, scale, latency), slack=0.005, why=NEVER_MEET,
            )
            for latency in LATENCIES
        ),
        *(
            holds(
                f"{variant} loses with the rates of Table 1", "below 1",
                partial(_loses, scale, variant),
                why="where misses take 300 cycles any split hides some of them; where they take "
                "30, AggressSplit loses and LazySplit neither gains nor loses much",
            )
            for variant in ("AggressSplit", "LazySplit")
        ),
        holds(
            "8 slots and 16 entries cost less than 1%", "below 1%", partial(_limits, left_open),
            why=SLOTS,
        ),
    )  # fmt: skip


def _within(left_open: Surface, variant: str) -> Claim:
    paper = PAPER[variant]

    def judge(results: Results) -> tuple[str, bool]:
        found = left_open.gains(variant, results)
        low, high = min(found, key=lambda c: found[c]), max(found, key=lambda c: found[c])
        ours = f"{found[low]:.2f} ({', '.join(low)}) to {found[high]:.2f} ({', '.join(high)})"
        return ours, found[low] <= paper <= found[high]

    why = PLAIN_SIDES if variant == BRANCH else LOW_LATENCY
    text = f"{variant}'s mean is in the range that the paper leaves open"
    return holds(text, f"{paper:.2f}", judge, why=why)


def _with_latency(left_open: Surface, latency: str, results: Results) -> tuple[str, bool]:
    gains = left_open.gains(REVIVE, results)
    found = [gain for (row, _), gain in gains.items() if row.startswith(f"{latency} ")]
    return f"{min(found):.2f} to {max(found):.2f}", max(found) >= PAPER[REVIVE]


def _reached(by_name: Mapping[str, Surface], results: Results) -> tuple[str, bool]:
    """Return which values let a program gain as much, on each surface of lessons/table1."""
    parts = []
    for name in ("share", "distance", "lanes", "warps"):
        surface = by_name[name]
        gains = surface.gains(REVIVE, results)
        cells = [cell for cell, gain in gains.items() if gain >= PAPER[REVIVE]]
        if cells:
            enough = (
                [value for value in axis.values if any(cell[i] == value for cell in cells)]
                for i, axis in enumerate((surface.rows, surface.columns))
            )
            spans = (v[0] if len(v) == 1 else f"{v[0]} to {v[-1]}" for v in enough)
            parts.append(f"{surface.title}: {' with '.join(spans)}")
    return "; ".join(parts) or "nowhere", bool(parts)


def _best_of_programs(scale: str, results: Results) -> float:
    return max(
        mean_gain(programs(scale, latency, mapping), REVIVE, results)
        for latency in LATENCIES
        for mapping in MAPPINGS[scale]
    )


def _order(left_open: Surface, results: Results) -> tuple[str, int, int]:
    best, *others = (left_open.gains(v, results) for v in (REVIVE, LIMITED, BRANCH))
    right = [c for c in best if all(best[c] > other[c] for other in others)]
    return f"in {len(right)} of {len(best)} cells", len(right), len(best)


def _lines(surface: Surface, *, by_row: bool, results: Results) -> Iterator[Sequence[float]]:
    """Yield the gains of ReviveSplit along each row, or along each column."""
    gains = surface.gains(REVIVE, results)
    rows, columns = tuple(surface.rows.values), tuple(surface.columns.values)
    if by_row:
        yield from ([gains[r, c] for c in columns] for r in rows)
    else:
        yield from ([gains[r, c] for r in rows] for c in columns)


def _grows(surface: Surface, results: Results) -> tuple[str, int, int]:
    lines = list(_lines(surface, by_row=False, results=results))
    right = sum(all(b > a - SLACK for a, b in pairwise(line)) for line in lines)
    shown = ", ".join(f"{line[0]:.2f} to {line[-1]:.2f}" for line in lines)
    return f"{shown} by divergent share", right, len(lines)


def _shrinks(surface: Surface, results: Results) -> tuple[str, int, int]:
    lines = list(_lines(surface, by_row=True, results=results))
    right = sum(line[-1] < max(line[:-1]) for line in lines)
    return ", ".join(f"{x[0]:.2f} to {x[-1]:.2f}" for x in lines), right, len(lines)


def _gains(scale: str, latency: int, results: Results) -> dict[str, float]:
    return {name: p.gain(REVIVE, results) for name, p in places(scale, latency).items()}


def _saved(scale: str, latency: int, results: Results) -> float:
    return 1 - mean((p.energy(REVIVE, results) for p in rows(scale, latency)), "harmonic")


def _loses(scale: str, variant: str, results: Results) -> tuple[str, bool]:
    found = {
        f"{latency} cycles": mean_gain(rows(scale, latency), variant, results)
        for latency in LATENCIES
    }  # fmt: skip
    return listed(found), all(gain < 1 for gain in found.values())


def _limits(left_open: Surface, results: Results) -> tuple[str, bool]:
    gains = left_open.gains(REVIVE, results)
    losses = {
        cell: 1 - gains[cell] / gains[cell[0].replace(" 8 slots", " 64 slots"), cell[1]]
        for cell in gains if " 8 slots" in cell[0]
    }  # fmt: skip
    if not losses:
        raise NotMeasured
    worst = max(losses, key=lambda c: losses[c])
    best = min(losses, key=lambda c: losses[c])
    ours = f"{losses[best]:.1%} ({', '.join(best)}) to {losses[worst]:.1%} ({', '.join(worst)})"
    return ours, losses[worst] < 0.01
