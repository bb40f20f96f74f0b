"""hotspot: an iterative stencil; a launch an iteration, because all cells must have been seen."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ..colours import HEAT, shade
from ..mappings import OF_GRIDS
from ..rounding import fma32
from ..workload import Data, Launcher, Workload, persistent

CONSTANTS = {"step": 0.1, "rx": 1.0, "ry": 1.0, "rz": 0.1, "ambient": 80.0}


def make(
    rng: np.random.Generator,
    *,
    width: int,
    height: int,
    iterations: int,
    number: type[np.float32 | np.float64] = np.float32,
) -> Data:
    """A chip that starts a little uneven: a dozen blocks of different power on a quiet ground."""
    power = rng.random((height, width), number) * number(0.2)
    for _ in range(12):
        x, y = rng.integers(0, width), rng.integers(0, height)
        block_width, block_height = rng.integers((2, 2), (width // 4 + 3, height // 4 + 3))
        power[y : y + block_height, x : x + block_width] += number(rng.uniform(0.2, 4.0))
    return {
        "width": width,
        "height": height,
        "iterations": iterations,
        "temp": rng.random((height, width), number) * number(4) + number(80),
        "power": power,
        "next": np.zeros((height, width), number),
        **CONSTANTS,
    }


def launch(launcher: Launcher, data: Data) -> None:
    """A launch an iteration; `temp` and `next` change places after each."""
    width, height = data["width"], data["height"]
    kernel = persistent(launcher, "hotspot", width * height, width)
    constants = [data[name] for name in CONSTANTS]
    for _ in range(data["iterations"]):
        kernel(width, height, data["temp"], data["power"], data["next"], *constants)
        data["temp"], data["next"] = data["next"], data["temp"]


def reference(data: Data) -> dict[str, np.ndarray]:
    """The stencil on whole arrays, each operation rounded as in the kernel."""
    step, rx, ry, rz, ambient = (np.float32(v) for v in CONSTANTS.values())
    t = data["temp"]
    for _ in range(data["iterations"]):
        around = np.pad(t, 1, mode="edge")
        vertical = fma32(t, -2.0, around[:-2, 1:-1] + around[2:, 1:-1])
        horizontal = fma32(t, -2.0, around[1:-1, :-2] + around[1:-1, 2:])
        heat = fma32(vertical, ry, data["power"])
        heat = fma32(horizontal, rx, heat)
        heat = fma32(ambient - t, rz, heat)
        t = fma32(step, heat, t)
    return {"temp": t}


def reference_f64(data: Data) -> dict[str, np.ndarray]:
    """The stencil on whole arrays; no operation is fused."""
    step, rx, ry, rz, ambient = CONSTANTS.values()
    t = data["temp"]
    for _ in range(data["iterations"]):
        around = np.pad(t, 1, mode="edge")
        heat = data["power"] + ((around[:-2, 1:-1] + around[2:, 1:-1]) - 2 * t) * ry
        heat = heat + ((around[1:-1, :-2] + around[1:-1, 2:]) - 2 * t) * rx
        heat = heat + (ambient - t) * rz
        t = t + heat * step
    return {"temp": t}


def picture(data: Data) -> np.ndarray:
    """The temperatures, from the coldest cell in dark blue to the hottest in pale yellow."""
    t = data["temp"].astype(np.float64)
    return shade((t - t.min()) / max(float(np.ptp(t)), 1e-9), HEAT)


_USUAL = Workload(
    title="hotspot: temperatures of a chip, an iterative stencil",
    source="DWS Table 2, HotSpot; Rodinia",
    sizes={
        "tiny": {"width": 14, "height": 11, "iterations": 3},
        "small": {"width": 128, "height": 120, "iterations": 20},
        "paper": {"width": 300, "height": 300, "iterations": 100},
    },
    make=make,
    launch=launch,
    reference=reference,
    picture=picture,
    mappings=OF_GRIDS,
    data="f32",
)

WORKLOAD = replace(
    _USUAL,
    other=(
        replace(_USUAL, data="f64", make=partial(make, number=np.float64), reference=reference_f64),
    ),
)
