"""Steps from i + 1 down to 1, in 64 bits: a strongly divergent integer loop."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 20}
SMALL = {"n": 700}


def make(rng, n):
    launch = Launch("collatz", (np.uint32(n), "steps"), (n,))
    return Problem({"steps": np.zeros(n, np.uint32)}, [launch], ("steps",))


def answer(problem):
    steps = np.zeros(problem.sizes.n, np.uint32)
    going = np.arange(1, problem.sizes.n)
    values = going + 1
    while going.size:
        steps[going] += 1
        values = np.where(values & 1, 3 * values + 1, values >> 1)
        more = values != 1
        going, values = going[more], values[more]
    return {"steps": steps}
