"""What a page shows, read from its elements as a reader would."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

PATIENCE = 120.0
"""Seconds until what does not happen is a failure: far more than a loaded machine needs."""

_FRAME = "new Promise(done => requestAnimationFrame(() => setTimeout(done)))"

DRAWN = f"{_FRAME}.then(() => {_FRAME})"
"""A promise kept when a page has drawn itself, with what it puts off until after a frame."""


def until(check: Callable[[], Any], wait: Callable[[], object], what: str) -> None:
    """Ask again and again until the answer is true."""
    end = time.monotonic() + PATIENCE
    while not check():
        assert time.monotonic() < end, what
        wait()


class Shown:
    """An open page. `problems` are its uncaught errors, `requests` what it wanted of a network.

    Whatever reads the page first lets it finish its drawing, since a slow browser is some frames
    late. What a test does to `page` itself may change it, so the next reading waits again.
    """

    def __init__(self, page: Any) -> None:
        self._page = page
        self._is_settled = False
        self.problems: list[str] = []
        self.requests: list[str] = []
        page.on("pageerror", self._failed)
        page.on("request", self._requested)

    def _failed(self, error: Any) -> None:
        self.problems.append(str(error))

    def _requested(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:")):
            self.requests.append(request.url)

    def until(self, script: str) -> None:
        """Wait for a script to be true; the page's own policy forbids what the driver would do."""
        until(lambda: self._page.evaluate(script), lambda: self._page.wait_for_timeout(20), script)
        self._is_settled = False

    def settle(self) -> None:
        """Let the page finish what it draws after a frame, and what that leads to."""
        if not self._is_settled:
            self._page.evaluate(DRAWN)
            self._is_settled = True

    def leave(self) -> None:
        """Empty the window, and notice no more of what happens in it."""
        self._page.goto("about:blank")
        self._page.remove_listener("pageerror", self._failed)
        self._page.remove_listener("request", self._requested)

    @property
    def window(self) -> Any:
        """The browser's page, whatever it is doing."""
        return self._page

    @property
    def page(self) -> Any:
        """The browser's page, which has drawn itself; the caller may change it."""
        self.settle()
        self._is_settled = False
        return self._page

    @property
    def _read(self) -> Any:
        """The browser's page, which has drawn itself, for what does not change it."""
        self.settle()
        return self._page

    # --- doing

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def click(self, name: str, role: str = "button") -> None:
        self.page.get_by_role(role, name=name, exact=True).first.click()

    def goto(self, t: int) -> None:
        box = self.page.locator("#time")
        box.fill(str(t))
        box.press("Enter")
        box.blur()

    def choose(self, label: str, value: str) -> None:
        self.page.get_by_label(label, exact=True).first.select_option(value)

    # --- reading

    @property
    def t(self) -> int:
        return int(self._read.locator("#time").input_value())

    @property
    def step(self) -> str:
        return self._read.locator(".step").first.inner_text()

    def rows(self, table: str) -> list[list[str]]:
        """Return the rows of a table of the hardware, top first: `stack`, `pairs`, `splits`."""
        found = self._read.eval_on_selector_all(
            f".machine.{table} [data-row], .machine.{table}[data-row]",
            "rows => rows.map(row => row.dataset.row)",
        )
        return [row.split() for row in found]

    def paths(self) -> list[tuple[str, str]]:
        """Return mask and description of each path."""
        found = self._read.eval_on_selector_all(
            ".paths li",
            "rows => rows.map(row => [row.querySelector('.mask').textContent, row.textContent])",
        )
        return [(mask, re.sub(r"\s+", " ", text)) for mask, text in found]

    def lanes(self) -> str:
        """Return a letter for each lane: I issues, w waits, - holds nothing."""
        letters = {"issues": "I", "waits": "w", "gone": "-"}
        looks = self._read.eval_on_selector_all(
            ".lanes .lane", "lanes => lanes.map(lane => lane.classList[1])"
        )
        return "".join(letters[look] for look in looks)

    def line(self) -> int | None:
        """Return the source line that runs now."""
        found = self._read.eval_on_selector_all(
            ".listing li.now .number", "n => n.map(x => Number(x.textContent))"
        )
        return found[0] if found else None

    def registers(self) -> dict[str, str]:
        found = self._read.eval_on_selector_all(
            ".registers tbody tr",
            "rows => rows.map(row => [row.cells[0].textContent, row.cells[1].textContent])",
        )
        return dict(found)

    def new_registers(self) -> list[str]:
        return self._read.eval_on_selector_all(
            ".registers tr.new th", "cells => cells.map(cell => cell.textContent)"
        )

    def cells(self) -> list[str]:
        """Return the elements of memory that are shown."""
        return self._read.eval_on_selector_all(
            ".cells .cell", "cells => cells.map(cell => cell.lastChild.textContent)"
        )

    def lit_blocks(self) -> list[str]:
        return self._read.eval_on_selector_all(
            ".block.lit .name", "names => names.map(name => name.textContent)"
        )

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than its window."""
        return self._read.evaluate("document.documentElement.scrollWidth - innerWidth")
