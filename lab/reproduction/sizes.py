"""Sizes of pictures in inches, so that their text is as large as a page's.

A browser shows an inch as 96 pixels and narrows a picture that is wider than its page. A picture of
at most `PAGE_INCHES` keeps its text of `FONT` points, which is 12 pixels.
"""

from __future__ import annotations

from collections.abc import Iterable

PAGE_INCHES = 7.9
FONT = 9
CHARACTER_INCHES = 0.07
"""Mean width of a character of text."""


def text_inches(texts: Iterable[str]) -> float:
    """Return the width of the longest text."""
    return CHARACTER_INCHES * max(map(len, texts), default=0)
