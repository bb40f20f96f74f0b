"""Places and speeds of points that were seen sixteen times: Kalman filters of four numbers."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13}
SMALL = {"n": 20}
MOTION = np.eye(4) + 0.1 * np.eye(4, k=2)


def make(rng, n):
    seen = rng.standard_normal((16, 2, n)).cumsum(axis=0) * 0.1
    arrays = {"seen": seen.astype(np.float32), "state": np.zeros((4, n), np.float32)}
    launch = Launch("kalman", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("state",), rtol=1e-3, atol=1e-4)


def answer(problem):
    """Return the states; covariances are the same for all points."""
    seen = problem.arrays["seen"].astype(np.float64)
    state, p = np.zeros((4, seen.shape[2])), np.eye(4)
    for both in seen:
        state, p = MOTION @ state, MOTION @ p @ MOTION.T + 0.01 * np.eye(4)
        for m in range(2):
            gain = p[:, m] / (p[m, m] + 0.25)
            state = state + np.outer(gain, both[m] - state[m])
            p = p - np.outer(gain, p[m])
    return {"state": state.astype(np.float32)}
