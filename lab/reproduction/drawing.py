"""Pictures of figures, by matplotlib: PNG, SVG, PDF, whatever the file's name asks for."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...isa.errors import UsageError
from . import charts, maps
from .sizes import FONT

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from .figure import Figure


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


def drawn(figure: Figure) -> Canvas:
    """Return the picture as a figure of matplotlib."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    module = maps if figure.kind in maps.KINDS else charts
    with rc_context(_settings(figure)):
        canvas = Canvas(figsize=module.inches(figure), layout="constrained")
        module.draw(canvas, figure)
    return canvas


def _settings(figure: Figure) -> dict[Any, Any]:
    return {
        "font.size": FONT,
        "legend.fontsize": FONT,
        "svg.hashsalt": figure.name,
        "hatch.linewidth": 0.5,
        "axes.spines.top": bool(figure.panels),
        "axes.spines.right": bool(figure.panels),
    }


def _draw(figure: Figure, files: Sequence[tuple[Path | BytesIO, str]], *, dpi: int = 150) -> None:
    check_drawing()
    from matplotlib import rc_context

    canvas = drawn(figure)
    with rc_context(_settings(figure)):
        for file, suffix in files:
            # No date: the same figure gives the same bytes.
            metadata = {"Date": None} if suffix == ".svg" else {}
            canvas.savefig(file, dpi=dpi, metadata=metadata)
