"""Surfaces: the speedups of the variants over two values that decide them, the others held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ....runs.run import Scalar
from ...figure import Figure, series
from ...results import Config, Results
from ...sets import DWS_PROGRAMS
from .points import BRANCH, LIMITED, REVIVE, VARIANTS, Point, mean_gain

TABLE1 = "lessons/table1"
ROWS = ("fft", "filter", "hotspot", "lu", "merge", "short", "kmeans", "svm")
"""The sizes of lessons/table1 with the rates of the paper's Table 1."""

MIDDLE = Point("middle", TABLE1, {"l2.hit_latency": 300}, "small")
"""Seven instructions from one miss to the next, three of four divergent, a lane in ten missing."""

EIGHT_ROWS = tuple(Point(f"row {row}", TABLE1, {}, row) for row in ROWS)
EIGHT_PROGRAMS = tuple(Point(program, program) for program in DWS_PROGRAMS)


EXITS = Point("exits", "ppc/exits", {}, "small")
"""A program whose branches diverge, with misses on both sides."""

MISSES = tuple(name for name in VARIANTS if name != BRANCH)
"""The variants that split at misses. lessons/table1 has none on the sides of its branches."""


@dataclass(frozen=True)
class Axis:
    """What is varied: the values by label, each as the fields and parameters that it replaces."""

    title: str
    values: Mapping[str, Mapping[str, Scalar]]


def axis(title: str, key: str, values: Sequence[Scalar], none: str = "") -> Axis:
    """Return an axis of one field or parameter; `none` is the label of 0."""
    return Axis(title, {(none if v == 0 and none else str(v)): {key: v} for v in values})


@dataclass(frozen=True)
class Surface:
    """Speedups over rows and columns; a cell is the harmonic mean over the points moved there."""

    name: str
    title: str
    rows: Axis
    columns: Axis
    points: tuple[Point, ...] = (MIDDLE,)
    variants: tuple[str, ...] = MISSES

    def cell(self, row: str, column: str) -> tuple[Point, ...]:
        """Return the points of a cell."""
        sets = {**self.rows.values[row], **self.columns.values[column]}
        step = f"{self.name}, {row}, {column}"
        return tuple(point.moved(step, sets) for point in self.points)

    def cells(self) -> dict[tuple[str, str], tuple[Point, ...]]:
        """Return the points of all cells by the labels of row and column."""
        return {(r, c): self.cell(r, c) for r in self.rows.values for c in self.columns.values}

    def configs(self) -> dict[str, Config]:
        """Return what is simulated."""
        every = (point for points in self.cells().values() for point in points)
        return {k: c for point in every for k, c in point.configs(self.variants).items()}

    def gain(self, variant: str, row: str, column: str, results: Results) -> float:
        """Return the mean speedup in a cell."""
        return mean_gain(self.cell(row, column), variant, results)

    def gains(self, variant: str, results: Results) -> dict[tuple[str, str], float]:
        """Return the mean speedups in all cells. Raises NotMeasured."""
        return {(r, c): self.gain(variant, r, c, results) for r, c in self.cells()}

    def figure(self, results: Results) -> Figure:
        """Return a map for each variant."""
        columns = tuple(self.columns.values)
        values = {
            f"{variant}: {row}": series(
                (row,), columns, lambda r, c, v=variant: self.gain(v, r, c, results)
            )[row]
            for variant in self.variants
            for row in self.rows.values
        }
        return Figure(
            f"dws-map-{self.name}", self.title, "map", self.columns.title, self.rows.title, columns,
            values, rule=1.0, panels=self.variants,
        )  # fmt: skip


@dataclass(frozen=True)
class Grid:
    """The values that the surfaces of a scale have."""

    latencies: tuple[int, ...]
    shares: tuple[float, ...]
    distances: tuple[int, ...]
    lanes: tuple[float, ...]
    rounds: tuple[int, ...]
    branches: tuple[float, ...]
    lengths: tuple[int, ...]
    warps: tuple[int, ...]
    caches: tuple[int, ...]
    open_latencies: tuple[int, ...]
    open_lanes: tuple[float, ...]
    open_rounds: tuple[int, ...]


GRIDS = {
    "small": Grid(
        latencies=(30, 100, 300), shares=(0, 0.25, 0.75, 1), distances=(7, 23, 47, 100),
        lanes=(0.06, 0.1, 0.3), rounds=(1, 4, 0), branches=(0, 0.22), lengths=(12, 24, 60),
        warps=(2, 4, 8), caches=(8, 32), open_latencies=(30, 300), open_lanes=(0.06, 0.1),
        open_rounds=(4,),
    ),
    "paper": Grid(
        latencies=(10, 30, 60, 100, 200, 300, 600), shares=(0, 0.1, 0.25, 0.5, 0.75, 1),
        distances=(5, 7, 11, 16, 23, 47, 100), lanes=(0.03, 0.06, 0.1, 0.3, 0.6),
        rounds=(1, 4, 16, 64, 0), branches=(0, 0.05, 0.13, 0.22), lengths=(12, 16, 24, 40, 60),
        warps=(2, 4, 8, 16), caches=(8, 16, 32, 128), open_latencies=(30, 100, 300),
        open_lanes=(0.06, 0.1, 0.3), open_rounds=(1, 4, 0),
    ),
}  # fmt: skip
"""By scale."""

