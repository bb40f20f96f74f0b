"""Where DWS gains: the speedups of its variants as surfaces over the rates that decide them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...figure import Figure
from ...results import Results
from ...study import ScaledStudy, Study
from . import places
from .claims import claims
from .surfaces import GRIDS, Surface, by_mapping, ground, left_open, surfaces


def dws_map() -> ScaledStudy:
    """Return the experiment: coarse surfaces at scale `small`, fine ones at `paper`."""
    return ScaledStudy({scale: _study(scale) for scale in GRIDS})


def _study(scale: str) -> Study:
    grid = GRIDS[scale]
    by_name = {surface.name: surface for surface in surfaces(grid)}
    behind, is_open = ground(grid), left_open(grid)
    mapping = by_mapping(places.MAPPINGS[scale], places.LATENCIES)
    shown = (*by_name.values(), mapping, behind, is_open)
    configs = {k: c for surface in shown for k, c in surface.configs().items()}
    return Study(
        "dws-map", "Where DWS gains, by the rates that decide it", "DWS 5, Tables 1 and 3", (),
        {**configs, **places.configs(scale)},
        partial(_figures, scale, shown, behind), claims(scale, by_name, is_open),
        note="Unless an axis says otherwise, lessons/table1 has 7 instructions from one miss to "
        "the next, 75% of the misses divergent, one lane in ten that misses, 16 instructions from "
        "one branch to the next, 5% of the branches divergent and a barrier of the warp every "
        "4 iterations; the second level takes 300 cycles. Means are harmonic.",
    )  # fmt: skip


def _figures(
    scale: str, shown: Sequence[Surface], behind: Surface, results: Results
) -> list[Figure]:
    at_places = (places.figure(scale, n, behind, results) for n in places.LATENCIES)
    return [*at_places, *(surface.figure(results) for surface in shown)]
