"""A step of beam search: the best four of four beams' continuations, a sentence a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"sentences": 2048, "words": 96}
SMALL = {"sentences": 20, "words": 12}
BEAMS = 4


def make(rng, sentences, words):
    chance = np.log(rng.random((sentences, BEAMS, words)) + 1e-6)
    arrays = {
        "score": np.log(rng.random((sentences, BEAMS)) + 0.1).astype(np.float32),
        "chance": chance.astype(np.float32),
        "best": np.zeros((sentences, BEAMS), np.float32),
        "from": np.zeros((sentences, BEAMS), np.uint32),
    }
    numbers = np.uint32(sentences), np.uint32(words)
    launch = Launch("beam", (*numbers, *arrays), (sentences,), (64,))
    return Problem(arrays, [launch], ("best", "from"))


def answer(problem):
    total = problem.arrays["score"][:, :, None] + problem.arrays["chance"]
    total = total.reshape(len(total), -1)
    order = np.argsort(-total, 1, kind="stable")[:, :BEAMS]
    return {"best": np.take_along_axis(total, order, 1), "from": order.astype(np.uint32)}
