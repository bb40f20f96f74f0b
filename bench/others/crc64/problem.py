"""CRC-64 (ECMA) of strings of 1 to 63 bytes by a table of 256 entries, a string a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15}
SMALL = {"n": 100}
POLYNOMIAL = np.uint64(0xC96C5795D7870F42)
ONES = np.uint64(0xFFFFFFFFFFFFFFFF)


def make(rng, n):
    start = np.zeros(n + 1, np.uint32)
    start[1:] = np.cumsum(rng.integers(1, 64, n))
    table = np.arange(256, dtype=np.uint64)
    for _ in range(8):
        table = table >> np.uint64(1) ^ POLYNOMIAL * (table & np.uint64(1))
    arrays = {
        "start": start,
        "text": rng.integers(0, 256, int(start[-1]), np.uint8),
        "table": table,
        "crc": np.zeros(n, np.uint64),
    }
    return Problem(arrays, [Launch("crc64", (np.uint32(n), *arrays), (n,))], ("crc",))


def answer(problem):
    a = problem.arrays
    begin, length = a["start"][:-1], np.diff(a["start"])
    crc = np.full(len(begin), ONES)
    for k in range(int(length.max())):
        left = np.flatnonzero(length > k)
        byte = a["text"][begin[left] + k].astype(np.uint64)
        low = (crc[left] ^ byte) & np.uint64(255)
        crc[left] = a["table"][low.astype(np.intp)] ^ crc[left] >> np.uint64(8)
    return {"crc": ~crc}