LATENCY = "lookup of the second level, cycles"
NEVER = "never"


def surfaces(grid: Grid) -> tuple[Surface, ...]:
    """Return the surfaces over single rates, from the one that matters most."""
    latency = axis(LATENCY, "l2.hit_latency", grid.latencies)
    distance = axis("instructions from one miss to the next", "param.miss_every", grid.distances)
    share = axis("share of the misses that are divergent", "param.miss_divergence", grid.shares)
    return (
        Surface("share", "Divergent misses, and their latency", latency, share),
        Surface("distance", "Distance between misses, and their latency", latency, distance),
        Surface(
            "lanes", "How many lanes miss, and how often a warp's lanes meet",
            axis("iterations between barriers", "param.barrier_every", grid.rounds, NEVER),
            axis("share of lanes that miss in a divergent access", "param.miss_lanes", grid.lanes),
        ),
        Surface(
            "loop", "Length of the loop, and divergent branches",
            axis("share of branches that diverge", "param.branch_divergence", grid.branches),
            Axis(
                "instructions of an iteration, about",
                {str(2 * n): {"param.branch_every": n, "param.miss_every": 11}
                 for n in grid.lengths},
            ),
            variants=tuple(VARIANTS),
        ),
        Surface(
            "warps", "Warps, and latency", latency,
            Axis("warps, each with 8 KB of the D-cache", {str(n): _warps(n) for n in grid.warps}),
        ),
        Surface(
            "cache", "The eight programs: D-cache, and latency",
            axis(LATENCY, "l2.hit_latency", grid.open_latencies),
            Axis("D-cache, KB", {str(n): {"l1d.size": f"{n}KiB"} for n in grid.caches}),
            EIGHT_PROGRAMS, (REVIVE,),
        ),
        Surface(
            "branch", "ppc/exits, whose branches diverge with misses on both sides",
            axis(LATENCY, "l2.hit_latency", grid.open_latencies),
            Axis("warps", {str(n): {"warps": n, "slots": 2 * n, "wst_entries": 4 * n}
                           for n in grid.warps}),
            (EXITS,), (BRANCH, LIMITED, REVIVE),
        ),
    )  # fmt: skip


def _warps(number: int) -> dict[str, Scalar]:
    """Return a WPU of so many warps, whose D-cache holds the same for each of them."""
    ways = max(8, 2 * number)
    return {
        "warps": number, "slots": 2 * number, "wst_entries": 4 * number, "l1d.ways": ways,
        "l1d.size": f"{4 * ways}KiB", "param.n": 64 * number,
    }  # fmt: skip


def ground(grid: Grid) -> Surface:
    """Return the surface below the places: divergent misses, and all that keeps Conv busy."""
    far = [{"l2.hit_latency": 30, "param.miss_every": n} for n in reversed(grid.distances)]
    slow = [{"l2.hit_latency": n, "param.miss_every": 7} for n in grid.latencies if n > 30]
    steps = {
        f"{sets['param.miss_every']} instructions, {sets['l2.hit_latency']} cycles": sets
        for sets in (*far, *slow)
    }
    share = axis("share of the misses that are divergent", "param.miss_divergence", grid.shares)
    return Surface(
        "busy", "Divergent misses, and how busy Conv is",
        Axis("from one miss to the next; lookup of the second level", steps), share,
        variants=(REVIVE,),
    )  # fmt: skip


def by_mapping(mappings: Sequence[str], latencies: Sequence[int]) -> Surface:
    """Return the means of the eight programs by mapping of tasks to work-items."""
    return Surface(
        "mapping", "The eight programs: mapping of tasks, and latency",
        axis(LATENCY, "l2.hit_latency", latencies),
        Axis("mapping", {name: mapped(name) for name in mappings}),
        EIGHT_PROGRAMS, tuple(VARIANTS),
    )  # fmt: skip


def mapped(mapping: str) -> Mapping[str, Scalar]:
    """Return what selects a mapping; the usual one is the program without a choice."""
    return {} if mapping == "cyclic" else {"param.mapping": mapping}


def left_open(grid: Grid) -> Surface:
    """Return the surface over what Tables 1 and 3 leave open, for the rates of Table 1."""
    machines = {
        f"{latency} cycles, {slots} slots": {
            "l2.hit_latency": latency, "slots": slots, "wst_entries": entries,
        }
        for latency in grid.open_latencies for slots, entries in ((8, 16), (64, 64))
    }  # fmt: skip
    programs = {
        f"{lanes:g}, {rounds or NEVER}": {"param.miss_lanes": lanes, "param.barrier_every": rounds}
        for lanes in grid.open_lanes
        for rounds in grid.open_rounds
    }
    return Surface(
        "open", "The eight rows of Table 1, by what the paper leaves open",
        Axis(f"{LATENCY}; scheduler slots", machines),
        Axis("share of lanes that miss; iterations between barriers", programs),
        EIGHT_ROWS, (BRANCH, LIMITED, REVIVE),
    )  # fmt: skip
