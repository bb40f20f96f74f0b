"""Classes of branch and idle intensity (S-LWM-X7)."""

from __future__ import annotations

import pytest

from simtlab.timing.results.statistics import Statistics


@pytest.mark.parametrize(
    ("mean", "intensity"),
    [(31, "low"), (30, "medium"), (25, "medium"), (20, "medium"), (19, "high")],
)
@pytest.mark.parametrize("width", [32, 64])
def test_x7_branch_intensity(mean: int, intensity: str, width: int) -> None:
    n = 1000
    stats = Statistics(warp_instructions=n, thread_instructions=n * mean * width // 32, width=width)
    assert stats.branch_intensity == intensity


@pytest.mark.parametrize(
    ("idle", "intensity"),
    [(10, "low"), (20, "medium"), (30, "medium"), (40, "medium"), (50, "high")],
)
def test_x7_idle_intensity(idle: int, intensity: str) -> None:
    histogram = (0,) * 32 + (100 - idle,)
    stats = Statistics(cycles=100, wpus=1, width=32, width_histogram=histogram)
    assert stats.idle_intensity == intensity
