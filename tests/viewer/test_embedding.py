"""The page in a frame of another one: of the documentation's site, and of a notebook."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.editors.recordings import recording_html
from simtlab.recording.recording import Recording
from simtlab.viewer.page import page_of

from .support.browse import DRAWN, PATIENCE
from .support.browse import until as wait_until

SITE = Path(__file__).parents[2] / "docs" / "_site" / "static" / "views.js"

KERNEL = """
kernel k(global u32* %y) {
    workitemid_u32      $s0, 0
    and_u32             $s1, $s0, 1
    cmp_eq_u32          $c0, $s1, 0
    cbr                 $c0, @done
    add_u32             $s0, $s0, 7
@done:
    ret
}
"""

Embedded = tuple[Any, Any]
"""The outer page, and the frame in it."""


@pytest.fixture(scope="module")
def recording() -> Recording:
    kernel = simtlab.assemble(KERNEL)["k"]
    return simtlab.record(kernel, items=8, group_size=8, warp=8)(np.zeros(8, np.uint32))


@pytest.fixture
def embed(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Embedded]]:
    """Return a function that opens a page around a frame, and returns both."""
    problems: list[str] = []
    opened: list[Any] = []

    def open_around(html: str, **options: Any) -> Embedded:
        path = tmp_path / "outer.html"
        path.write_text(f"<!doctype html><meta charset=utf-8>{html}", "utf-8")
        page = browser.new_page(viewport={"width": 1000, "height": 800}, **options)
        page.set_default_timeout(1000 * PATIENCE)
        opened.append(page)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
        page.goto(path.as_uri())
        frame = page.frames[1]
        until(lambda: frame.evaluate("!!window.simtlabStarted"))
        return page, frame

    yield open_around
    for page in opened:
        page.close()
    assert not problems


def until(check: Callable[[], bool]) -> None:
    wait_until(check, lambda: time.sleep(0.02), "the frame does not become as it should")


def theme(frame: Any) -> str:
    return frame.evaluate("document.documentElement.dataset.theme ?? 'auto'")


def on_site(tmp_path: Path, recording: Recording, chosen: str) -> str:
    (tmp_path / "view.html").write_text(page_of([recording]).text, "utf-8")
    script = SITE.read_text("utf-8")
    return (
        f'<body data-theme="{chosen}"><script>{script}</script>'
        '<figure class="view"><iframe src="view.html#t=3" width=900 height=600 loading="lazy">'
        "</iframe></figure>"
    )


def test_the_page_follows_the_switch_of_the_site(embed, tmp_path, recording) -> None:
    page, frame = embed(on_site(tmp_path, recording, "dark"))
    until(lambda: theme(frame) == "dark")
    background = "getComputedStyle(document.body).backgroundColor"
    dark = frame.evaluate(background)
    for chosen in ("light", "auto", "dark"):
        page.evaluate(f"document.body.dataset.theme = '{chosen}'")
        until(lambda chosen=chosen: theme(frame) == chosen)
        assert (frame.evaluate(background) == dark) == (chosen == "dark")
    until(lambda: frame.evaluate("location.hash") == "#t=3&warp=0&lane=0")


def test_the_switch_of_the_page_counts_until_that_of_the_site_is_used(
    embed, tmp_path, recording
) -> None:
    page, frame = embed(on_site(tmp_path, recording, "light"))
    until(lambda: theme(frame) == "light")
    frame.locator(".theme").click()
    until(lambda: theme(frame) == "dark")
    page.evaluate("document.body.dataset.theme = 'auto'")
    until(lambda: theme(frame) == "auto")


@pytest.mark.parametrize("message", ["{simtlabTheme: 'pink'}", "'dark'", "null", "{theme: 'dark'}"])
def test_other_messages_change_nothing(embed, tmp_path, recording, message: str) -> None:
    page, frame = embed(on_site(tmp_path, recording, "light"))
    until(lambda: theme(frame) == "light")
    frame.evaluate("window.heard = 0; addEventListener('message', () => window.heard++)")
    page.evaluate(f"document.querySelector('iframe').contentWindow.postMessage({message}, '*')")
    frame.evaluate("postMessage({simtlabTheme: 'dark'}, '*')")  # not from the page around it
    until(lambda: frame.evaluate("window.heard") == 2)
    frame.evaluate(DRAWN)
    assert theme(frame) == "light"


def test_the_display_of_a_notebook_works_without_an_address(embed, recording) -> None:
    page, frame = embed(recording_html(recording))
    assert page.locator("iframe").bounding_box()["height"] == 642
    step = frame.locator("#time")
    before = step.input_value()
    frame.get_by_role("button", name="Forward one step", exact=True).first.click()
    until(lambda: step.input_value() != before)
    frame.evaluate("new Promise(done => setTimeout(done, 400))")  # it would write the address now
    assert frame.evaluate("location.href") == "about:srcdoc"
    assert page.get_by_text("k under stack: the page of simtlab view.").is_visible()
