"""Decoding of Gorilla's series: 32 values a block, by bits that differ from the last value."""

from itertools import pairwise

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1000}
SMALL = {"n": 40}


def encoded(values):
    """The bits of one block."""
    bits, leading, size = format(values[0], "032b"), -1, 0
    for last, value in pairwise(values):
        if not (differ := last ^ value):
            bits += "0"
            continue
        ahead, behind = 32 - differ.bit_length(), (differ & -differ).bit_length() - 1
        if size and ahead >= leading and behind >= 32 - leading - size:
            bits += "10"
        else:
            leading, size = ahead, 32 - ahead - behind
            bits += "11" + format(leading, "05b") + format(size - 1, "05b")
        bits += format(differ >> (32 - leading - size), f"0{size}b")
    return bits


def make(rng, n):
    walk = np.cumsum(rng.integers(-3, 4, (n, 32)) * (rng.random((n, 32)) < 0.6), 1) / 8
    values = (walk + rng.integers(10, 99, (n, 1))).astype(np.float32).view(np.uint32)
    blocks = [encoded(row) for row in values.tolist()]
    words = max(map(len, blocks)) // 32 + 3
    stream = [int(b.ljust(words * 32, "0")[k * 32 :][:32], 2) for b in blocks for k in range(words)]
    arrays = {"stream": np.array(stream, np.uint32), "values": np.zeros((n, 32), np.uint32)}
    launch = Launch("gorilla", (np.uint32(n), np.uint32(words), *arrays), (n,))
    return Problem(arrays, [launch], ("values",))


def decoded(bits):
    """The values of one block."""
    last, place, leading, size = int(bits[:32], 2), 32, 0, 0
    yield last
    for _ in range(31):
        if bits[place] == "0":
            place += 1
        else:
            new = bits[place + 1] == "1"
            place += 2
            if new:
                leading, size = int(bits[place:][:5], 2), int(bits[place + 5 :][:5], 2) + 1
                place += 10
            last ^= int(bits[place:][:size], 2) << (32 - leading - size)
            place += size
        yield last


def answer(problem):
    stream, values = problem.arrays.values()
    blocks = ("".join(f"{w:032b}" for w in row) for row in stream.reshape(len(values), -1).tolist())
    return {"values": np.array([list(decoded(b)) for b in blocks], np.uint32)}
