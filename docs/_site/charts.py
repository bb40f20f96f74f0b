"""Charts of lanes: which lanes of a warp issue, step by step, drawn from a recording."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from docutils import nodes
from docutils.parsers.rst import directives
from runs import CommandFailed, folder_like, recording_of
from sphinx.util.docutils import SphinxDirective

from simtlab import Recording

CELL, GAP, LEFT, TOP = 17, 2, 46, 6
"""Sizes in pixels: a lane's cell, between cells, the place of lane names, the upper edge."""


class Lanes(SphinxDirective):
    """A command that records a run; the page shows which lanes of a warp issued when.

    Options: `warp` (0), `caption`, `window` FROM:TO. Columns are the steps or cycles of the
    recording, rows are lanes. A cell shows where a lane issued; its colour is the kind of the
    instruction.
    """

    has_content = True
    option_spec = {  # noqa: RUF012
        "warp": directives.nonnegative_int,
        "caption": directives.unchanged_required,
        "window": directives.unchanged_required,
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
        )
        caption = escape(self.options.get("caption", ""))
        html = (
            f'<figure class="lanes"><div class="scroll">{picture}</div>'
            f"<figcaption>{caption} {LEGEND}</figcaption></figure>"
        )
        return [nodes.raw("", html, format="html")]


KINDS = {
    "alu": "computes", "branch": "branch", "jump": "branch", "load": "memory", "store": "memory",
    "atomic": "memory", "barrier": "barrier", "fence": "barrier", "exit": "exit", "trap": "exit",
    "marker": "branch",
}  # fmt: skip
"""Kind of an instruction in a recording -> class of its cells."""

LEGEND = '<span class="legend">' + " ".join(
    f'<span class="key {name}">{text}</span>'
    for name, text in (
        ("computes", "computes"),
        ("branch", "branch"),
        ("memory", "memory"),
        ("barrier", "barrier"),
        ("exit", "return"),
        ("off", "not active"),
    )
) + "</span>"  # fmt: skip


def chart(recording: Recording, warp: int, begin: int, end: int) -> str:
    """Return an SVG picture of the issues of a warp between two times, the end excluded."""
    width, unit = recording.width, recording.facts["unit"]
    kernels = recording.facts["kernels"]
    rows = recording.issues[recording.issues["warp"] == warp]
    columns: list[tuple[int, dict[str, Any], int]] = []
    for row in rows:
        launch = recording.facts["launches"][int(row["launch"])]
        kernel = next(k for k in kernels if k["name"] == launch["kernel"])
        for i in range(int(row["n"])):
            t = int(row["t"]) + i
            if begin <= t < end:
                columns.append((t, kernel["instructions"][int(row["pc"]) + i], int(row["mask"])))
    step = CELL + GAP
    wide, high = LEFT + step * (end - begin) + 4, TOP + step * width + 18
    parts = [
        f'<svg role="img" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" '
        f'xmlns="http://www.w3.org/2000/svg"><title>{escape(recording.facts["title"])}</title>'
    ]
    parts += [
        f'<text x="{LEFT - 6}" y="{TOP + lane * step + 13}" class="name">lane {lane}</text>'
        for lane in range(width)
        if width <= 16 or lane % 4 == 0
    ]
    for t, instruction, mask in columns:
        x = LEFT + (t - begin) * step
        text = escape(f"{unit} {t}: {' '.join(instruction['text'].split('//')[0].split())}")
        place = escape(f"line {instruction['line']}")
        active = np.array([(mask >> lane) & 1 for lane in range(width)], bool)
        cells = "".join(
            f'<rect class="{KINDS[instruction["kind"]] if on else "off"}" x="{x}" '
            f'y="{TOP + lane * step}" width="{CELL}" height="{CELL}" rx="3"/>'
            for lane, on in enumerate(active)
        )
        parts.append(f"<g><title>{text} ({place})</title>{cells}</g>")
    parts += [
        f'<text x="{LEFT + (t - begin) * step + CELL / 2}" y="{high - 4}" class="time">{t}</text>'
        for t in range(begin, end)
        if t % 5 == 0
    ]
    return "".join([*parts, "</svg>"])
