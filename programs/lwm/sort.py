"""sort: a bucket sort in two levels, then insertion sorts in private memory."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 512
BITS = 30
"""Of a key."""
FEW = 32
"""Keys of a small bucket, at most: what private memory holds."""


def make(rng: np.random.Generator, *, n: int, buckets: int, small: int) -> Data:
    """Random integers, drawn again where one small bucket would get more than fit.

    Both numbers of buckets are powers of two, such that a small one has some ten keys.
    """
    shift = _shift(buckets * small)
    keys = rng.integers(0, 1 << BITS, n, np.uint32)
    while np.bincount(keys >> shift).max() > FEW:
        keys = rng.integers(0, 1 << BITS, n, np.uint32)
    return {
        "n": n,
        "buckets": buckets,
        "small": small,
        "keys": keys,
        "counts": np.zeros(buckets, np.uint32),
        "starts": np.zeros(buckets + 1, np.uint32),
        "cursors": np.zeros(buckets, np.uint32),
        "sorted": np.zeros(n, np.uint32),
    }


def _shift(buckets: int) -> int:
    """Which bits of a key are not the number of its bucket."""
    return BITS - (buckets - 1).bit_length()


def launch(launcher: Launcher, data: Data) -> None:
    """Count, spread, sort; between the first two the host adds up where the buckets begin.

    A core of the paper has two workgroups: while one waits for memory, the other may sort.
    """
    n, buckets, small = data["n"], data["buckets"], data["small"]
    keys, starts, cursors = data["keys"], data["starts"], data["cursors"]
    group = min(GROUP, launcher.core_contexts)
    shift = _shift(buckets)
    many = min(n, launcher.contexts)
    launcher("count", items=many, group_size=group)(n, buckets, shift, keys, data["counts"])
    starts[1:] = np.cumsum(data["counts"])
    cursors[:] = starts[:-1]
    spread = launcher("spread", items=many, group_size=group)
    spread(n, buckets, shift, keys, cursors, data["sorted"])
    sort = launcher("sort", items=min(buckets * small, launcher.contexts), group_size=group)
    sort(buckets, small, _shift(buckets * small), starts, data["sorted"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """NumPy's sort."""
    return {"sorted": np.sort(data["keys"])}


WORKLOAD = Workload(
    title="sort: parallel bucket sort of a list of integers",
    source="LWM Table 2; N. Satish, M. Harris and M. Garland (2009), for the tiles",
    sizes={
        "tiny": {"n": 120, "buckets": 2, "small": 8},
        "small": {"n": 80_000, "buckets": 8, "small": 1_024},
        "paper": {"n": 720_000, "buckets": 64, "small": 1_024},
    },
    make=make,
    launch=launch,
    reference=reference,
)
