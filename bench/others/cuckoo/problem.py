"""Look-ups in a cuckoo hash table: two buckets of four keys. Half of the keys are in it."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 17, "bits": 12}
SMALL = {"n": 400, "bits": 5}
EMPTY = 0xFFFFFFFF


def buckets(key, bits):
    return key * 2654435761 % 2**32 >> 32 - bits, (
        key ^ key >> 15
    ) * 2246822519 % 2**32 >> 32 - bits


def make(rng, n, bits):
    size = 4 << bits
    keys = rng.permutation(size * 8)[:size].astype(np.uint32)
    stored, other = keys[: size * 3 // 4], keys[size * 3 // 4 :]
    slots = np.full((1 << bits, 4), EMPTY, np.uint32)
    used = [0] * (1 << bits)
    for key in stored.tolist():
        place = buckets(key, bits)[0]
        for _ in range(500):
            if used[place] < 4:
                slots[place, used[place]] = key
                used[place] += 1
                break
            k = int(rng.integers(4))
            key, slots[place, k] = int(slots[place, k]), key
            first, second = buckets(key, bits)
            place = second if place == first else first
    asked = np.where(rng.random(n) < 0.5, rng.choice(stored, n), rng.choice(other, n))
    arrays = {"slot": slots, "key": asked.astype(np.uint32), "place": np.zeros(n, np.uint32)}
    launch = Launch("cuckoo", (np.uint32(n), np.uint32(32 - bits), *arrays), (n,))
    return Problem(arrays, [launch], ("place",))


def answer(problem):
    slot, key = problem.arrays["slot"].ravel(), problem.arrays["key"]
    order = np.argsort(slot)
    place = order[np.minimum(np.searchsorted(slot, key, sorter=order), len(slot) - 1)]
    return {"place": np.where(slot[place] == key, place, EMPTY).astype(np.uint32)}
