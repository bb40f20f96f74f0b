"""Two recordings in a page: where they part, and how one follows the other."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from simtlab.recording.recording import Recording

from ..timing.support import scenarios
from ..timing.support.history import History
from .support.browse import Shown

Show = Callable[..., Shown]


@pytest.fixture(scope="module")
def split() -> Recording:
    return History(scenarios.F12, "dws.lazy-split").recording


def test_two_policies_are_aligned_by_work_item(show: Show) -> None:
    a = History(scenarios.F6, "conv").recording
    b = History(scenarios.F6, "dws.branch-only").recording
    shown = show(a, b)
    text = shown.page.locator(".pane-compare").inner_text()
    assert "A takes 29 cycles, B 26: B is" in text.replace(
        "B takes 26 cycles, A 29", "A takes 29 cycles, B 26"
    )
    assert "1.12 times as fast" in text
    assert "The first warp to part is warp 0 of workgroup 0" in text
    shown.click("Show the first difference")
    executed = "() => window.simtlab.stores[0].partner.value.executed"
    for _ in range(8):
        times = shown.page.evaluate("window.simtlab.stores.map(s => s.t.value)")
        n = shown.page.evaluate(executed)
        lane = int(shown.page.get_by_label("lane", exact=True).input_value())
        assert [instructions(r, lane, t) for r, t in zip((a, b), times, strict=True)] == [n, n]
        shown.press("Shift+ArrowRight")


def instructions(recording: Recording, lane: int, t: int) -> int:
    """Return how many instructions a lane of warp 0 has issued at the end of t."""
    return sum(
        min(int(i["n"]), t - int(i["t"]) + 1)
        for i in recording.issues
        if i["warp"] == 0 and int(i["mask"]) >> lane & 1 and i["t"] <= t
    )


def test_either_run_can_be_moved_and_neither_pulls_the_other_back(show: Show) -> None:
    a = History(scenarios.F6, "conv").recording
    b = History(scenarios.F6, "dws.branch-only").recording
    shown = show(a, b, hash="#t=6&warp=0&lane=0")
    # Lane 0 waits for a miss in A from 5 on: time passes all the same.
    for t in (6, 7, 8, 9):
        assert shown.t == t
        shown.press("ArrowRight")
    times = "window.simtlab.stores.map(s => s.t.value)"
    shown.page.evaluate("window.simtlab.stores[1].goto(20)")
    n = instructions(b, 0, 20)
    left, right = shown.page.evaluate(times)
    assert (right, instructions(a, 0, left)) == (20, n)
    shown.page.evaluate("window.simtlab.stores[0].goto(2)")
    left, right = shown.page.evaluate(times)
    assert (left, instructions(b, 0, right)) == (2, instructions(a, 0, 2))
    shown.page.evaluate("window.simtlab.stores[1].goto(20)")
    assert shown.page.evaluate(times)[1] == 20


def test_the_same_run_twice_has_no_difference(show: Show, split: Recording) -> None:
    text = show(split, split).page.locator(".pane-compare").inner_text()
    assert f"Both take {split.end} cycles." in text
    assert "Every warp issues the same instructions" in text
    assert "Every line was issued as often" in text
