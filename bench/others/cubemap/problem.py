"""Look-ups in a cube map: the face by the largest coordinate, then four texels of it."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 50021, "size": 64}
SMALL = {"n": 303, "size": 8}


def make(rng, n, size):
    arrays = {name: rng.normal(size=n).astype(np.float32) for name in "xyz"}
    arrays["face"] = rng.random((6, size, size)).astype(np.float32)
    arrays["colour"] = np.zeros(n, np.float32)
    launch = Launch("cubemap", (np.uint32(n), np.uint32(size), *arrays), (n,))
    return Problem(arrays, [launch], ("colour",), rtol=1e-3, atol=1e-4)


def answer(problem):
    x, y, z = (problem.arrays[name].astype(np.float64) for name in "xyz")
    face, size = problem.arrays["face"].astype(np.float64), problem.sizes.size
    main = np.stack((abs(x), abs(y), abs(z))).argmax(0)
    m = np.choose(main, (abs(x), abs(y), abs(z)))
    positive = np.choose(main, (x, y, z)) > 0
    u = np.choose(main, (np.where(positive, -z, z), x, np.where(positive, x, -x)))
    v = np.choose(main, (-y, np.where(positive, z, -z), -y))
    s, t = (u / m + 1) / 2 * (size - 1), (v / m + 1) / 2 * (size - 1)
    s0, t0 = (np.minimum(np.floor(w), size - 2).astype(int) for w in (s, t))
    side = main * 2 + ~positive
    fs, ft = s - s0, t - t0
    upper = face[side, t0, s0] * (1 - fs) + face[side, t0, s0 + 1] * fs
    lower = face[side, t0 + 1, s0] * (1 - fs) + face[side, t0 + 1, s0 + 1] * fs
    return {"colour": (upper * (1 - ft) + lower * ft).astype(np.float32)}
