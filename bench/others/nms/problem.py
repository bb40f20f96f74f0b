"""Overlaps of boxes, for the suppression of all but the best: a word of 64 bits a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1000}
SMALL = {"n": 70}
LIMIT = np.float32(0.3)


def make(rng, n):
    corner = rng.uniform(0, 60, (n, 2))
    boxes = np.concatenate([corner, corner + rng.uniform(5, 40, (n, 2))], 1).astype(np.float32)
    blocks = -(-n // 64)
    arrays = {"boxes": boxes, "mask": np.zeros((n, blocks), np.uint64)}
    launch = Launch("nms", (np.uint32(n), LIMIT, *arrays), (64 * blocks, blocks), (64, 1))
    return Problem(arrays, [launch], ("mask",), differing=0.01)


def answer(problem):
    boxes, mask = problem.arrays["boxes"].astype(np.float64), problem.arrays["mask"].copy()
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    low = np.maximum(boxes[:, None, :2], boxes[:, :2])
    sides = np.maximum(np.minimum(boxes[:, None, 2:], boxes[:, 2:]) - low, 0)
    shared = sides[..., 0] * sides[..., 1]
    over = shared > LIMIT * (area[:, None] + area - shared)
    n = len(boxes)
    for j in range(n):
        hit = over[:, j] & (j > np.arange(n)) & (j // 64 >= np.arange(n) // 64)
        mask[hit, j // 64] |= np.uint64(1 << j % 64)
    return {"mask": mask}
