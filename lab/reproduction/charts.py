"""Charts over categories: bars, stacks and lines, in as many rows of axes as a page needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from textwrap import fill
from typing import TYPE_CHECKING, Any

from .maps import numbers
from .sizes import CHARACTER_INCHES, PAGE_INCHES, text_inches

if TYPE_CHECKING:
    from .figure import Figure

COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#9d755d", "#8c8c8c")
HATCHES = ("", "///", "---", "xxx", "\\\\\\", "|||", "+++", "//--")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""Series differ by shape too, so that a print without colours can be read."""

BAR_INCHES = 0.16
LEAST_BAR_INCHES = 0.11
"""Width of a bar where there is room, and where a second row of groups begins."""

GAP = 1.5
"""Width of the gap between two groups, in bars."""

LEFT_INCHES = 0.8
"""Width of what is left of the axes."""

LEGEND_KEY_INCHES, LEGEND_LINE_INCHES = 0.55, 0.19
"""Width of a series' entry in the legend without its name, and its height."""


def inches(figure: Figure) -> tuple[float, float]:
    """Return the width and height of a picture."""
    n, rows = len(figure.categories), _n_rows(figure)
    if _are_names(figure):
        return PAGE_INCHES, 0.9 + 0.21 * n
    bars = n * (len(figure.series) + GAP) if figure.kind == "bars" else 3.0 * n
    width = PAGE_INCHES if rows > 1 else min(PAGE_INCHES, max(6.0, 2.2 + bars * BAR_INCHES))
    legend = LEGEND_LINE_INCHES * len(_legend_rows(figure, width))
    return width, legend + (3.2 if rows == 1 else 0.6 + 2.2 * rows)


def draw(canvas: Any, figure: Figure) -> None:
    """Draw the figure with the paper's axes; a row of axes for each row of groups."""
    if _are_names(figure):
        _named_bars(canvas.subplots(), figure)
        return
    rows = _n_rows(figure)
    groups = -(-len(figure.categories) // rows)
    every = canvas.subplots(rows, 1, sharey=True, squeeze=False)[:, 0]
    for i, axes in enumerate(every):
        part = slice(i * groups, (i + 1) * groups)
        series = {name: numbers(row[part]) for name, row in figure.series.items()}
        _KINDS[figure.kind](axes, series)
        _frame(axes, figure, figure.categories[part], groups)
    # Limits end the search for them: they are set when every row has been drawn.
    every[0].set_ylim(0, max(every[0].get_ylim()[1], 1.05 * (figure.rule or 0)))
    every[-1].set_xlabel(figure.x)
    _name_series(every[0], figure)


def _n_rows(figure: Figure) -> int:
    """Return the number of rows of groups in which no bar is too thin."""
    if figure.kind != "bars":
        return 1
    bars = len(figure.categories) * (len(figure.series) + GAP)
    return -int(-bars * LEAST_BAR_INCHES // (PAGE_INCHES - LEFT_INCHES))


def _are_names(figure: Figure) -> bool:
    """Return whether the bars are single ones with long names, which are read on the left."""
    return (
        figure.kind == "bars" and len(figure.series) == 1 and sum(map(len, figure.categories)) > 70
    )


def _bars(axes: Any, series: Mapping[str, Sequence[float]]) -> None:
    width = 0.85 / len(series)
    for i, (name, row) in enumerate(series.items()):
        places = [c + (i - (len(series) - 1) / 2) * width for c in range(len(row))]
        axes.bar(places, row, width, label=name, **_look(i))


def _named_bars(axes: Any, figure: Figure) -> None:
    [row] = figure.series.values()
    values = numbers(row)
    axes.barh(range(len(row)), values, 0.75, **_look(0))
    for i, value in enumerate(values):
        text = f"{value:.{figure.digits}f}" if value == value else "-"
        axes.text(1.01, i, text, va="center", transform=axes.get_yaxis_transform())
    axes.set_yticks(range(len(row)), figure.categories)
    axes.set_ylim(len(row) - 0.4, -0.6)
    axes.set_xlabel(figure.y)
    if figure.rule is not None:
        axes.axvline(figure.rule, color="black", linewidth=0.8)
    axes.set_title(figure.title, loc="left", fontsize=10)


def _lines(axes: Any, series: Mapping[str, Sequence[float]]) -> None:
    for i, (name, row) in enumerate(series.items()):
        axes.plot(range(len(row)), row, label=name, color=COLOURS[i % 8],
                  marker=MARKS[i % 8], linestyle=("-", "--")[i // 8 % 2], markersize=5)  # fmt: skip
    axes.grid(axis="y", linewidth=0.3)


def _stacks(axes: Any, series: Mapping[str, Sequence[float]]) -> None:
    below: list[float] = []
    for i, (name, row) in enumerate(series.items()):
        heights = [value if value == value else 0.0 for value in row]
        below = below or [0.0] * len(heights)
        axes.bar(range(len(row)), heights, 0.7, bottom=below, label=name, **_look(i))
        below = [low + height for low, height in zip(below, heights, strict=True)]


def _look(i: int) -> dict[str, Any]:
    """Return what the bars of series i look like."""
    return {
        "color": COLOURS[i % 8], "hatch": HATCHES[i % 8], "edgecolor": "white", "linewidth": 0.4,
    }  # fmt: skip


def _frame(axes: Any, figure: Figure, categories: Sequence[str], places: int) -> None:
    """Label the axes of a row that has room for as many groups as the first."""
    axes.set_ylabel(fill(figure.y, 36))
    axes.set_xlim(-0.6, places - 0.4)
    room = (inches(figure)[0] - LEFT_INCHES) / places
    narrow = text_inches(figure.categories) + CHARACTER_INCHES / 2 > room
    axes.set_xticks(
        range(len(categories)), categories,
        **({"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if narrow else {}),
    )  # fmt: skip
    if figure.rule is not None:
        axes.axhline(figure.rule, color="black", linewidth=0.8)


def _name_series(axes: Any, figure: Figure) -> None:
    """Put the title above the axes, and between them the names of the series in their order."""
    rows = _legend_rows(figure, inches(figure)[0])
    known = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    # matplotlib fills columns; a reader goes row by row.
    names = [name for column in zip_longest(*rows) for name in column if name is not None]
    axes.legend(
        [known[name] for name in names], names, ncols=len(rows[0]), frameon=False,
        loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2, borderpad=0.2,
        columnspacing=1.2, handletextpad=0.5,
    )  # fmt: skip
    axes.set_title(
        figure.title, loc="left", fontsize=10, pad=8 + 72 * LEGEND_LINE_INCHES * len(rows)
    )


def _legend_rows(figure: Figure, width: float) -> list[list[str]]:
    """Return the names of the series in as few rows as a picture of this width has room for."""
    names = list(figure.series)
    for n in range(len(names), 1, -1):
        rows = [names[i : i + n] for i in range(0, len(names), n)]
        columns = zip_longest(*rows, fillvalue="")
        if sum(text_inches(c) + LEGEND_KEY_INCHES for c in columns) < width - LEFT_INCHES:
            # As few columns as these rows need, so that the last one is not nearly empty.
            n = -(-len(names) // len(rows))
            return [names[i : i + n] for i in range(0, len(names), n)]
    return [[name] for name in names]


_KINDS = {"bars": _bars, "lines": _lines, "stacks": _stacks}
