"""needleman: alignment of DNA sequences, a barrier after every anti-diagonal."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

LINE = 32
"""Words of a cache line, with which a diagonal begins; lanes of a warp."""


def make(rng: np.random.Generator, *, pairs: int, n: int) -> Data:
    """Sequences of n letters, and a relative of each: some letters changed, some moved along.

    Moves lie as the kernel makes them, moves[pair][(i + j) / 16][i - 1], two bits a move. `last` is
    row 0 of the scores before the run, and after it row n, of which the kernel writes no column 0.
    """
    letters = np.frombuffer(b"ACGT", np.uint8)
    a = letters[rng.integers(0, 4, (pairs, n))]
    b = a.copy()
    for row in b:
        row[n // 3 :] = np.roll(row[n // 3 :], int(rng.integers(0, n // 8 + 1)))
    changed = rng.random((pairs, n)) < 0.15
    b[changed] = letters[rng.integers(0, 4, int(changed.sum()))]
    gap, pitch = 4, -(-n // LINE) * LINE
    return {
        "pairs": pairs,
        "n": n,
        "pitch": pitch,
        "a": a,
        "b": b,
        "last": np.tile(-gap * np.arange(n + 1, dtype=np.int32), (pairs, 1)),
        "moves": np.zeros((pairs, n // 8 + 1, pitch), np.uint32),
        "match": 5,
        "mismatch": -4,
        "gap": gap,
    }


def launch(launcher: Launcher, data: Data) -> None:
    """One launch of workgroups with a work-item a row, up to a core's; they share the pairs."""
    size = min(launcher.core_contexts, -(-data["n"] // LINE) * LINE)
    groups = max(1, min(data["pairs"], launcher.contexts // size))
    launcher("needleman", groups=groups, group_size=size)(*data.values())


def reference(data: Data) -> dict[str, np.ndarray]:
    """Row by row: a running maximum takes the place of the neighbour on the left."""
    n, gap = data["n"], data["gap"]
    last, moves = data["last"].copy(), data["moves"].copy()
    along = np.arange(n + 1)
    for pair, (a, b) in enumerate(zip(data["a"], data["b"], strict=True)):
        row = last[pair].astype(np.int64)
        for i in range(1, n + 1):
            fit = row[:-1] + np.where(b == a[i - 1], data["match"], data["mismatch"])
            up = row[1:] - gap
            best = np.append(-gap * i, np.maximum(fit, up))
            row = np.maximum.accumulate(best + gap * along) - gap * along
            move = np.where(fit == row[1:], 1, np.where(up == row[1:], 2, 3)).astype(np.uint32)
            word, place = np.divmod(i + along[1:], 16)
            shifted = move << (2 * place).astype(np.uint32)
            np.bitwise_or.at(moves[pair, :, i - 1], word, shifted)
        last[pair, 1:] = row[1:]
    return {"last": last, "moves": moves}


WORKLOAD = Workload(
    title="needleman: optimal alignment of DNA sequences",
    source="LWM Table 2; Rodinia, nw; S. B. Needleman and C. D. Wunsch (1970)",
    sizes={
        "tiny": {"pairs": 1, "n": 14},
        "small": {"pairs": 4, "n": 250},
        "paper": {"pairs": 3, "n": 1_000},
    },
    make=make,
    launch=launch,
    reference=reference,
)
