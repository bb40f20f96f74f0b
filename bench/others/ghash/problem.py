"""GHASH of messages: products in the field of 2^128 elements, bit by bit, words of 64 bits."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1003, "blocks": 5}
SMALL = {"n": 19, "blocks": 2}


def make(rng, n, blocks):
    arrays = {
        "h": rng.integers(0, 1 << 64, 2, np.uint64),
        "data": rng.integers(0, 1 << 64, (n, blocks, 2), np.uint64),
        "tag": np.zeros((n, 2), np.uint64),
    }
    launch = Launch("ghash", (np.uint32(n), np.uint32(blocks), *arrays), (n,))
    return Problem(arrays, [launch], ("tag",))


def answer(problem):
    h, data, tag = problem.arrays.values()
    x = np.zeros_like(tag)
    one = np.uint64(1)
    for block in range(data.shape[1]):
        x ^= data[:, block]
        z = np.zeros_like(x)
        v = h.copy()
        for bit in range(128):
            has = x[:, bit // 64] >> np.uint64(63 - bit % 64) & one
            z ^= has[:, None] * v
            low = v[1] & one
            v = np.array([v[0] >> one, v[1] >> one | v[0] << np.uint64(63)], np.uint64)
            v[0] ^= low * np.uint64(0xE1 << 56)
        x = z
    return {"tag": x}
