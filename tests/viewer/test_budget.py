"""What a page of 100,000 issues costs: bytes, elements and calls to the canvas; times are printed.

Times are not asserted, since a busy machine would fail them. Run with `pytest -s` to see them.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np

from simtlab.programs.index import find
from simtlab.viewer.page import MOST_BYTES, page_text

from .support.browse import Shown
from .support.synthetic import Toy, repeated

ISSUES = 100_000


def big() -> bytes:
    """Return a recording of 16 warps of 16 lanes, made of one of a tenth of its length."""
    toy = Toy(
        find("merge").path, "merge_pairs", warps=16, width=16, issues=ISSUES // 10, splits=True,
        refills=True,
    )  # fmt: skip
    file = io.BytesIO()
    members: dict[str, Any] = repeated(toy.run(), 10)
    np.savez_compressed(file, **members)
    return file.getvalue()


FRAMES = """async ([what, n]) => {
    const [store, { drawn }] = [window.simtlab.stores[0], window.simtlab];
    const span = store.session.last + 1;
    const act = {
        scrub: i => store.goto((i * 37) % 1000),
        jump: i => store.goto((i * 7919) % span),
        pan: i => store.zoom(i * 40, i * 40 + 1000),
        whole: i => store.zoom(0, span - i),
    }[what];
    const times = [], calls = [];
    const frame = () => new Promise(requestAnimationFrame);
    // What was begun before is drawn first, so that it does not count.
    for (let quiet = 0, all = 0; quiet < 5 && all < 500; all++) {
        const before = drawn.calls;
        await frame();
        quiet = drawn.calls === before ? quiet + 1 : 0;
    }
    for (let i = 1; i <= n; i++) {
        const [began, before] = [performance.now(), drawn.calls];
        act(i);
        await frame();
        await frame(); // canvases are drawn in the first
        times.push((performance.now() - began) / 2);
        calls.push(drawn.calls - before);
    }
    times.sort((a, b) => a - b);
    return [times[n >> 1], times[Math.floor(n * 0.95)], Math.max(...calls)];
}"""


def test_a_page_of_100_000_issues(show: Callable[..., Shown]) -> None:
    text = page_text([("big", big())], "big")
    shown = show(text=text)
    page = shown.page
    started = page.evaluate("window.simtlab.startedIn")
    paint_of = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
    shown.until(f"{paint_of} !== undefined")
    paint = page.evaluate(paint_of)
    elements = page.evaluate("document.querySelectorAll('*').length")
    assert page.evaluate("window.simtlab.stores[0].session.recording.issue.count") == ISSUES
    print(f"\npage {len(text) / 1e6:.2f} MB, {elements} elements")
    print(f"first paint {paint:.0f} ms, recording read and drawn in {started:.0f} ms")
    assert len(text) <= MOST_BYTES
    assert elements <= 4000
    # Moving through what is in sight draws nothing; else rows of 16 warps, in three parts, and of
    # 16 lanes are drawn.
    for what, most in (("scrub", 0), ("jump", 200), ("pan", 200), ("whole", 200)):
        middle, slow, calls = page.evaluate(FRAMES, [what, 40])
        print(f"{what}: frames of {middle:.1f} ms (95 %: {slow:.1f} ms), at most {calls} calls")
        assert calls <= most, what
    assert page.evaluate("document.querySelectorAll('*').length") <= 4000
