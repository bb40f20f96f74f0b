"""Planes of red, green and blue to hue, saturation and value: extremes, divisions, three cases."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 18}
SMALL = {"n": 1000}


def make(rng, n):
    arrays = {name: rng.random(n, np.float32) for name in "rgb"}
    arrays |= {name: np.zeros(n, np.float32) for name in ("hue", "saturation", "value")}
    launch = Launch("hsv", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("hue", "saturation", "value"), rtol=1e-3, atol=1e-3)


def answer(problem):
    r, g, b = (problem.arrays[name].astype(np.float64) for name in "rgb")
    value = np.maximum(np.maximum(r, g), b)
    span = value - np.minimum(np.minimum(r, g), b)
    divisor = np.where(span > 0, span, 1)
    hue = np.where(r == value, (g - b) / divisor, (b - r) / divisor + 2)
    hue = np.where((r != value) & (g != value), (r - g) / divisor + 4, hue)
    hue = np.where(hue < 0, hue + 6, hue) * 60
    hue = np.where(span > 0, hue, 0)
    saturation = np.where(value > 0, span / np.where(value > 0, value, 1), 0)
    found = {"hue": hue, "saturation": saturation, "value": value}
    return {name: array.astype(np.float32) for name, array in found.items()}
