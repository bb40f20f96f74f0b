"""Conway's game of life, 32 cells a word: neighbours are added bit by bit. Edges are dead."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 128, "height": 2048}
SMALL = {"width": 6, "height": 40}


def make(rng, width, height):
    shape = (height, width)
    arrays = {
        "cells": rng.integers(0, 1 << 32, shape, np.uint32)
        & rng.integers(0, 1 << 32, shape, np.uint32),
        "next": np.zeros(shape, np.uint32),
    }
    launch = Launch(
        "lifebits", (np.uint32(width), np.uint32(height), *arrays), shape[::-1], (64, 4)
    )
    return Problem(arrays, [launch], ("next",))


def answer(problem):
    old = problem.arrays["cells"]
    height, width = old.shape
    cells = old[:, :, None] >> np.arange(32, dtype=np.uint32) & np.uint32(1)
    cells = np.pad(cells.reshape(height, width * 32), 1)
    count = sum(
        cells[y : y + height, x : x + width * 32]
        for y in range(3)
        for x in range(3)
        if (y, x) != (1, 1)
    )
    alive = (count == 3) | (count == 2) & (cells[1:-1, 1:-1] == 1)
    bits = alive.reshape(height, width, 32).astype(np.uint32) << np.arange(32, dtype=np.uint32)
    return {"next": bits.sum(2).astype(np.uint32)}
