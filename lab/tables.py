"""A table of words, as text and as Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ..emu.text.tables import aligned


def cell(value: Any, form: str) -> str:
    """Return a value as a cell; numbers that are not whole in this form, as `.3f`."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    return format(value, form) if isinstance(value, float) else str(value)


WORD = re.compile(r"(?<!\d)[^\W\d_]{3,}")
"""Characters that no number has, with or without a unit (64KiB)."""


@dataclass(frozen=True)
class Table:
    """Titles, and rows of as many cells.

    The first column is flush left. Others are flush right, in Markdown only columns of numbers.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def text(self) -> str:
        """Return the table in columns; a title of several words takes several lines."""
        titles = [_folded(title) for title in self.columns]
        height = max(map(len, titles))
        head = list(zip(*([""] * (height - len(t)) + t for t in titles), strict=True))
        return aligned((*head, *self.rows))

    def __str__(self) -> str:
        return self.text()

    def _repr_markdown_(self) -> str:
        return self.markdown()

    def markdown(self) -> str:
        """Return a Markdown table."""
        columns = list(zip(*self.rows, strict=True)) or [() for _ in self.columns]
        rule = ["---", *("---" if any(map(WORD.search, c)) else "---:" for c in columns[1:])]
        return "\n".join(
            "| " + " | ".join(cell.strip().replace("*", "\\*") for cell in row) + " |"
            for row in (self.columns, rule, *self.rows)
        )


def _folded(title: str) -> list[str]:
    """Return a title in lines of one or two words."""
    lines: list[str] = []
    for word in title.split():
        if lines and len(lines[-1]) + len(word) < 12:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
