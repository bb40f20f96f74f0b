"""Highlighted sources as HTML, for notebooks and pages."""

from __future__ import annotations

MAX_LINES = 500
"""Lines of a source that are shown."""


def highlighted(text: str) -> str:
    """Return a source as a block of HTML that needs no style sheet. Everything is escaped.

    Colours are for a light background, which the block brings along. Of a long source the first
    500 lines are shown.
    """
    from pygments import highlight
    from pygments.formatters import HtmlFormatter

    from .lexer import SasmLexer

    lines = text.strip("\n").split("\n")
    shown = "\n".join(lines[:MAX_LINES])
    if len(lines) > MAX_LINES:
        shown += f"\n// {len(lines) - MAX_LINES} more lines are not shown"
    formatter = HtmlFormatter(
        noclasses=True,
        nobackground=True,
        cssstyles="background:#fff;color:#222;padding:0.5em;overflow:auto",
        prestyles="margin:0;line-height:1.3;text-align:left",
    )
    return highlight(shown, SasmLexer(stripnl=False), formatter)
