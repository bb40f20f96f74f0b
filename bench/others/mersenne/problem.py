"""Mersenne twisters (MT19937) in group memory, a third of the state in each step."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"streams": 12, "rounds": 6}
SMALL = {"streams": 2, "rounds": 2}


def make(rng, streams, rounds):
    arrays = {
        "seed": rng.integers(0, 1 << 32, (streams, 624), np.uint32),
        "out": np.zeros((streams, rounds, 624), np.uint32),
    }
    arguments = np.uint32(rounds), *arrays, np.uint32(streams)
    return Problem(arrays, [Launch("mersenne", arguments, (208 * streams,), (208,))], ("out",))


def answer(problem):
    seed, out = problem.arrays["seed"], problem.arrays["out"].copy()
    for stream, words in zip(out, seed, strict=True):
        twister = np.random.MT19937()
        twister.state = {"bit_generator": "MT19937", "state": {"key": words, "pos": 624}}
        stream[:] = twister.random_raw(stream.size).reshape(stream.shape)
    return {"out": out}
