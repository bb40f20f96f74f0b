"""Four bytes of parity for eight of data in the field of 256 elements, by tables of logarithms."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 17}
SMALL = {"n": 100}
DATA, PARITY = 8, 4


def make(rng, n):
    power, log = np.zeros(510, np.uint8), np.zeros(256, np.uint8)
    element = 1
    for k in range(255):
        power[k] = power[k + 255] = element
        log[element] = k
        element = element << 1 ^ (0x11D if element & 128 else 0)
    arrays = {
        "power": power,
        "log": log,
        "weight": (np.arange(PARITY)[:, None] * np.arange(DATA) % 255).astype(np.uint8),
        "data": rng.integers(0, 256, (DATA, n), np.uint8),
        "parity": np.zeros((PARITY, n), np.uint8),
    }
    return Problem(arrays, [Launch("reedsolomon", (np.uint32(n), *arrays), (n,))], ("parity",))


def answer(problem):
    a = problem.arrays
    parity = np.zeros_like(a["parity"])
    for p in range(PARITY):
        for d in range(DATA):
            product = a["power"][a["log"][a["data"][d]].astype(int) + a["weight"][p, d]]
            parity[p] ^= np.where(a["data"][d] == 0, 0, product).astype(np.uint8)
    return {"parity": parity}
