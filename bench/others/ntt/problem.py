"""Number-theoretic transforms of 1,024 residues modulo 998,244,353, in group memory."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"blocks": 128}
SMALL = {"blocks": 1}
BLOCK, PRIME = 1024, 998244353


def make(rng, blocks):
    root = pow(3, (PRIME - 1) // BLOCK, PRIME)
    powers = [pow(root, i, PRIME) for i in range(BLOCK // 2)]
    arrays = {
        "power": np.array(powers, np.uint32),
        "x": rng.integers(0, PRIME, (blocks, BLOCK), np.uint32),
    }
    launch = Launch("ntt", tuple(arrays), (blocks * BLOCK // 2,), (BLOCK // 2,))
    launch = launch._replace(arguments=(np.uint32(blocks), *arrays))
    return Problem(arrays, [launch], ("x",))


def answer(problem):
    x, power = problem.arrays["x"].astype(np.uint64), problem.arrays["power"].astype(np.uint64)
    step = BLOCK // 2
    while step:
        pairs = x.reshape(len(x), -1, 2, step)
        a, b = pairs[:, :, 0], pairs[:, :, 1]
        x = np.stack([(a + b) % PRIME, (a + PRIME - b) * power[:: BLOCK // 2 // step] % PRIME], 2)
        step //= 2
    return {"x": x.reshape(len(x), BLOCK).astype(np.uint32)}
