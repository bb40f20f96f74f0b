"""Windowed multipole cross sections: sums over twelve complex poles of a nuclide, in f64."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 5003, "materials": 40}
SMALL = {"n": 67, "materials": 3}


def make(rng, n, materials):
    many = rng.integers(20, 60, materials)
    ends = np.cumsum(many + 12)
    arrays = {
        "energy": rng.uniform(0.01, 1, n),
        "material": rng.integers(0, materials, n, np.uint32),
        "first": (ends - many - 12).astype(np.uint32),
        "many": many.astype(np.uint32),
        "pole": rng.uniform(0.1, 1, (ends[-1], 6)),
        "cross": np.zeros((n, 2)),
    }
    return Problem(arrays, [Launch("multipole", (np.uint32(n), *arrays), (n,))], ("cross",))


def answer(problem):
    energy, material, first, many, pole, _ = problem.arrays.values()
    window = first[material] + (energy * many[material]).astype(int)
    p = pole[window[:, None] + np.arange(12)]
    c = 1 / (p[..., 0] - np.sqrt(energy)[:, None] + 1j * p[..., 1])
    sums = [((p[..., k] + 1j * p[..., k + 1]) * c).real.sum(1) / energy for k in (2, 4)]
    return {"cross": np.stack(sums, 1)}
