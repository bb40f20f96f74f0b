"""floydwarshall: shortest paths between all pairs of nodes, a launch a node."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

SIDE = 16
FAR = 1 << 30
"""No edge. Two of them add up to less than 2^32."""
DEGREE = 8


def make(rng: np.random.Generator, *, n: int) -> Data:
    """A random directed graph with some eight edges a node, as a matrix of their lengths."""
    distance = rng.integers(1, 1_000, (n, n), np.uint32)
    distance[rng.random((n, n)) >= min(0.5, DEGREE / n)] = FAR
    np.fill_diagonal(distance, 0)
    return {"n": n, "distance": distance, "via": np.full((n, n), -1, np.int32)}


def launch(launcher: Launcher, data: Data) -> None:
    """A launch for each node that a path may lead through."""
    n = data["n"]
    side = -(-n // SIDE)
    kernel = launcher("floydwarshall", groups=(side, side), group_size=(SIDE, SIDE))
    for k in range(n):
        kernel(n, k, data["distance"], data["via"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """The whole matrix at once for each node; the last node that shortened a path is kept."""
    distance, via = data["distance"].copy(), data["via"].copy()
    for k in range(data["n"]):
        through = np.add.outer(distance[:, k], distance[k])
        via[through < distance] = k
        distance = np.minimum(distance, through)
    return {"distance": distance, "via": via}


WORKLOAD = Workload(
    title="floydwarshall: shortest paths between all pairs of nodes",
    source="PPC section IV; AMD APP SDK, FloydWarshall",
    sizes={"tiny": {"n": 10}, "small": {"n": 96}, "paper": {"n": 256}},
    make=make,
    launch=launch,
    reference=reference,
)
