"""Maps: values by colour and number, on a grid or at places between two axes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from .sizes import FONT, PAGE_INCHES, text_inches

if TYPE_CHECKING:
    from .figure import Figure

MOST_PANELS_A_ROW = 3
CELL_INCHES = 0.5, 0.34
"""Width and height of a cell of a panel."""

PLACES_INCHES = PAGE_INCHES, 8.0
LABEL_FONT = 8
LABEL = 0.0112, 0.0215
"""Width of a character and height of a line in places, as units of the axes."""

LEAST_X, MOST_Y = -0.03, 1.07
"""The left and upper end of the axes of places, with room for labels."""

LEAST_REACH = 0.3
"""Values about a rule that all are nearer than this are pale."""

DARK = 0.65
"""The share of a scale from which on a colour needs white text."""

KINDS = ("map", "places")


def inches(figure: Figure) -> tuple[float, float]:
    """Return the width and height of a map, of panels, or of places."""
    if figure.kind == "places":
        return PLACES_INCHES
    n_rows, n_columns = _layout(figure)
    width, height = _panel_inches(figure)
    size = _left_inches(figure) + n_columns * width, 0.8 + n_rows * (height + 0.6)
    return min(PAGE_INCHES, max(size[0], 5.5)), max(size[1], 3.2)


def draw(canvas: Any, figure: Figure) -> None:
    """Draw a map, panels, or places."""
    if figure.panels:
        draw_panels(canvas, figure)
        return
    axes = canvas.subplots()
    axes.set_title(figure.title, loc="left", fontsize=10)
    axes.set_xlabel(figure.x)
    if figure.kind == "map":
        draw_map(axes, figure)
    else:
        draw_places(axes, figure)


def _panel_inches(figure: Figure) -> tuple[float, float]:
    """Return the width and height of the cells of a panel, with the gap to the next."""
    n_columns, n_rows = len(figure.categories), len(figure.series) // max(1, len(figure.panels))
    width, height = CELL_INCHES
    return max(5, n_columns) * width + 0.2, max(3, n_rows) * height


def _left_inches(figure: Figure) -> float:
    """Return the width of what is left of the panels: the names of the rows, and the axis'."""
    return 0.8 + text_inches(_row_name(figure, name) for name in figure.series)


def _layout(figure: Figure) -> tuple[int, int]:
    """Return the rows and columns of panels, as many columns as a page has room for."""
    n = max(1, len(figure.panels))
    room = PAGE_INCHES - _left_inches(figure)
    most = max(1, min(MOST_PANELS_A_ROW, int(room / _panel_inches(figure)[0])))
    n_rows = -(-n // most)
    return n_rows, -(-n // n_rows)


def _row_name(figure: Figure, name: str) -> str:
    """Return the name of a series without that of its panel."""
    starts = (f"{panel}: " for panel in figure.panels)
    return next((name.removeprefix(s) for s in starts if name.startswith(s)), name)


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
        if i + n_columns < len(figure.panels):
            axes.set_xticklabels([])
        axes.set_title(panel, loc="left", fontsize=FONT)
    canvas.suptitle(figure.title, fontsize=10, x=0.01, ha="left")
    canvas.supxlabel(figure.x, fontsize=FONT)
    canvas.supylabel(fill(figure.y, 34), fontsize=FONT)


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
    places = [place[1:3] for place in known]
    for text, place, corner in zip(labels, places, corners(labels, places), strict=True):
        axes.text(*corner, text, fontsize=LABEL_FONT, va="bottom")
        _lead(axes, text, place, corner)
    axes.set_xlim(LEAST_X, 1.24)
    axes.set_ylim(-0.03, MOST_Y)
    axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    axes.set_xlabel(x_title)
    axes.set_ylabel(y_title)
    axes.figure.colorbar(dots, ax=axes, label=value_title, location="bottom", shrink=0.6, aspect=35)


def _lead(axes: Any, label: str, place: tuple[float, float], corner: tuple[float, float]) -> None:
    """Draw a line from a place to its label, unless the label is next to it."""
    width, height = LABEL
    (x, y), (left, low) = place, corner
    if not low <= y <= low + height:
        end = min(max(x, left), left + width * len(label)), low if low > y else low + height
        axes.plot((x, end[0]), (y, end[1]), color="#666666", linewidth=0.6, zorder=2)


def _are_area(ground: Sequence[tuple[float, float, float]]) -> bool:
    """Return whether the spots are not all on a line."""
    return len(ground) >= 4 and all(len({spot[i] for spot in ground}) > 1 for i in (0, 1))


def corners(
    labels: Sequence[str], dots: Sequence[tuple[float, float]]
) -> Iterator[tuple[float, float]]:
    """Yield the lower left corner of each label: near its dot, away from dots and labels."""
    width, height = LABEL
    taken = [(x - 0.009, y - 0.009, x + 0.009, y + 0.009) for x, y in dots]
    for label, (x, y) in zip(labels, dots, strict=True):
        long = width * len(label)
        boxes = [
            (left, low, left + long, low + height)
            for step in range(9)
            for low in (y - height / 2 + step * 0.02, y - height / 2 - step * 0.02)
            for left in (x + 0.012, x - 0.012 - long, *((x - long / 2,) if step else ()))
        ]
        inside = (box for box in boxes if box[0] > LEAST_X and box[3] < MOST_Y)
        free = (box for box in inside if not any(_meet(box, t) for t in taken))
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
