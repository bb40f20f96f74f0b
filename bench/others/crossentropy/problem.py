"""Cross entropy of rows of scores and their labels, a row a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"rows": 1 << 15, "classes": 20}
SMALL = {"rows": 70, "classes": 7}


def make(rng, rows, classes):
    arrays = {
        "x": rng.normal(0, 3, (rows, classes)).astype(np.float32),
        "label": rng.integers(0, classes, rows, np.uint32),
        "loss": np.zeros(rows, np.float32),
    }
    numbers = np.uint32(rows), np.uint32(classes)
    launch = Launch("crossentropy", (*numbers, *arrays), (rows,))
    return Problem(arrays, [launch], ("loss",), rtol=1e-4, atol=1e-4)


def answer(problem):
    x, label = problem.arrays["x"].astype(np.float64), problem.arrays["label"]
    loss = np.log(np.exp(x).sum(1)) - x[np.arange(len(x)), label]
    return {"loss": loss.astype(np.float32)}
