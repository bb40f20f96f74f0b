"""bfs: breadth-first search by levels, a launch a level, and the host in the loop."""

from __future__ import annotations

from ..basics.bfs import make, reference
from ..workload import Data, Launcher, Workload, persistent


def launch(launcher: Launcher, data: Data) -> None:
    """A launch a level, until one finds no new node."""
    kernel = persistent(launcher, "bfs", data["n"])
    changed = data["changed"]
    current = 0
    changed[0] = 1
    while changed[0]:
        changed[0] = 0
        kernel(data["n"], data["row"], data["col"], data["level"], current, changed)
        current += 1


WORKLOAD = Workload(
    title="bfs: breadth-first search in a random graph",
    source="LWM Table 2; Rodinia, bfs",
    sizes={
        "tiny": {"nodes": 200, "edges": 1_200},
        "small": {"nodes": 16_384, "edges": 98_304},
        "paper": {"nodes": 700_000, "edges": 4_200_000},
    },
    make=make,
    launch=launch,
    reference=reference,
    benign={
        "level": "all who store to a node in one launch store the same level",
        "changed": "all store 1",
    },
)
