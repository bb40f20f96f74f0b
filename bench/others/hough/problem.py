"""Hough's transform: pixels of edges vote for lines, an atomic addition for each angle."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 256, "height": 192, "angles": 90, "distances": 800, "share": 0.06}
SMALL = {"width": 40, "height": 8, "angles": 12, "distances": 100, "share": 0.1}


def make(rng, width, height, angles, distances, share):
    angle = np.pi * np.arange(angles) / angles
    arrays = {
        "edge": (rng.random((height, width)) < share).astype(np.uint8),
        "cosine": np.rint(4096 * np.cos(angle)).astype(np.int32),
        "sine": np.rint(4096 * np.sin(angle)).astype(np.int32),
        "votes": np.zeros((angles, distances), np.uint32),
    }
    numbers = tuple(map(np.uint32, (width, height, angles, distances)))
    launch = Launch("hough", (*numbers, *arrays), (width, height), (64, 4))
    return Problem(arrays, [launch], ("votes",))


def answer(problem):
    a = problem.arrays
    angles, distances = a["votes"].shape
    y, x = a["edge"].nonzero()
    place = (a["cosine"][:, None] * x + a["sine"][:, None] * y >> 12) + distances // 2
    place += np.arange(angles)[:, None] * distances
    votes = np.bincount(place.ravel(), minlength=angles * distances)
    return {"votes": votes.reshape(angles, distances).astype(np.uint32)}
