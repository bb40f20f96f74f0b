"""Colours for pictures, without a plotting library."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

HEAT = ((0, 0, 40), (110, 10, 110), (220, 50, 40), (255, 170, 30), (255, 255, 220))
"""From cold to hot."""

NIGHT = ((8, 10, 50), (30, 80, 170), (150, 200, 235), (255, 240, 200), (250, 180, 30))
"""From dark blue over white to gold."""


def shade(values: np.ndarray, stops: Sequence[tuple[int, int, int]]) -> np.ndarray:
    """A uint8 RGB image of `values`, where 0 is the first stop, 1 the last, linear in between."""
    places = np.linspace(0.0, 1.0, len(stops))
    clipped = np.clip(values, 0.0, 1.0)
    channels = [np.interp(clipped, places, [s[i] for s in stops]) for i in range(3)]
    return np.stack(channels, axis=-1).round().astype(np.uint8)
