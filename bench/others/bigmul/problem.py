"""Products of integers of 256 bits, a pair a work-item: limbs of 32 bits in private arrays."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15}
SMALL = {"n": 90}


def make(rng, n):
    arrays = {
        "a": rng.integers(0, 1 << 32, (8, n), np.uint32),
        "b": rng.integers(0, 1 << 32, (8, n), np.uint32),
        "product": np.zeros((16, n), np.uint32),
    }
    return Problem(arrays, [Launch("bigmul", (np.uint32(n), *arrays), (n,))], ("product",))


def answer(problem):
    def numbers(limbs):
        return [int.from_bytes(column.tobytes(), "little") for column in limbs.T]

    a, b = numbers(problem.arrays["a"]), numbers(problem.arrays["b"])
    products = b"".join((x * y).to_bytes(64, "little") for x, y in zip(a, b, strict=True))
    product = np.frombuffer(products, np.uint32).reshape(-1, 16).T
    return {"product": np.ascontiguousarray(product)}
