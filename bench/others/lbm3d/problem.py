"""Lattice Boltzmann in three dimensions with 19 velocities: pulled, periodic, with solid cells."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"nx": 45, "ny": 31, "nz": 23}
SMALL = {"nx": 5, "ny": 4, "nz": 3}
PAIRS = (
    (1, 0, 0),
    (0, 1, 0),
    (0, 0, 1),
    (1, 1, 0),
    (1, -1, 0),
    (1, 0, 1),
    (1, 0, -1),
    (0, 1, 1),
    (0, 1, -1),
)
WAYS = ((0, 0, 0), *(tuple(s * c for c in way) for way in PAIRS for s in (1, -1)))
OMEGA = 1.2


def make(rng, nx, ny, nz):
    weight = [1 / 3 if not any(c) else 1 / 18 if sum(map(abs, c)) == 1 else 1 / 36 for c in WAYS]
    start = np.array(weight)[:, None, None, None] * (1 + 0.1 * rng.random((19, nz, ny, nx)))
    arrays = {
        "solid": (rng.random((nz, ny, nx)) < 0.1).astype(np.uint8),
        "from": start.astype(np.float32),
        "to": np.zeros((19, nz, ny, nx), np.float32),
    }
    sizes = (np.uint32(nx), np.uint32(ny), np.uint32(nz), np.float32(OMEGA))
    launch = Launch("lbm3d", (*sizes, *arrays), (nx, ny, nz), (16, 4, 2))
    return Problem(arrays, [launch], ("to",))


def answer(problem):
    solid, start = problem.arrays["solid"], problem.arrays["from"].astype(np.float64)
    f = np.stack([np.roll(start[q], c[::-1], (0, 1, 2)) for q, c in enumerate(WAYS)])
    way = np.array(WAYS, np.float64)
    rho = f.sum(0)
    u = np.einsum("qd,qzyx->dzyx", way, f) / rho
    along = np.einsum("qd,dzyx->qzyx", way, u)
    length = (way**2).sum(1)
    weight = np.where(length == 0, 1 / 3, np.where(length == 1, 1 / 18, 1 / 36))
    equal = (
        weight[:, None, None, None] * rho * (1 - 1.5 * (u**2).sum(0) + 3 * along + 4.5 * along**2)
    )
    back = [0, *(q + 1 if q % 2 else q - 1 for q in range(1, 19))]
    return {"to": np.where(solid, f[back], f + OMEGA * (equal - f)).astype(np.float32)}
