"""bfs: irregular gathers and scatters, a launch a level, and the host in the loop."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 256


def make(rng: np.random.Generator, *, nodes: int, edges: int) -> Data:
    """A random directed graph as rows of neighbours; the source is the node with most of them."""
    degree = np.bincount(rng.integers(0, nodes, edges), minlength=nodes)
    row = np.zeros(nodes + 1, np.uint32)
    row[1:] = np.cumsum(degree)
    source = int(np.argmax(degree))
    level = np.full(nodes, -1, np.int32)
    level[source] = 0
    return {
        "n": nodes,
        "row": row,
        "col": rng.integers(0, nodes, edges, np.uint32),
        "level": level,
        "changed": np.zeros(1, np.uint32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """A launch a level, until one finds no new node."""
    group = min(GROUP, launcher.core_contexts)
    kernel = launcher("bfs", groups=-(-data["n"] // group), group_size=group)
    changed = data["changed"]
    current = 0
    changed[0] = 1
    while changed[0]:
        changed[0] = 0
        kernel(data["n"], data["row"], data["col"], data["level"], current, changed)
        current += 1


def reference(data: Data) -> dict[str, np.ndarray]:
    """Level by level over the list of all edges."""
    level = data["level"].copy()
    tails = np.repeat(np.arange(data["n"]), np.diff(data["row"].astype(np.int64)))
    heads = data["col"]
    current = 0
    while (level == current).any():
        reached = heads[level[tails] == current]
        current += 1
        level[reached[level[reached] < 0]] = current
    return {"level": level}


WORKLOAD = Workload(
    title="bfs: breadth-first search in a random graph, a launch a level",
    source="Rodinia's BFS in its simplest form; P. Harish, P. J. Narayanan (2007)",
    sizes={
        "tiny": {"nodes": 200, "edges": 1_200},
        "small": {"nodes": 1 << 14, "edges": 1 << 17},
        "paper": {"nodes": 1 << 18, "edges": 1 << 21},
    },
    make=make,
    launch=launch,
    reference=reference,
    benign={
        "level": "all who store to a node in one launch store the same level",
        "changed": "all store 1",
    },
)
