"""Tables of plain text, for results, listings and comparisons of every layer above.

No library is used: rich folds lines to the width of a terminal, which is right for lists that a
command prints (cli/output/output.py) and wrong for texts that are stored, compared and piped.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

GAP = "  "
"""What separates two columns."""


def labelled(rows: Iterable[tuple[str, str]], least: int = 0) -> str:
    """Return labels and values in two columns; further lines of a value go below its first.

    The column of labels is at least `least` characters wide.
    """
    lines: list[tuple[str, str]] = []
    for label, value in rows:
        first, *rest = value.split("\n")
        lines += [(label, first), *(("", line) for line in rest)]
    return aligned(lines, left=(0, 1), least=(least,))


def aligned(
    rows: Iterable[Sequence[str]], left: Collection[int] = (0,), least: Sequence[int] = ()
) -> str:
    """Return rows with aligned columns: those in `left` flush left, the others flush right.

    `least` has the least widths of the first columns. A row with fewer cells than the first one is
    a remark: its last cell has no column, and is as wide as its text.
    """
    rows = list(rows)
    full = len(rows[0]) if rows else 0
    widths = [*least, *[0] * (full - len(least))]
    for row in rows:
        for column, cell in enumerate(row if len(row) == full else row[:-1]):
            widths[column] = max(widths[column], len(cell))
    lines: list[str] = []
    for row in rows:
        placed = row if len(row) == full else row[:-1]
        cells = [
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(placed, widths, strict=False))
        ]
        lines.append(GAP.join((*cells, *row[len(placed) :])).rstrip())
    return "\n".join(lines)


def labelled_html(rows: Iterable[tuple[str, str]]) -> str:
    """Return labels and values as an HTML table, for notebooks."""
    from html import escape  # 2 ms that no command needs

    cells = "".join(
        f"<tr><th style='text-align:left'>{escape(label)}</th>"
        f"<td style='text-align:left'>{escape(value)}</td></tr>"
        for label, value in rows
    )
    return f"<table>{cells}</table>"
