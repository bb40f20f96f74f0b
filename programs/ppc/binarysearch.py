"""binarysearch: many keys in a sorted array, a work-item a key and part of the array."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 256


def make(rng: np.random.Generator, *, n: int, size: int, parts: int) -> Data:
    """A sorted array of different numbers; half of the keys are taken from it, half are random."""
    numbers = np.sort(rng.choice(1 << 30, size, replace=False).astype(np.uint32))
    keys = rng.integers(0, 1 << 30, n, np.uint32)
    known = rng.random(n) < 0.5
    keys[known] = rng.choice(numbers, int(known.sum()))
    return {
        "n": n,
        "parts": parts,
        "size": size,
        "keys": keys,
        "sorted": numbers,
        "place": np.full(n, -1, np.int32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """One launch, a work-item a key and part."""
    group = min(GROUP, launcher.core_contexts)
    groups = -(-data["n"] * data["parts"] // group)
    launcher("binarysearch", groups=groups, group_size=group)(*data.values())


def reference(data: Data) -> dict[str, np.ndarray]:
    """NumPy's binary search of the whole array; -1 stands for a key that is not there."""
    numbers, keys = data["sorted"], data["keys"]
    place = np.searchsorted(numbers, keys)
    there = numbers[place % data["size"]] == keys
    return {"place": np.where(there, place, -1).astype(np.int32)}


WORKLOAD = Workload(
    title="binarysearch: many keys in a sorted array",
    source="PPC section IV; AMD APP SDK, BinarySearch",
    sizes={
        "tiny": {"n": 100, "size": 700, "parts": 2},
        "small": {"n": 50_000, "size": 100_000, "parts": 4},
        "paper": {"n": 250_000, "size": 1_000_000, "parts": 8},
    },
    make=make,
    launch=launch,
    reference=reference,
)
