"""Maps: values by colour and number, on a grid or at places between two axes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .figure import Figure

PANELS_A_ROW = 3
CELL_INCHES = 0.5, 0.34
"""Width and height of a cell of a panel."""

CHARACTER_INCHES = 0.07

LABEL = 0.0072, 0.021
"""Width of a character and height of a line in places, as shares of the axes."""

LEAST_REACH = 0.3
"""Values about a rule that all are nearer than this are pale."""

DARK = 0.65
"""The share of a scale from which on a colour needs white text."""


def inches(figure: Figure) -> tuple[float, float]:
    """Return the width and height of panels, or of places."""
    if not figure.panels:
        return 9.0, 6.0
    n_rows, n_columns = _layout(figure)
    cells = max(5, len(figure.categories)), max(3, len(figure.series) // len(figure.panels))
    width, height = (n * size for n, size in zip(cells, CELL_INCHES, strict=True))
    names = max(len(_row_name(figure, name)) for name in figure.series) * CHARACTER_INCHES
    size = 1.0 + names + n_columns * (width + 0.2), 0.8 + n_rows * (height + 0.6)
    return max(size[0], 5.5), max(size[1], 3.2)


def _layout(figure: Figure) -> tuple[int, int]:
    """Return the rows and columns of panels."""
    n_rows = -(-len(figure.panels) // PANELS_A_ROW)
    return n_rows, -(-len(figure.panels) // n_rows)


def _row_name(figure: Figure, name: str) -> str:
    """Return the name of a series without that of its panel."""
    return next(name.removeprefix(f"{p}: ") for p in figure.panels if name.startswith(f"{p}: "))


def numbers(row: Iterable[float | None]) -> list[float]:
    """Return a row in which NaN is what has not been measured."""
    return [float("nan") if value is None else value for value in row]


def draw_map(axes: Any, figure: Figure) -> None:
    """Draw the series as rows of cells."""
    rows = [numbers(row) for row in figure.series.values()]
    _cells(axes, figure, rows, tuple(figure.series), _scale(figure, [v for r in rows for v in r]))
    axes.set_ylabel(figure.y)


def draw_panels(canvas: Any, figure: Figure) -> None:
    """Draw maps side by side, with one scale of colours."""
    n_rows, n_columns = _layout(figure)
    every = canvas.subplots(n_rows, n_columns, squeeze=False).flat
    rows = [numbers(row) for row in figure.series.values()]
    scale = _scale(figure, [v for row in rows for v in row])
    height = len(rows) // len(figure.panels)
    for i, axes in enumerate(every):
        if i >= len(figure.panels):
            axes.set_visible(False)
            continue
        panel = figure.panels[i]
        part = slice(i * height, (i + 1) * height)
        names = [_row_name(figure, name) for name in list(figure.series)[part]]
        _cells(axes, figure, rows[part], names, scale)
        if i % n_columns:
            axes.set_yticklabels([])
        axes.set_title(panel, loc="left", fontsize=9)
    canvas.suptitle(figure.title, fontsize=10)
    canvas.supxlabel(figure.x, fontsize=9)
    canvas.supylabel(fill(figure.y, 34), fontsize=9)


def draw_places(axes: Any, figure: Figure) -> None:
    """Draw a labelled dot at each place, and below the dots the colours of the ground."""
    (x_title, xs), (y_title, ys), (value_title, values) = list(figure.series.items())[:3]
    known = [
        (label, x, y, value)
        for label, x, y, value in zip(figure.categories, xs, ys, values, strict=True)
        if x is not None and y is not None and value is not None
    ]
    spots = list(zip(*figure.ground, strict=True)) or [(), (), ()]
    colours = _scale(figure, [*spots[2], *(place[3] for place in known)])
    if _are_area(figure.ground):
        norm = colours["norm"]
        levels = [norm.inverse(i / 40) for i in range(41)]
        axes.tricontourf(*spots, levels=levels, alpha=0.75, **colours)
    dots = axes.scatter(
        *zip(*(place[1:3] for place in known), strict=True), s=36, edgecolor="black",
        c=[place[3] for place in known], linewidth=0.7, zorder=3, **colours,
    )  # fmt: skip
    labels = [f"{place[0]} {place[3]:.{figure.digits}f}" for place in known]
    for text, corner in zip(labels, corners(labels, [p[1:3] for p in known]), strict=True):
        axes.text(*corner, text, fontsize=6.5, va="bottom")
    axes.set_xlim(-0.03, 1.12)
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlabel(x_title)
    axes.set_ylabel(y_title)
    axes.figure.colorbar(dots, ax=axes, label=value_title, shrink=0.8)


def _are_area(ground: Sequence[tuple[float, float, float]]) -> bool:
    """Return whether the spots are not all on a line."""
    return len(ground) >= 4 and all(len({spot[i] for spot in ground}) > 1 for i in (0, 1))


def corners(
    labels: Sequence[str], dots: Sequence[tuple[float, float]]
) -> Iterator[tuple[float, float]]:
    """Yield the lower left corner of each label: near its dot, away from dots and labels."""
    width, height = LABEL
    taken = [(x - 0.006, y - 0.009, x + 0.006, y + 0.009) for x, y in dots]
    for label, (x, y) in zip(labels, dots, strict=True):
        long = width * len(label)
        boxes = [
            (left, low, left + long, low + height)
            for step in range(6)
            for low in (y - height / 2 + step * 0.018, y - height / 2 - step * 0.018)
            for left in (x + 0.01, x - 0.01 - long)
        ]
        free = (box for box in boxes if box[0] > -0.03 and not any(_meet(box, t) for t in taken))
        box = next(free, boxes[0])
        taken.append(box)
        yield box[:2]


def _meet(a: Sequence[float], b: Sequence[float]) -> bool:
    """Return whether two boxes (left, low, right, high) overlap."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _scale(figure: Figure, values: Iterable[float]) -> dict[str, Any]:
    """Return colours for the values: about `rule`, if there is one, as far on both sides."""
    from matplotlib.colors import Normalize, TwoSlopeNorm

    known = [v for v in values if v == v]
    if figure.rule is None:
        low, high = min(known, default=0.0), max(known, default=1.0)
        return {"cmap": "viridis", "norm": Normalize(low, high)}
    reach = max((abs(v - figure.rule) for v in known), default=0.0)
    reach = max(reach, LEAST_REACH)
    norm = TwoSlopeNorm(figure.rule, figure.rule - reach, figure.rule + reach)
    return {"cmap": "RdBu", "norm": norm}


def _cells(
    axes: Any, figure: Figure, rows: Sequence[Sequence[float]], names: Sequence[str],
    scale: dict[str, Any],
) -> None:  # fmt: skip
    axes.imshow(rows, aspect="auto", **scale)
    turned = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    long = max(map(len, figure.categories)) > 5
    axes.set_xticks(range(len(figure.categories)), figure.categories, **(turned if long else {}))
    axes.set_yticks(range(len(rows)), names)
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            if value == value:
                share = float(scale["norm"](value))
                dark = share < 1 - DARK if figure.rule is None else abs(share - 0.5) > DARK / 2
                axes.text(x, y, f"{value:.{figure.digits}f}", ha="center", va="center", fontsize=8,
                          color="white" if dark else "black")  # fmt: skip
