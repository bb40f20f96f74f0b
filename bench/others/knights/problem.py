"""Knight's tours by Warnsdorff's rule, a start and an order of moves a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 2048}
SMALL = {"n": 12}
DX = np.array([1, 2, 2, 1, -1, -2, -2, -1])
DY = np.array([2, 1, -1, -2, -2, -1, 1, 2])


def make(rng, n):
    arrays = {
        "move": np.concatenate((DX, DY)).astype(np.int32),
        "length": np.zeros(n, np.uint32),
    }
    return Problem(arrays, [Launch("knights", (np.uint32(n), *arrays), (n,))], ("length",))


def answer(problem):
    n = len(problem.arrays["length"])
    i = np.arange(n)
    x, y, first, step = i & 7, i >> 3 & 7, i >> 6 & 7, (i >> 9 & 3) * 2 + 1
    free = np.zeros((n, 12, 12), bool)  # two squares more on each side
    free[:, 2:10, 2:10] = True
    length = np.ones(n, np.uint32)
    free[i, y + 2, x + 2] = False
    moving = np.ones(n, bool)
    while moving.any():
        best, to_x, to_y = np.full(n, 9), x.copy(), y.copy()
        for k in range(8):
            move = first + k * step & 7
            u, v = x + DX[move], y + DY[move]
            may = np.flatnonzero(free[i, v + 2, u + 2] & moving)
            onward = (v[may, None] + DY + 2, u[may, None] + DX + 2)
            degree = free[may[:, None], *onward].sum(1)
            better = may[degree < best[may]]
            best[may] = np.minimum(best[may], degree)
            to_x[better], to_y[better] = u[better], v[better]
        moving &= best < 9
        x, y = np.where(moving, to_x, x), np.where(moving, to_y, y)
        free[i, y + 2, x + 2] = False
        length += moving
    return {"length": length}
