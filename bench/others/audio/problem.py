"""Two tracks of 16-bit samples mixed with gains in f32, rounded and saturated."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 20}
SMALL = {"n": 1000}
LEFT, RIGHT = np.float32(0.8013), np.float32(0.7071)


def make(rng, n):
    arrays = {name: rng.integers(-32768, 32768, n).astype(np.int16) for name in ("a", "b")}
    arrays["mixed"] = np.zeros(n, np.int16)
    launch = Launch("audio", (np.uint32(n), LEFT, RIGHT, *arrays), (n,))
    return Problem(arrays, [launch], ("mixed",), differing=0.001)


def answer(problem):
    mixed = problem.arrays["a"] * float(LEFT) + problem.arrays["b"] * float(RIGHT)
    return {"mixed": np.clip(np.rint(mixed), -32768, 32767).astype(np.int16)}
