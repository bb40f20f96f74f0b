"""The cascade of Viola and Jones: stages of differences of boxes, until one fails."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 180, "height": 120, "stages": 6}
SMALL = {"width": 50, "height": 30, "stages": 3}
WINDOW = 20


def make(rng, width, height, stages):
    image = rng.integers(0, 256, (height, width))
    sums = np.zeros((height + 1, width + 1), np.uint32)
    sums[1:, 1:] = image.cumsum(0).cumsum(1)
    counts = np.arange(stages) * 2 + 2
    boxes = rng.integers(0, 10, (counts.sum(), 4), np.uint32)
    boxes[:, 2:] = boxes[:, 2:] % 5 + 2
    first = np.append(0, np.cumsum(counts)).astype(np.uint32)
    nx, ny = width - WINDOW, height - WINDOW
    arrays = {
        "sums": sums,
        "first": first,
        "boxes": boxes,
        "limits": np.zeros(stages, np.int32),
        "found": np.zeros((ny, nx), np.uint8),
    }
    numbers = np.uint32(width + 1), np.uint32(nx), np.uint32(ny), np.uint32(stages)
    launch = Launch("cascade", (*numbers, *arrays), (nx, ny), (32, 4))
    problem = Problem(arrays, [launch], ("found",))
    for k, total in enumerate(totals(problem)):
        arrays["limits"][k] = np.quantile(total, 0.4)
    return problem


def totals(problem):
    """What each stage adds up, for all windows."""
    sums, first, boxes, _, found = problem.arrays.values()
    ny, nx = found.shape
    for stage in range(len(first) - 1):
        total = np.zeros(found.shape, np.int64)
        for left, top, w, h in boxes[first[stage] : first[stage + 1]].astype(int):

            def corner(down, right, left=left, top=top):
                return sums[top + down :, left + right :][:ny, :nx].astype(np.int64)

            upper = corner(h, w) - corner(h, 0) - corner(0, w) + corner(0, 0)
            lower = corner(2 * h, w) - corner(2 * h, 0) - corner(h, w) + corner(h, 0)
            total += np.abs(upper - lower)
        yield total


def answer(problem):
    alive = np.ones(problem.arrays["found"].shape, bool)
    for total, limit in zip(totals(problem), problem.arrays["limits"], strict=True):
        alive &= total >= limit
    return {"found": alive.astype(np.uint8)}
