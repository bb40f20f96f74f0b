"""dct: the cosine transform of a photograph in blocks of 8 x 8."""

from __future__ import annotations

import numpy as np

from ..dws.filter import photograph
from ..workload import Data, Launcher, Workload

SIDE = 8


def make(rng: np.random.Generator, *, width: int, height: int) -> Data:
    """The photograph of dws/filter; nothing of it is random."""
    k = np.arange(SIDE)
    cosines = np.cos(np.pi / SIDE * np.outer(k, k + 0.5)) * np.sqrt(2 / SIDE)
    cosines[0] /= np.sqrt(2)
    blocks = -(-height // SIDE), -(-width // SIDE)
    return {
        "width": width,
        "height": height,
        "image": photograph(width, height),
        "cosines": cosines.astype(np.float32),
        "out": np.zeros((blocks[0] * SIDE, blocks[1] * SIDE), np.float32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """One launch, a work-item a coefficient and a workgroup a block."""
    height, width = data["out"].shape
    groups = width // SIDE, height // SIDE
    launcher("dct", groups=groups, group_size=(SIDE, SIDE))(*data.values())


def reference(data: Data) -> dict[str, np.ndarray]:
    """All blocks at once; sums are added up in the order of k, so that they round alike."""
    image, cosines = data["image"], data["cosines"]
    rows, columns = data["out"].shape
    missing = (0, rows - data["height"]), (0, columns - data["width"])
    pixels = np.pad(image, missing, mode="edge").astype(np.float32)
    blocks = pixels.reshape(rows // SIDE, SIDE, columns // SIDE, SIDE).swapaxes(1, 2)
    inter = np.zeros_like(blocks)
    for k in range(SIDE):
        inter += cosines[:, k, None] * blocks[:, :, k, None, :]
    out = np.zeros_like(blocks)
    for k in range(SIDE):
        out += inter[:, :, :, k, None] * cosines[:, k]
    return {"out": out.swapaxes(1, 2).reshape(rows, columns)}


def picture(data: Data) -> np.ndarray:
    """How large the coefficients are: each block's mean is its upper left corner."""
    size = np.log2(1 + np.abs(data["out"]))
    return (size * (255 / size.max())).astype(np.uint8)


WORKLOAD = Workload(
    title="dct: cosine transform of a photograph in blocks of 8 x 8",
    source="PPC section IV; AMD APP SDK, DCT",
    sizes={
        "tiny": {"width": 20, "height": 6},
        "small": {"width": 320, "height": 300},
        "paper": {"width": 500, "height": 500},
    },
    make=make,
    launch=launch,
    reference=reference,
    picture=picture,
)
