"""Generations of the game of life, a byte a cell, a launch a generation: eight neighbours."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1024, "steps": 10}
SMALL = {"n": 37, "steps": 2}


def make(rng, n, steps):
    """The square has a border of dead cells, which stay dead."""
    cells = np.zeros((n + 2, n + 2), np.uint8)
    cells[1:-1, 1:-1] = rng.random((n, n)) < 0.4
    arrays = {"cells": cells, "other": np.zeros_like(cells)}
    launches = [
        Launch("life", (np.uint32(n), a, b), (n, n), (256, 1))
        for a, b in (("cells", "other"), ("other", "cells")) * (steps // 2)
    ]
    return Problem(arrays, launches, ("cells",))


def answer(problem):
    cells = problem.arrays["cells"].copy()
    shifts = [
        (slice(y, y - 2 or None), slice(x, x - 2 or None)) for y in range(3) for x in range(3)
    ]
    for _ in range(problem.sizes.steps):
        inner = cells[1:-1, 1:-1]
        around = sum(cells[shift] for shift in shifts) - inner
        cells[1:-1, 1:-1] = (around == 3) | ((around == 2) & (inner == 1))
    return {"cells": cells}
