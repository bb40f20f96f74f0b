"""Turing machines with six states and two symbols: a tape of 128 cells a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 12, "most": 400}
SMALL = {"n": 60, "most": 50}
STATES, MACHINES, CELLS, HALT = 6, 64, 128, 7


def make(rng, n, most):
    rules = np.zeros((MACHINES, 16), np.uint8)
    size = MACHINES, STATES, 2
    write, right = rng.integers(0, 2, size), rng.integers(0, 2, size)
    following = rng.integers(0, STATES, size)
    following[np.arange(MACHINES), rng.integers(1, STATES, MACHINES), 0] = HALT
    rules[:, : 2 * STATES] = (write | right << 1 | following << 2).reshape(MACHINES, -1)
    arrays = {
        "rules": rules,
        "which": rng.integers(0, MACHINES, n, np.uint32),
        "input": rng.integers(0, 1 << 32, n, np.uint32),
        "steps": np.zeros(n, np.uint32),
        "ones": np.zeros(n, np.uint32),
    }
    launch = Launch("turing", (np.uint32(n), np.uint32(most), *arrays), (n,), (64,))
    return Problem(arrays, [launch], ("steps", "ones"))


def answer(problem):
    a, most = problem.arrays, problem.sizes.most
    n = a["which"].size
    tape = np.zeros((n, CELLS), np.uint32)
    tape[:, :32] = a["input"][:, None] >> np.arange(32, dtype=np.uint32) & 1
    head, state, steps = (np.zeros(n, np.uint32) for _ in range(3))
    items = np.arange(n)
    for _ in range(most):
        items = items[state[items] != HALT]
        symbol = tape[items, head[items]]
        rule = a["rules"][a["which"][items], 2 * state[items] + symbol].astype(np.uint32)
        tape[items, head[items]] = rule & 1
        head[items] = head[items] + (rule & 2) - 1 & CELLS - 1
        state[items] = rule >> 2
        steps[items] += 1
    return {"steps": steps, "ones": tape.sum(axis=1).astype(np.uint32)}
