"""Stereo by the census transform: 24 bits of a window, then the distance of least difference."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"w": 299, "h": 120, "most": 24}
SMALL = {"w": 37, "h": 7, "most": 5}


def make(rng, w, h, most):
    right = np.kron(rng.integers(0, 256, (h // 3 + 3, w // 3 + 3)), np.ones((3, 3), np.int64))[
        : h + 4, : w + 4
    ]
    left = np.roll(right, most // 2, axis=1)
    noise = rng.integers(-3, 4, (2, *right.shape))
    images = np.clip(np.stack((left, right)) + noise, 0, 255).astype(np.uint8)
    arrays = {
        "left": images[0],
        "right": images[1],
        "left_bits": np.zeros((h, w), np.uint32),
        "right_bits": np.zeros((h, w), np.uint32),
        "shift": np.zeros((h, w), np.uint8),
    }
    size, group = (w, h), (64, 4)
    head = np.uint32(w), np.uint32(h), np.uint32(w + 4)
    launches = [
        Launch("census", (*head, "left", "left_bits"), size, group),
        Launch("census", (*head, "right", "right_bits"), size, group),
        Launch(
            "disparity",
            (*head[:2], np.uint32(most), "left_bits", "right_bits", "shift"),
            size,
            group,
        ),
    ]
    return Problem(arrays, launches, ("left_bits", "right_bits", "shift"))


def answer(problem):
    a = problem.arrays
    h, w = a["shift"].shape
    bits = [_census(a["left"], h, w), _census(a["right"], h, w)]
    least, best = np.full((h, w), 100), np.zeros((h, w), np.uint8)
    for d in range(problem.sizes.most):
        differ = bits[0][:, d:] ^ bits[1][:, : w - d]
        cost = np.unpackbits(differ[..., None].view(np.uint8), axis=-1).sum(-1)
        better = cost < least[:, d:]
        best[:, d:][better] = d
        least[:, d:][better] = cost[better]
    return {"left_bits": bits[0], "right_bits": bits[1], "shift": best}


def _census(image, h, w):
    mask = np.zeros((h, w), np.uint32)
    for dy in range(5):
        for dx in range(5):
            if (dx, dy) != (2, 2):
                darker = image[dy : dy + h, dx : dx + w] < image[2 : h + 2, 2 : w + 2]
                mask = mask << np.uint32(1) | darker
    return mask
