"""The chance of a label of six letters, given chances of letters in 16 frames (CTC)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 4096}
SMALL = {"n": 90}
FRAMES, LETTERS, LABEL = 16, 12, 6
STATES = 2 * LABEL + 1


def make(rng, n):
    chance = rng.random((FRAMES, LETTERS, n), np.float32)
    arrays = {
        "label": rng.integers(1, LETTERS, (LABEL, n), np.uint8),
        "chance": chance / chance.sum(1, keepdims=True),
        "result": np.zeros(n, np.float32),
    }
    launch = Launch("ctc", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("result",), rtol=1e-3, atol=1e-3)


def answer(problem):
    a, n = problem.arrays, problem.sizes.n
    letter = np.zeros((STATES, n), int)
    letter[1::2] = a["label"]
    skips = np.zeros((STATES, n), bool)
    skips[3::2] = a["label"][1:] != a["label"][:-1]
    state = np.zeros((STATES, n))
    state[0] = 1
    for t in range(FRAMES):
        before = state.copy()
        if t:
            state[1:] += before[:-1]
            state[2:] += np.where(skips[2:], before[:-2], 0)
        else:
            state[1] = 1
        state *= np.take_along_axis(a["chance"][t], letter, 0)
    return {"result": np.log2(state[-1] + state[-2]).astype(np.float32)}
