"""How many ways nine empty cells of a square of 4 x 4 can be filled: a search that goes back."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 12}
SMALL = {"n": 20}
EMPTY = 9


def make(rng, n):
    """Squares are solved ones with cells left out."""
    solved = np.array([[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 2, 1]])
    board, empty = np.zeros((n, 16), np.uint8), np.zeros((n, EMPTY), np.uint8)
    for k in range(n):
        order = [2 * half + p for half in rng.permutation(2) for p in rng.permutation(2)]
        board[k] = (rng.permutation(4)[solved - 1] + 1)[order].ravel()
        empty[k] = np.sort(rng.choice(16, EMPTY, replace=False))
        board[k, empty[k]] = 0
    arrays = {"board": board, "empty": empty, "ways": np.zeros(n, np.uint32)}
    return Problem(arrays, [Launch("sudoku", (np.uint32(n), *arrays), (n,), (64,))], ("ways",))


def _ways(used, cells):
    if not cells:
        return 1
    row, column = divmod(cells[0], 4)
    units = (row, 4 + column, 8 + row // 2 * 2 + column // 2)
    ways = 0
    for digit in range(4):
        if not any(used[unit] >> digit & 1 for unit in units):
            for unit in units:
                used[unit] ^= 1 << digit
            ways += _ways(used, cells[1:])
            for unit in units:
                used[unit] ^= 1 << digit
    return ways


def answer(problem):
    ways = []
    for board, cells in zip(*(problem.arrays[k].tolist() for k in ("board", "empty")), strict=True):
        used = [0] * 12
        for cell, digit in enumerate(board):
            row, column = divmod(cell, 4)
            for unit in (row, 4 + column, 8 + row // 2 * 2 + column // 2):
                used[unit] |= 1 << digit >> 1
        ways.append(_ways(used, cells))
    return {"ways": np.array(ways, np.uint32)}
