"""A bitonic sort, a launch a pass: exchanges that depend on the data, at every distance."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 20}
SMALL = {"n": 1 << 7}


def make(rng, n):
    keys = rng.integers(-(1 << 31), 1 << 31, n, np.int32)
    launches, pairs = [], n // 2
    for run in (1 << r for r in range(1, n.bit_length())):
        for apart in (run >> s for s in range(1, run.bit_length())):
            arguments = (*map(np.uint32, (pairs, apart, run)), "keys")
            launches.append(Launch("bitonic", arguments, (pairs,)))
    return Problem({"keys": keys}, launches, ("keys",))


def answer(problem):
    return {"keys": np.sort(problem.arrays["keys"])}
