"""exits: look-ups in a hash table, a loop with three exits and a block after each."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 256
LIMIT = 8
EMPTY = 0
GOLDEN = 0x9E3779B1
ABSENT = 0x8000_0000
UNKNOWN = 0xFFFF_FFFF
FULL = 0.5
"""The share of slots that have a key."""
PRESENT = 0.9
"""The share of queries whose key was inserted."""


def make(rng: np.random.Generator, *, n: int, bits: int) -> Data:
    """A table of 2^bits slots with random keys, and `n` queries, most of them for such keys."""
    slots = 1 << bits
    inserted = int(FULL * slots)
    keys = 1 + rng.choice(1 << 30, inserted + n, replace=False).astype(np.uint32)
    table = np.full(slots, EMPTY, np.uint32)
    _insert(table, keys[:inserted], 32 - bits)
    queries = keys[inserted:]
    known = rng.random(n) < PRESENT
    queries[known] = rng.choice(keys[:inserted], int(known.sum()))
    return {
        "n": n,
        "shift": 32 - bits,
        "limit": LIMIT,
        "table": table,
        "value": rng.integers(0, ABSENT, slots, np.uint32),
        "queries": queries,
        "answers": np.zeros(n, np.uint32),
        "uses": np.zeros(slots, np.uint32),
        "unknown": np.zeros(1, np.uint32),
    }


def _insert(table: np.ndarray, keys: np.ndarray, shift: int) -> None:
    """Each key into the first slot from its own on that is empty; not at all after LIMIT slots.

    All keys try at once, slot after slot; of those that want the same one, the first gets it.
    """
    slot = keys * np.uint32(GOLDEN) >> np.uint32(shift)
    for _ in range(LIMIT):
        free = np.flatnonzero(table[slot] == EMPTY)
        taken, first = np.unique(slot[free], return_index=True)
        table[taken] = keys[free[first]]
        left = np.ones(len(keys), bool)
        left[free[first]] = False
        keys, slot = keys[left], (slot[left] + np.uint32(1)) % np.uint32(len(table))


def launch(launcher: Launcher, data: Data) -> None:
    """One launch, a work-item a query."""
    group = min(GROUP, launcher.core_contexts)
    kernel = launcher("exits", groups=-(-data["n"] // group), group_size=group)
    kernel(*data.values())


def reference(data: Data) -> dict[str, np.ndarray]:
    """Where each key is, by sorting them; how far the next empty slot is, by searching these."""
    table, queries = data["table"], data["queries"]
    slots = len(table)
    order = np.argsort(table, kind="stable")
    where = order[np.searchsorted(table, queries, sorter=order) % slots]
    holes = np.flatnonzero(table == EMPTY)
    # Twice, so that there is always one after a slot; and one out of reach, if there is none.
    holes = np.concatenate((holes, holes + slots, [2 * slots + data["limit"]]))
    slot = (queries * np.uint32(GOLDEN) >> np.uint32(data["shift"])).astype(np.int64)
    hole = holes[np.searchsorted(holes, slot)] - slot
    away = np.where(table[where] == queries, (where - slot) % slots, data["limit"])

    found = away < np.minimum(hole, data["limit"])
    absent = ~found & (hole < data["limit"])
    answers = np.full(data["n"], UNKNOWN, np.uint32)
    answers[found] = data["value"][where[found]]
    answers[absent] = ABSENT | (slot + hole)[absent] % slots
    unknown = np.count_nonzero(~(found | absent))
    return {
        "answers": answers,
        "uses": np.bincount(where[found], minlength=slots).astype(np.uint32),
        "unknown": np.array([unknown], np.uint32),
    }


WORKLOAD = Workload(
    title="exits: look-ups in a hash table that end in one of three ways",
    source="PPC section IV, unstructured control flow; D. E. Knuth, TAOCP 6.4, algorithm L",
    sizes={
        "tiny": {"n": 300, "bits": 8},
        "small": {"n": 100_000, "bits": 16},
        "paper": {"n": 1_000_000, "bits": 20},
    },
    make=make,
    launch=launch,
    reference=reference,
)
