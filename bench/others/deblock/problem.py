"""The deblocking filter of H.264 on vertical edges: six pixels are read, up to four change."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"edges": 120, "h": 200}
SMALL = {"edges": 9, "h": 7}
ALPHA, BETA = 25, 8


def make(rng, edges, h):
    pitch = (edges + 1) * 8
    level = np.cumsum(rng.normal(0, 6, (h, edges + 1)), axis=1).repeat(8, axis=1) + 128
    image = np.clip(level + rng.normal(0, 3, (h, pitch)), 0, 255).astype(np.uint8)
    scalars = np.uint32(edges), np.uint32(h), np.uint32(pitch), np.int32(ALPHA), np.int32(BETA)
    launch = Launch("deblock", (*scalars, "image"), (edges, h), (32, 8))
    return Problem({"image": image}, [launch], ("image",))


def answer(problem):
    image = problem.arrays["image"].copy()
    wide = image.astype(np.int64)
    p2, p1, p0, q0, q1, q2 = (wide[:, 8 + k : -5 + k or None : 8] for k in range(-3, 3))
    soft = (abs(p0 - q0) < ALPHA) & (abs(p1 - p0) < BETA) & (abs(q1 - q0) < BETA)
    left, right = soft & (abs(p2 - p0) < BETA), soft & (abs(q2 - q0) < BETA)
    middle = (p0 + q0 + 1) >> 1
    most = 2 + left + right
    d = np.clip((((q0 - p0) << 2) + p1 - q1 + 4) >> 3, -most, most)
    changes = (
        (-2, p1, left, np.clip((p2 + middle - p1 * 2) >> 1, -2, 2)),
        (1, q1, right, np.clip((q2 + middle - q1 * 2) >> 1, -2, 2)),
        (-1, p0, soft, d),
        (0, q0, soft, -d),
    )
    for place, old, where, change in changes:
        image[:, 8 + place :: 8][:, : old.shape[1]] = np.clip(old + where * change, 0, 255)
    return {"image": image}
