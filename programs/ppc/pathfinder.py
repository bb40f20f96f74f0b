"""pathfinder: shortest paths down a grid, several rows a launch in pyramids of group memory."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 256


def make(rng: np.random.Generator, *, cols: int, rows: int, pyramid: int) -> Data:
    """Walls of 0 to 9; a launch computes up to `pyramid` of the rows below the first."""
    wall = rng.integers(0, 10, (rows, cols), np.int32)
    return {
        "cols": cols,
        "rows": rows,
        "pyramid": pyramid,
        "wall": wall,
        "cost": wall[0].copy(),
        "next": np.zeros(cols, np.int32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """A launch a pyramid; `cost` and `next` change places after each."""
    cols, rows = data["cols"], data["rows"]
    for first in range(1, rows, data["pyramid"]):
        steps = min(data["pyramid"], rows - first)
        groups = -(-cols // (GROUP - 2 * steps))
        kernel = launcher("pathfinder", groups=groups, group_size=GROUP)
        kernel(cols, steps, first, data["wall"], data["cost"], data["next"])
        data["cost"], data["next"] = data["next"], data["cost"]


def reference(data: Data) -> dict[str, np.ndarray]:
    """Row by row, the least of three shifted copies."""
    cost = data["wall"][0]
    for wall in data["wall"][1:]:
        around = np.pad(cost, 1, mode="edge")
        cost = wall + np.minimum(np.minimum(around[:-2], around[1:-1]), around[2:])
    return {"cost": cost}


WORKLOAD = Workload(
    title="pathfinder: shortest paths down a grid, in pyramids of rows",
    source="PPC section IV; Rodinia's pathfinder",
    sizes={
        "tiny": {"cols": 200, "rows": 4, "pyramid": 2},
        "small": {"cols": 20_000, "rows": 41, "pyramid": 20},
        "paper": {"cols": 100_000, "rows": 100, "pyramid": 20},
    },
    make=make,
    launch=launch,
    reference=reference,
)
