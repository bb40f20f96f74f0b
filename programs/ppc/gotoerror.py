"""gotoerror: frames of two kinds among noise, one block for what is wrong with either."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 256
STRETCH = 64
LONGEST_FRAME = 4
APART = 32
"""A frame for so many places at which one may begin."""


def make(rng: np.random.Generator, *, n: int) -> Data:
    """Random bytes, and frames of either kind written over them; a later one may damage another.

    A frame may run on into the next stretch, hence the bytes after the last one.
    """
    places = n * STRETCH
    stream = rng.integers(0, 256, places + LONGEST_FRAME - 1, np.uint8)
    starts = rng.choice(places, -(-places // APART), replace=False)
    short = rng.random(len(starts)) < 0.5
    stream[starts] = np.where(short, stream[starts] & 0x7F, stream[starts] | 0x80)
    at = starts[short]
    stream[at + 1] = ~stream[at]
    at = starts[~short]
    stream[at + 3] = -(stream[at] + stream[at + 1] + stream[at + 2])
    results = ("sum", "frames", "lost", "longest")
    return {"n": n, "stream": stream} | {name: np.zeros(n, np.uint32) for name in results}


def launch(launcher: Launcher, data: Data) -> None:
    """One launch, a work-item a stretch."""
    group = min(GROUP, launcher.core_contexts)
    kernel = launcher("gotoerror", groups=-(-data["n"] // group), group_size=group)
    kernel(*data.values())


def reference(data: Data) -> dict[str, np.ndarray]:
    """Checks every place of the stream beforehand; a walk then hops over what each place says."""
    n, places = data["n"], data["n"] * STRETCH
    head, second, third, fourth = (
        data["stream"][i : i + places].astype(np.uint32) for i in range(LONGEST_FRAME)
    )
    is_long = head >= 0x80
    right = np.where(
        is_long, (head + second + third + fourth) % 256 == 0, head + second == 0xFF
    ).reshape(n, STRETCH)
    value = np.where(is_long, second + (third << 8) + (head % 0x80 << 16), head).reshape(n, -1)
    length = np.where(right, np.where(is_long, 4, 2).reshape(n, -1), 1)

    visited = np.zeros((n, STRETCH + LONGEST_FRAME), bool)
    visited[:, 0] = True
    for place in range(STRETCH):
        here = np.flatnonzero(visited[:, place])
        visited[here, place + length[here, place]] = True
    visited = visited[:, :STRETCH]
    skipped, taken = visited & ~right, visited & right
    # Skipped bytes so far, less those before the last frame, are the gap.
    so_far = skipped.cumsum(axis=1)
    gap = so_far - np.maximum.accumulate(np.where(taken, so_far, 0), axis=1)
    return {
        "sum": (value * taken).sum(axis=1, dtype=np.uint32),
        "frames": taken.sum(axis=1, dtype=np.uint32),
        "lost": skipped.sum(axis=1, dtype=np.uint32),
        "longest": gap.max(axis=1).astype(np.uint32),
    }


WORKLOAD = Workload(
    title="gotoerror: frames of two kinds among noise, with one way out for both",
    source="PPC section IV, unstructured control flow; the task is ours",
    sizes={"tiny": {"n": 40}, "small": {"n": 20_000}, "paper": {"n": 250_000}},
    make=make,
    launch=launch,
    reference=reference,
)
