"""A browser for the page's tests: Chromium driven by Playwright, or a reason to skip them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from simtlab.recording.recording import Recording
from simtlab.viewer.page import page_of

from .support.browse import PATIENCE, Shown

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = os.environ.get("SIMTLAB_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        pytest.skip("there is no Chromium; SIMTLAB_CHROMIUM can name one")
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=path, args=_QUIET, timeout=1000 * PATIENCE)
        yield found
        found.close()


@pytest.fixture(scope="session")
def idle() -> list[Any]:
    """Usual windows that tests have left empty: a new one costs a second of CPU time."""
    return []


@pytest.fixture
def show(browser: Any, idle: list[Any], tmp_path: Path) -> Iterator[Callable[..., Shown]]:
    """Return a function that opens the page of recordings, or an HTML text."""
    opened: list[Shown] = []
    usual: list[Any] = []

    def open_page(
        *recordings: Recording,
        text: str | None = None,
        hash: str = "",
        width: int = 1400,
        init: str = "",
        **options: Any,
    ) -> Shown:
        path = tmp_path / f"page{len(opened)}.html"
        path.write_text(page_of(recordings).text if text is None else text, "utf-8")
        is_usual = width == 1400 and not init and not options
        if is_usual and idle:
            page = idle.pop()
        else:
            page = browser.new_page(viewport={"width": width, "height": 900}, **options)
            page.set_default_timeout(1000 * PATIENCE)
        if is_usual:
            usual.append(page)
        shown = Shown(page)
        opened.append(shown)
        if init:
            page.add_init_script(init)
        page.goto(f"{path.as_uri()}{hash}")
        shown.until("!!(window.simtlabStarted || document.querySelector('[role=alert]'))")
        return shown

    yield open_page
    for shown in opened:
        shown.leave()
    for page in usual:
        page.emulate_media(media="null")
        page.mouse.move(0, 0)
        idle.append(page)
    for shown in opened:
        if shown.window not in usual:
            shown.window.close()
        assert not shown.problems
        assert not shown.requests
