"""Places on the map: programs where their own rates put them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from ...figure import Figure, Spot
from ...results import Config, Results, or_none, short
from ...sets import DWS_PROGRAMS, PPC_UNSTRUCTURED
from ..common import CONV
from .points import REVIVE, VARIANTS, Point
from .surfaces import EIGHT_ROWS, Surface, mapped

MAPPINGS = {"small": ("cyclic", "blocks"), "paper": ("cyclic", "blocks", "tasks")}
"""By scale: neighbouring tasks on neighbouring lanes, a block a lane, a work-item a task."""

LATENCIES = (30, 300)
"""The paper's, and one at which Conv waits as long as the paper's."""

BRANCHING = tuple(Point(short(program), program, {}, "small") for program in PPC_UNSTRUCTURED)
"""Programs whose branches diverge, with misses on the sides."""

STRAGGLERS = Point("stragglers", "lessons/stragglers", {"wpus": 1}, "together")


def places(scale: str, latency: int) -> dict[str, Point]:
    """Return the points with this latency of the second level, by label."""
    step, sets = f"places, {latency}", {"l2.hit_latency": latency}
    found = {
        _label(program, mapping): Point(program, program, mapped(mapping)).moved(
            f"{step}, {mapping}", sets
        )
        for mapping in MAPPINGS[scale]
        for program in DWS_PROGRAMS
    }
    from_table = {f"Table 1's {p.size}": p.moved(step, sets) for p in EIGHT_ROWS}
    others = {p.name: p.moved(step, sets) for p in (STRAGGLERS, *BRANCHING)}
    return {**found, **from_table, **others}


def _label(program: str, mapping: str) -> str:
    return short(program) if mapping == "cyclic" else f"{short(program)} {mapping}"


def rows(scale: str, latency: int) -> tuple[Point, ...]:
    """Return the points with the rates of Table 1."""
    found = places(scale, latency)
    return tuple(found[f"Table 1's {point.size}"] for point in EIGHT_ROWS)


def programs(scale: str, latency: int, mapping: str) -> tuple[Point, ...]:
    """Return the points of the eight programs under a mapping."""
    found = places(scale, latency)
    return tuple(found[_label(program, mapping)] for program in DWS_PROGRAMS)


def configs(scale: str) -> dict[str, Config]:
    """Return what is simulated."""
    every = (point for latency in LATENCIES for point in places(scale, latency).values())
    return {k: c for point in every for k, c in point.configs(VARIANTS).items()}


def _share(what: str, point: Point, results: Results) -> float:
    return getattr(point.under(CONV, results), what)


def _gain(variant: str, point: Point, results: Results) -> float:
    return point.gain(variant, results)


def _missing_lanes(point: Point, results: Results) -> float:
    counts = point.under(CONV, results).degree_histogram
    return sum(n * count for n, count in enumerate(counts)) / sum(counts)


def _merged(point: Point, results: Results) -> float:
    stats = point.under(REVIVE, results)
    return (stats.merges_pc + stats.merges_stack) / stats.splits


def _columns() -> dict[str, Callable[[Point, Results], float]]:
    """Return the columns of the table: what decides, then the speedups."""
    return {
        "share of the misses that are divergent": partial(_share, "divergent_access_share"),
        "share of issue slots in which Conv waits": partial(_share, "memory_wait"),
        REVIVE: partial(_gain, REVIVE),
        "instructions from miss to miss": partial(_share, "instructions_between_misses"),
        "lanes that miss in a divergent access": _missing_lanes,
        "merges a split": _merged,
        "energy of ReviveSplit": lambda point, results: point.energy(REVIVE, results),
        **{v: partial(_gain, v) for v in VARIANTS if v != REVIVE},
    }


def figure(scale: str, latency: int, behind: Surface, results: Results) -> Figure:
    """Return the places at a latency, on the surface of lessons/table1."""
    points = places(scale, latency)
    values = {
        title: tuple(or_none(lambda p=p, n=number: n(p, results)) for p in points.values())
        for title, number in _columns().items()
    }
    return Figure(
        f"dws-map-places-{latency}",
        f"Programs with {latency} cycles for the second level, and lessons/table1 behind them",
        "places", "program", "speedup of ReviveSplit", tuple(points), values, rule=1.0,
        ground=tuple(_spots(behind, results)),
    )  # fmt: skip


def _spots(behind: Surface, results: Results) -> Sequence[Spot]:
    """Return where lessons/table1 lies, by its measured rates, and what it gains there."""
    found = (or_none(lambda p=cell[0]: _spot(p, results)) for cell in behind.cells().values())
    return [spot for spot in found if spot is not None]


def _spot(point: Point, results: Results) -> Spot:
    x, y = (_share(w, point, results) for w in ("divergent_access_share", "memory_wait"))
    return x, y, point.gain(REVIVE, results)
