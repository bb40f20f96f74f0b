"""nw: scores of a global alignment, a launch for every anti-diagonal of tiles."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

TILE = 16
MATCH, MISMATCH, GAP = 5, -4, 10


def make(rng: np.random.Generator, *, tiles: int) -> Data:
    """Two sequences of 16 letters a tile; the host compares all letters of one with the other's."""
    n = tiles * TILE
    a, b = rng.integers(0, 4, (2, n))
    score = np.zeros((n + 1, n + 1), np.int32)
    score[0] = score[:, 0] = -GAP * np.arange(n + 1)
    return {
        "tiles": tiles,
        "gap": GAP,
        "similarity": np.where(a[:, None] == b, MATCH, MISMATCH).astype(np.int32),
        "score": score,
    }


def launch(launcher: Launcher, data: Data) -> None:
    """A launch for each anti-diagonal of tiles, a workgroup a tile."""
    tiles = data["tiles"]
    for diagonal in range(2 * tiles - 1):
        first = max(0, diagonal - tiles + 1)
        groups = min(diagonal, tiles - 1) - first + 1
        kernel = launcher("nw", groups=groups, group_size=TILE)
        kernel(tiles * TILE, diagonal, first, data["gap"], data["similarity"], data["score"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """Row by row: a running maximum takes the place of the neighbour on the left."""
    score, gap = data["score"].copy(), data["gap"]
    along = gap * np.arange(score.shape[1], dtype=np.int32)
    for i, similarity in enumerate(data["similarity"], start=1):
        above = score[i - 1]
        score[i, 1:] = np.maximum(above[:-1] + similarity, above[1:] - gap)
        score[i] = np.maximum.accumulate(score[i] + along) - along
    return {"score": score}


WORKLOAD = Workload(
    title="nw: alignment of two sequences in tiles, along anti-diagonals",
    source="PPC section IV; Rodinia's nw; S. B. Needleman and C. D. Wunsch (1970)",
    sizes={"tiny": {"tiles": 2}, "small": {"tiles": 24}, "paper": {"tiles": 128}},
    make=make,
    launch=launch,
    reference=reference,
)
