"""hotspot: the heat equation on a chip, a work-item a column of a band of rows."""

from __future__ import annotations

from ..dws.hotspot import CONSTANTS, make, picture, reference
from ..workload import Data, Launcher, Workload, persistent

BAND = 16


def launch(launcher: Launcher, data: Data) -> None:
    """A launch an iteration; `temp` and `next` change places after each."""
    width, height = data["width"], data["height"]
    kernel = persistent(launcher, "hotspot", width * -(-height // BAND))
    constants = [data[name] for name in CONSTANTS]
    for _ in range(data["iterations"]):
        kernel(width, height, data["temp"], data["power"], data["next"], *constants)
        data["temp"], data["next"] = data["next"], data["temp"]


WORKLOAD = Workload(
    title="hotspot: temperatures of a chip, column by column",
    source="LWM Table 2; Rodinia; P. Micikevicius, 3D Finite Difference Computation on GPUs (2009)",
    sizes={
        "tiny": {"width": 18, "height": 20, "iterations": 3},
        "small": {"width": 256, "height": 256, "iterations": 2},
        "paper": {"width": 1024, "height": 1024, "iterations": 4},
    },
    make=make,
    launch=launch,
    reference=reference,
    picture=picture,
)
