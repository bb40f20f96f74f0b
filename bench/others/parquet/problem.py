"""A column store's pages: runs and packed five-bit codes in turn, looked up in a dictionary."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"pages": 301, "values": 128}
SMALL = {"pages": 11, "values": 40}


def make(rng, pages, values):
    data, start = bytearray(), []
    for _ in range(pages):
        start.append(len(data))
        done = 0
        while done < values:
            left = (values - done) // 8
            if rng.random() < 0.5:
                many = min(int(rng.integers(1, 13)), left) * 8
                head, code = many * 2, [int(rng.integers(32))]
                done += many
            else:
                many = min(int(rng.integers(1, 5)), left)
                head, code = many * 2 + 1, list(rng.integers(0, 256, 5 * many))
                done += 8 * many
            data += bytes([head] if head < 128 else [head & 127 | 128, head >> 7])
            data += bytes(map(int, code))
    arrays = {
        "data": np.frombuffer(bytes(data), np.uint8).copy(),
        "start": np.array(start, np.uint32),
        "dictionary": rng.integers(0, 1 << 32, 32, np.uint32),
        "out": np.zeros((pages, values), np.uint32),
    }
    arguments = np.uint32(pages), np.uint32(values), *arrays
    return Problem(arrays, [Launch("parquet", arguments, (pages,), (64,))], ("out",))


def answer(problem):
    data, start, dictionary, out = problem.arrays.values()
    out = out.copy()
    for row, at in zip(out, start.tolist(), strict=True):
        codes = []
        while len(codes) < len(row):
            head = int(data[at])
            at += 1
            if head >= 128:
                head += (int(data[at]) - 1) * 128
                at += 1
            if head % 2 == 0:
                codes += [data[at]] * (head // 2)
                at += 1
            else:
                bits = np.unpackbits(data[at : at + head // 2 * 5], bitorder="little")
                codes += list(bits.reshape(-1, 5) @ (1, 2, 4, 8, 16))
                at += head // 2 * 5
        row[:] = dictionary[codes]
    return {"out": out}
