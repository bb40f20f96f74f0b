"""The display of a recording in a notebook: its page in a frame, or a table of a large one."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from ..emu.text.tables import labelled_html

if TYPE_CHECKING:
    from ..recording.recording import Recording

MOST_ISSUES = 10_000
"""Issues of a recording that is shown as a page: replaying more takes longer than a cell should."""

MOST_MEMORY = 16 << 20
"""Bytes of arrays of a recording that is shown as a page."""

MOST_BYTES = 2_000_000
"""Length of a page, which the notebook's file keeps with every cell that shows it."""

HEIGHT = 640
"""Pixels of the frame; the page scrolls in it."""


def register(ipython: Any) -> None:
    """Let a shell show recordings, without importing them before there is one."""
    html = ipython.display_formatter.formatters["text/html"]
    html.for_type_by_name("simtlab.recording.recording", "Recording", recording_html)


def recording_html(recording: Recording) -> str:
    """Return the page of `simtlab view` in a frame, or a table of what no page can show."""
    reason = _empty_or_too_large(recording)
    if not reason:
        from ..viewer.page import page_of

        page = page_of([recording], most=MOST_BYTES)
        if len(page.text) <= MOST_BYTES:
            return _frame(page.text, str(recording.facts["title"]), page.remarks)
        reason = f"the page has {_megabytes(len(page.text))}, more than {_megabytes(MOST_BYTES)}"
    return _table(recording, reason)


def _empty_or_too_large(recording: Recording) -> str:
    issues, memory = len(recording.issues), recording.memory.nbytes
    if not issues:
        return recording.coverage
    if issues > MOST_ISSUES:
        return f"{issues:,} issues, more than {MOST_ISSUES:,}"
    if memory > MOST_MEMORY:
        return f"{_megabytes(memory)} of memory, more than {_megabytes(MOST_MEMORY)}"
    return ""


def _megabytes(number: int) -> str:
    return f"{number / 1e6:.1f} MB"


def _frame(page: str, title: str, remarks: list[str]) -> str:
    """Return a frame whose page cannot reach the notebook, and a line that stays without it."""
    text = page.replace("&", "&amp;").replace('"', "&quot;")
    more = "".join(f"<br/>{escape(remark)}" for remark in remarks)
    return (
        f'<iframe sandbox="allow-scripts" title="{escape(title)}" srcdoc="{text}" '
        f'style="width: 100%; height: {HEIGHT}px; border: 1px solid #8888; border-radius: 6px">'
        f"</iframe><p>{escape(title)}: the page of <code>simtlab view</code>. A notebook that is "
        f"not trusted shows this line only.{more}</p>"
    )


def _table(recording: Recording, reason: str) -> str:
    facts = recording.facts
    remedy = "record another window: window=(begin, end)"
    if len(recording.issues):
        remedy = 'simtlab.view(recording, "run.html"), or record less: window=(begin, end)'
    rows = [
        ("recording", str(facts["title"])),
        (f"{facts['unit']}s", f"{recording.begin:,} to {recording.end:,}"),
        ("issues", f"{len(recording.issues):,}"),
        ("warps", f"{len(facts['warps']):,} of {recording.width} lanes"),
        ("not shown as a page", reason),
        ("to see it", remedy),
    ]
    if facts["outcome"]:
        rows.insert(4, ("ended with", str(facts["outcome"]["text"]).split("\n")[0]))
    return labelled_html(rows)
