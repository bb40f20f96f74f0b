"""filter: edge detection on a photograph, regular branches and divergent memory accesses."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from ..mappings import OF_GRIDS
from ..workload import Data, Launcher, Workload, persistent


def photograph(width: int, height: int) -> np.ndarray:
    """The middle of the photograph (hopper.txt says whose), of shape (height, width)."""
    with np.load(Path(__file__).with_name("hopper.npz")) as stored:
        photo = stored["grey"]
    top, left = (photo.shape[0] - height) // 2, (photo.shape[1] - width) // 2
    return np.ascontiguousarray(photo[top : top + height, left : left + width])


def make(
    rng: np.random.Generator, *, width: int, height: int, pixel: type[np.integer] = np.uint8
) -> Data:
    """A photograph; nothing of it is random."""
    return {
        "width": width,
        "height": height,
        "image": photograph(width, height).astype(pixel),
        "edges": np.zeros((height, width), pixel),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """One launch; the work-items share the pixels among them."""
    width, height = data["width"], data["height"]
    kernel = persistent(launcher, "filter", width * height, width)
    kernel(width, height, data["image"], data["edges"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """Sobel in two passes: differences along one axis, sums of weight 1 2 1 along the other."""
    padded = np.pad(data["image"].astype(np.int64), 1, mode="edge")
    across = padded[:, 2:] - padded[:, :-2]
    down = padded[2:] - padded[:-2]
    gx = across[:-2] + 2 * across[1:-1] + across[2:]
    gy = down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:]
    return {"edges": np.minimum(np.sqrt(gx**2 + gy**2), 255).astype(data["edges"].dtype)}


def picture(data: Data) -> np.ndarray:
    """The photograph, and its edges on its right."""
    return np.hstack((data["image"], data["edges"])).astype(np.uint8)


_USUAL = Workload(
    title="filter: Sobel edges of a grey photograph",
    source="DWS Table 2, Filter",
    sizes={
        "tiny": {"width": 15, "height": 14},
        "small": {"width": 320, "height": 300},
        "paper": {"width": 500, "height": 500},
    },
    make=make,
    launch=launch,
    reference=reference,
    picture=picture,
    mappings=OF_GRIDS,
    data="u8",
)

WORKLOAD = replace(_USUAL, other=(replace(_USUAL, data="s32", make=partial(make, pixel=np.int32)),))
