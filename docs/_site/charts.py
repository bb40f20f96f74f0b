"""Charts of lanes: which lanes of a warp issue, step by step, drawn from a recording."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from runs import CommandFailed, folder_like, recording_of
from sphinx.util.docutils import SphinxDirective

from simtlab import Recording

PITCH, LEFT, TOP = 19, 52, 6
"""Sizes in pixels: from one cell to the next, the place of lane names, the upper edge."""


class Lanes(SphinxDirective):
    """A command that records a run; the page shows which lanes of a warp issued when.

    Options: `warp` (0), `caption`, `window` FROM:TO, `pitch` and `row`, the width of a column and
    the height of a row in pixels. Columns are the steps or cycles of the recording, rows are lanes.
    A cell shows where a lane issued; its colour is the kind of the instruction. In recordings with
    a clock, waits are shown too.
    """

    has_content = True
    option_spec = {  # noqa: RUF012
        "warp": directives.nonnegative_int,
        "caption": directives.unchanged_required,
        "window": directives.unchanged_required,
        "pitch": float,
        "row": float,
    }

    def run(self) -> list[nodes.Node]:
        """Return the picture and the caption; Sphinx calls this."""
        page = Path(self.get_source_info()[0])
        try:
            with folder_like(page) as folder:
                [file] = recording_of([line for line in self.content if line.strip()], folder)
                recording = Recording.load(file)
        except CommandFailed as error:
            raise self.error(str(error)) from None
        begin, _, end = self.options.get("window", ":").partition(":")
        picture = chart(
            recording,
            self.options.get("warp", 0),
            int(begin or recording.begin),
            int(end or recording.end),
            self.options.get("pitch", PITCH),
            self.options.get("row", PITCH),
        )
        caption = re.sub("`([^`]+)`", r"<code>\1</code>", escape(self.options.get("caption", "")))
        html = (
            f'<figure class="lanes"><div class="scroll">{picture}</div>'
            f"<figcaption>{caption} {legend(picture)}</figcaption></figure>"
        )
        return [nodes.raw("", html, format="html")]


KINDS = {
    "alu": "computes", "branch": "branch", "jump": "branch", "load": "memory", "store": "memory",
    "atomic": "memory", "barrier": "barrier", "fence": "barrier", "exit": "exit", "trap": "exit",
    "marker": "branch",
}  # fmt: skip
"""Kind of an instruction in a recording -> class of its cells."""

KEYS = {
    "computes": "computes", "branch": "branch", "memory": "memory", "barrier": "barrier",
    "exit": "return", "waits": "waits", "off": "not active",
}  # fmt: skip
"""Class of a cell -> its word in the legend."""


def legend(picture: str) -> str:
    """Return the words for the cells that a picture has."""
    words = [
        f'<span class="key {name}">{text}</span>'
        for name, text in KEYS.items()
        if f'class="{name}"' in picture
    ]
    return f'<span class="legend">{" ".join(words)}</span>'


def chart(
    recording: Recording, warp: int, begin: int, end: int, pitch: float = PITCH, row: float = PITCH
) -> str:
    """Return an SVG picture of the issues of a warp between two times, the end excluded."""
    width, unit = recording.width, recording.facts["unit"]
    wide, high = LEFT + pitch * (end - begin) + 12, TOP + row * width + 18
    gap, round_ = (2, 3) if pitch > 6 else (0, 0)
    named = 1 if row >= 14 else 4
    marked = next(n for n in (1, 5, 10, 50, 100, 500, 1000, 5000) if n * pitch >= 60)
    parts = [
        f'<svg role="img" width="{wide:g}" height="{high:g}" viewBox="0 0 {wide:g} {high:g}" '
        f'xmlns="http://www.w3.org/2000/svg"><title>{escape(recording.facts["title"])}</title>'
    ]
    parts += [
        _text(LEFT - 6, TOP + (lane + 0.5) * row + 4, "name", f"lane {lane}")
        for lane in range(0, width, named)
    ]
    for since, until, mask, cause in _waits(recording, warp, begin, end):
        cells = "".join(
            f'<rect class="waits" x="{LEFT + (since - begin) * pitch:g}" '
            f'y="{TOP + lane * row:g}" width="{(until - since) * pitch - gap:g}" '
            f'height="{row - max(gap, 1):g}" rx="{round_}"/>'
            for lane in range(width)
            if mask >> lane & 1
        )
        parts.append(f"<g><title>waits: {escape(cause)}</title>{cells}</g>")
    for t, instruction, mask in _issues(recording, warp, begin, end):
        text = escape(f"{unit} {t}: {' '.join(instruction['text'].split('//')[0].split())}")
        cells = "".join(
            f'<rect class="{KINDS[instruction["kind"]] if mask >> lane & 1 else "off"}" '
            f'x="{LEFT + (t - begin) * pitch:g}" y="{TOP + lane * row:g}" '
            f'width="{pitch - gap:g}" height="{row - max(gap, 1):g}" rx="{round_}"/>'
            for lane in range(width)
        )
        parts.append(f"<g><title>{text} (line {instruction['line']})</title>{cells}</g>")
    parts += [
        _text(LEFT + (t - begin + 0.5) * pitch, high - 4, "time", f"{t:,}")
        for t in range(begin, end)
        if t % marked == 0
    ]
    return "".join([*parts, "</svg>"])


def _text(x: float, y: float, kind: str, text: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}">{text}</text>'


def _waits(
    recording: Recording, warp: int, begin: int, end: int
) -> Iterator[tuple[int, int, int, str]]:
    """Yield begin, end, mask and cause of each wait of a warp, cut to the times that are shown."""
    rows = recording.tables["wait"]
    for wait in rows[rows["warp"] == warp]:
        since, until = max(int(wait["t"]), begin), min(int(wait["until"]), end)
        if since < until:
            cause = recording.facts["causes"][int(wait["cause"])]
            yield since, until, int(wait["mask"]), cause


def _issues(
    recording: Recording, warp: int, begin: int, end: int
) -> Iterator[tuple[int, dict[str, Any], int]]:
    """Yield time, instruction and mask of each issue of a warp, one for each instruction."""
    facts = recording.facts
    kernels = [kernel["instructions"] for kernel in facts["kernels"]]
    for issue in recording.issues[recording.issues["warp"] == warp]:
        instructions = kernels[facts["launches"][int(issue["launch"])]["kernel"]]
        for i in range(int(issue["n"])):
            if begin <= issue["t"] + i < end:
                yield int(issue["t"]) + i, instructions[int(issue["pc"]) + i], int(issue["mask"])
