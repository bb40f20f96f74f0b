"""Pictures of figures, by matplotlib: PNG, SVG, PDF, whatever the file's name asks for."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...isa.errors import UsageError
from . import maps
from .maps import numbers

if TYPE_CHECKING:
    from .figure import Figure

COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#9d755d", "#8c8c8c")
HATCHES = ("", "///", "---", "xxx", "\\\\\\", "|||", "+++", "//--")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""Series differ by shape too, so that a print without colours can be read."""

BAR_INCHES = 0.16


def check_drawing() -> None:
    """Raise UsageError if matplotlib is missing."""
    if importlib.util.find_spec("matplotlib") is None:
        raise UsageError(
            "pictures of figures need matplotlib, which is not installed",
            code="SIM520",
            hint="pip install 'simtlab[plot]'",
        )


def draw(figure: Figure, *paths: Path) -> None:
    """Write a picture in the paper's form to each path. Raises UsageError and OSError."""
    _draw(figure, [(path, path.suffix) for path in paths])


def png(figure: Figure) -> bytes:
    """Return the picture as the bytes of a PNG file. Raises UsageError."""
    buffer = BytesIO()
    _draw(figure, [(buffer, ".png")], dpi=96)
    return buffer.getvalue()


def _draw(figure: Figure, files: Sequence[tuple[Path | BytesIO, str]], *, dpi: int = 150) -> None:
    check_drawing()
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    with rc_context({"font.size": 9, "svg.hashsalt": figure.name, "hatch.linewidth": 0.5}):
        canvas = Canvas(figsize=_inches(figure), layout="constrained")
        if figure.panels:
            maps.draw_panels(canvas, figure)
        else:
            axes = canvas.subplots()
            _KINDS[figure.kind](axes, figure)
            axes.set_title(figure.title, loc="left", fontsize=10)
            axes.set_xlabel(axes.get_xlabel() or figure.x)
            axes.spines[["top", "right"]].set_visible(False)
        for file, suffix in files:
            # No date: the same figure gives the same bytes.
            metadata = {"Date": None} if suffix == ".svg" else {}
            canvas.savefig(file, dpi=dpi, metadata=metadata)


def _inches(figure: Figure) -> tuple[float, float]:
    """Return the width and height of a picture."""
    if figure.panels or figure.kind == "places":
        return maps.inches(figure)
    return _width(figure), 3.6


def _width(figure: Figure) -> float:
    n = len(figure.categories)
    bars = n * (len(figure.series) + 1.5) if figure.kind == "bars" else 3.0 * n
    return min(14.0, max(6.0, 2.2 + bars * BAR_INCHES))


def _bars(axes: Any, figure: Figure) -> None:
    width = 0.85 / len(figure.series)
    for i, (name, row) in enumerate(figure.series.items()):
        places = [c + (i - (len(figure.series) - 1) / 2) * width for c in range(len(row))]
        axes.bar(
            places, numbers(row), width, label=name, color=COLOURS[i % 8], edgecolor="white",
            hatch=HATCHES[i % 8], linewidth=0.4,
        )  # fmt: skip
    _frame(axes, figure)


def _lines(axes: Any, figure: Figure) -> None:
    for i, (name, row) in enumerate(figure.series.items()):
        axes.plot(range(len(row)), numbers(row), label=name, color=COLOURS[i % 8],
                  marker=MARKS[i % 8], linestyle=("-", "--")[i // 8 % 2], markersize=5)  # fmt: skip
    axes.grid(axis="y", linewidth=0.3)
    _frame(axes, figure)


def _stacks(axes: Any, figure: Figure) -> None:
    below = [0.0] * len(figure.categories)
    for i, (name, row) in enumerate(figure.series.items()):
        heights = [value or 0.0 for value in row]
        axes.bar(
            range(len(row)), heights, 0.7, bottom=below, label=name, color=COLOURS[i % 8],
            edgecolor="white", hatch=HATCHES[i % 8], linewidth=0.4,
        )  # fmt: skip
        below = [low + height for low, height in zip(below, heights, strict=True)]
    _frame(axes, figure)


def _frame(axes: Any, figure: Figure) -> None:
    axes.set_ylabel(figure.y)
    axes.set_xlim(-0.6, len(figure.categories) - 0.4)
    axes.set_ylim(bottom=0)
    long = sum(map(len, figure.categories)) > 70
    axes.set_xticks(
        range(len(figure.categories)), figure.categories,
        **({"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if long else {}),
    )  # fmt: skip
    if figure.rule is not None:
        axes.axhline(figure.rule, color="black", linewidth=0.8)
    axes.figure.legend(
        *axes.get_legend_handles_labels(), loc="outside lower center", frameon=False,
        ncols=min(len(figure.series), 8 if _width(figure) > 10 else 4), fontsize=8,
    )  # fmt: skip


_KINDS = {
    "bars": _bars, "lines": _lines, "stacks": _stacks, "map": maps.draw_map,
    "places": maps.draw_places,
}  # fmt: skip
