"""Forces between particles of neighbouring boxes, 100 particles and work-items a box (Rodinia)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"boxes": 4}
SMALL = {"boxes": 1}
PARTICLES, A2 = 100, np.float32(0.5)


def make(rng, boxes):
    """`near` has 27 numbers of boxes for each one, of which `count` are used."""
    number = np.arange(boxes**3)
    at = np.stack([number % boxes, number // boxes % boxes, number // boxes**2], 1)
    near = np.zeros((len(number), 27), np.uint32)
    count = np.zeros(len(number), np.uint32)
    for box in number:
        others = number[(abs(at - at[box]) <= 1).all(1)]
        near[box, : len(others)], count[box] = others, len(others)
    n = len(number) * PARTICLES
    arrays = {
        "count": count,
        "near": near,
        "place": rng.uniform(0.1, 1, (n, 4)).astype(np.float32),
        "charge": rng.uniform(0.1, 1, n).astype(np.float32),
        "force": np.zeros((n, 4), np.float32),
    }
    launch = Launch("lavamd", (np.uint32(len(number)), A2, *arrays), (n,), (PARTICLES,))
    return Problem(arrays, [launch], ("force",), rtol=1e-3, atol=1e-2)


def answer(problem):
    a = problem.arrays
    place = a["place"].reshape(-1, PARTICLES, 4).astype(np.float64)
    charge = a["charge"].reshape(-1, PARTICLES).astype(np.float64)
    force = np.zeros_like(place)
    for box, own in enumerate(place):
        for other in a["near"][box, : a["count"][box]]:
            near = place[other]
            r2 = own[:, None, 3] + near[None, :, 3] - own[:, :3] @ near[:, :3].T
            v = np.exp(-A2 * r2)
            force[box, :, 3] += v @ charge[other]
            size = 2 * v * charge[other]
            force[box, :, :3] += ((own[:, None, :3] - near[None, :, :3]) * size[..., None]).sum(1)
    return {"force": force.reshape(-1, 4).astype(np.float32)}
