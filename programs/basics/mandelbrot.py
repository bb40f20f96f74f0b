"""mandelbrot: a loop that neighbours leave at different times, on a grid of two dimensions."""

from __future__ import annotations

import numpy as np

from ..colours import NIGHT, shade
from ..rounding import fma32
from ..workload import Data, Launcher, Workload

TILE = 16


def make(rng: np.random.Generator, *, width: int, height: int, limit: int) -> Data:
    """The frame of the whole set; nothing of it is random."""
    return {
        "width": width,
        "height": height,
        "limit": limit,
        "x0": -2.0,
        "y0": -1.5,
        "dx": 3.0 / width,
        "dy": 3.0 / height,
        "count": np.zeros((height, width), np.uint32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """One launch, a work-item a point."""
    groups = (-(-data["width"] // TILE), -(-data["height"] // TILE))
    names = ("width", "height", "limit", "x0", "y0", "dx", "dy", "count")
    launcher("mandelbrot", groups=groups, group_size=(TILE, TILE))(*(data[k] for k in names))


def reference(data: Data) -> dict[str, np.ndarray]:
    """All points at once; those that have escaped are dropped.

    Every operation is rounded as in the kernel, because close to the set's edge a single bit
    decides how long a point stays.
    """
    f32 = np.float32
    xs = fma32(np.arange(data["width"], dtype=f32), f32(data["dx"]), f32(data["x0"]))
    ys = fma32(np.arange(data["height"], dtype=f32), f32(data["dy"]), f32(data["y0"]))
    cr, ci = (c.ravel() for c in np.meshgrid(xs, ys))
    count = np.zeros(cr.size, np.uint32)
    index = np.arange(cr.size)
    zr: np.ndarray = cr  # named types: a checker's guesses of a loop of arrays take it long
    zi: np.ndarray = ci
    for done in range(data["limit"]):
        zr2, zi2 = zr * zr, zi * zi
        live = zr2 + zi2 <= f32(4)
        if not live.all():
            cr, ci, zr, zi, zr2, zi2, index = (v[live] for v in (cr, ci, zr, zi, zr2, zi2, index))
        if not index.size:
            break
        count[index] = done + 1
        zr, zi = zr2 - zi2 + cr, fma32(zr + zr, zi, ci)
    return {"count": count.reshape(data["height"], data["width"])}


def picture(data: Data) -> np.ndarray:
    """Colours by the logarithm of the count, brighter towards the set, which itself is black."""
    count, limit = data["count"], data["limit"]
    image = shade(np.log2(count + 1.0) / np.log2(max(limit, 1) + 1.0), NIGHT)
    image[count >= limit] = 0
    return image


WORKLOAD = Workload(
    title="mandelbrot: escape times, a divergent loop in two dimensions",
    source="one of ispc's and OpenCL's customary examples",
    sizes={
        "tiny": {"width": 20, "height": 12, "limit": 16},
        "small": {"width": 256, "height": 192, "limit": 128},
        "paper": {"width": 1024, "height": 1024, "limit": 256},
    },
    make=make,
    launch=launch,
    reference=reference,
    picture=picture,
)
