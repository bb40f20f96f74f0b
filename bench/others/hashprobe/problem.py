"""Look-ups in a hash table with linear probing: half of the keys are in it."""

import numpy as np
from peers.problem import Launch, Problem

EMPTY = 0xFFFFFFFF
FULL = {"n": 1 << 18, "size": 1 << 15}
SMALL = {"n": 400, "size": 256}


def make(rng, n, size):
    keys = rng.permutation(size * 8)[:size].astype(np.uint32)
    stored, other = keys[: size * 6 // 10], keys[size * 6 // 10 :]
    slot_key, slot_value = np.full(size, EMPTY, np.uint32), np.zeros(size, np.uint32)
    for key in stored.tolist():
        place = (key * 2654435761 & 0xFFFFFFFF) >> 7 & size - 1
        while slot_key[place] != EMPTY:
            place = place + 1 & size - 1
        slot_key[place], slot_value[place] = key, key * 3 + 1
    asked = np.where(rng.random(n) < 0.5, rng.choice(stored, n), rng.choice(other, n))
    arrays = {
        "slot_key": slot_key,
        "slot_value": slot_value,
        "key": asked.astype(np.uint32),
        "value": np.zeros(n, np.uint32),
    }
    launch = Launch("hashprobe", (np.uint32(n), np.uint32(size - 1), *arrays), (n,))
    return Problem(arrays, [launch], ("value",))


def answer(problem):
    a = problem.arrays
    found = np.isin(a["key"], a["slot_key"])
    return {"value": np.where(found, a["key"] * 3 + 1, np.uint32(EMPTY)).astype(np.uint32)}
