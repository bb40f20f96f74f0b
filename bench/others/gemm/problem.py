"""PolyBench's gemm, an element a work-item, from global memory: C = alpha A B + beta C."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"rows": 256, "columns": 256, "depth": 256}
SMALL = {"rows": 9, "columns": 36, "depth": 11}
ALPHA, BETA = np.float32(1.5), np.float32(0.5)


def make(rng, rows, columns, depth):
    shapes = {"a": (rows, depth), "b": (depth, columns), "c": (rows, columns)}
    arrays = {name: rng.random(shape, np.float32) for name, shape in shapes.items()}
    sizes = [np.uint32(size) for size in (rows, columns, depth)]
    launch = Launch("gemm", (*sizes, ALPHA, BETA, *arrays), (columns, rows), (32, 8))
    return Problem(arrays, [launch], ("c",), rtol=1e-4)


def answer(problem):
    a, b, c = (problem.arrays[name].astype(np.float64) for name in "abc")
    return {"c": (ALPHA * (a @ b) + BETA * c).astype(np.float32)}
