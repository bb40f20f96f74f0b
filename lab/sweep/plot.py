"""Plots of sweeps: a line (over names, bars) for each policy, or each value of another axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...isa.errors import UsageError, did_you_mean
from ...isa.quoting import shown
from ..database.schema import SINGLE
from .places import Places, SweepError

ENDINGS = (".png", ".svg", ".pdf")

SPEEDUP = "speedup"

MEASURES = (SPEEDUP, "cycles", *(n for n in SINGLE if n != "cycles"), "energy_nj", "host_seconds")
"""What may be drawn over an axis."""

GROUP = 0.8
"""Room of the bars above a tick, of the distance to the next tick."""

MAX_LEVEL = 60
"""Characters of level labels that fit the width of a plot; more are turned."""

KEYS = ("x", "y", "lines", "file", "log", "title")


@dataclass(frozen=True)
class Plot:
    """A plot: measure `y` over axis `x`, with a line for each value of axis `lines`.

    Over names, such as programs, there is no line from one to the next: these are bars.

    Points that only other axes distinguish (seeds, programs) are one: their mean, with a band from
    the least to the greatest. The mean of speedups is geometric.
    """

    x: str
    y: str
    lines: str = "policy"
    file: Path | None = None
    log: bool = False
    title: str = ""


def plot_of(
    given: Any,
    folder: Path,
    axes: Sequence[str],
    baseline: str | None,
    places: Places | None = None,
) -> Plot | None:
    """Return the plot of a table `[plot]`; None where there is none. Raises SweepError."""

    def error(message: str, key: str = "", hint: str = "") -> SweepError:
        span = places.of("plot", key) if places is not None else None
        return SweepError(message, span=span, hint=hint)

    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise error(f"plot must be a table, not {shown(given)}")
    for key in given:
        if key not in KEYS:
            raise error(
                f"a plot has no key {shown(key)}", key,
                did_you_mean(key, KEYS) or f"it has {', '.join(KEYS)}",
            )  # fmt: skip
    kinds = {"log": bool}
    for key, value in given.items():
        if not isinstance(value, kinds.get(key, str)):
            wanted = "true or false" if key == "log" else "a string"
            raise error(f"{key} of a plot must be {wanted}, not {shown(value)}", key)
    default = SPEEDUP if baseline is not None else "cycles"
    plot = Plot(
        given.get("x", axes[-1]),
        given.get("y", default),
        given.get("lines", "policy"),
        (folder / given["file"]) if "file" in given else None,
        given.get("log", False),
        given.get("title", ""),
    )
    for key in ("x", "lines"):
        name = getattr(plot, key)
        if name not in axes:
            raise error(
                f"the sweep has no axis {shown(name)}", key,
                did_you_mean(name, axes) or f"it has {', '.join(axes)}",
            )  # fmt: skip
    if plot.y not in MEASURES:
        raise error(
            f"unknown measure {shown(plot.y)}", "y",
            did_you_mean(plot.y, MEASURES) or "as cycles, speedup, ipc; `simtlab explain "
            "statistics` has them all",
        )  # fmt: skip
    if plot.y == SPEEDUP and baseline is None:
        raise error("speedups need a baseline", "y", 'as baseline = "conv", before the tables')
    if plot.file is not None:
        check_file(plot.file)
    return plot


def check_file(path: Path) -> None:
    """Raise UsageError for a name that no picture has, or if matplotlib is missing."""
    if path.suffix not in ENDINGS:
        raise UsageError(
            f"a picture is a file that ends in {', '.join(ENDINGS)}, not {path}", code="SIM515"
        )
    _matplotlib()


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise UsageError(
            "plots need matplotlib, which is not installed",
            code="SIM520",
            hint="pip install 'simtlab[plot]'",
        ) from None
    return matplotlib


def draw(rows: Sequence[Mapping[str, Any]], plot: Plot, path: Path, title: str) -> None:
    """Write a picture of the rows of a sweep. Raises UsageError."""
    check_file(path)
    matplotlib = _matplotlib()
    from matplotlib.figure import Figure

    points = [row for row in rows if row.get(plot.y) is not None and row.get(plot.x) is not None]
    if not points:
        raise UsageError(f"no finished run has {plot.y} over {plot.x}", code="SIM551")
    places = _places(points, plot.x)
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    numbers = _are_numbers(places)
    names = list(dict.fromkeys(row[plot.lines] for row in points))
    for number, name in enumerate(names):
        by_x: dict[Any, list[float]] = {}
        for row in points:
            if row[plot.lines] == name:
                by_x.setdefault(row[plot.x], []).append(float(row[plot.y]))
        if numbers:
            _line(axes, name, by_x, plot, places)
        else:
            _bars(axes, name, by_x, plot, places, (number, len(names)))
    if plot.log and numbers:
        axes.set_xscale("log")
    if not numbers:
        crowded = sum(len(str(name)) + 1 for name in places) > MAX_LEVEL
        turned: dict[str, Any] = {"rotation": 30, "ha": "right"} if crowded else {}
        axes.set_xticks(list(places.values()), list(map(str, places)), **turned)
    else:
        axes.set_xticks(list(places.values()), [f"{x:g}" for x in places], minor=False)
    if plot.y == SPEEDUP:
        axes.axhline(1, color="black", linewidth=0.8)
    axes.set_xlabel(plot.x)
    axes.set_ylabel(plot.y)
    axes.set_title(plot.title or title, fontsize=11, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", linewidth=0.4, alpha=0.6)
    if not numbers:
        axes.set_axisbelow(True)
    # No corner is free of bars, or of the bands of lines.
    figure.legend(title=plot.lines, frameon=False, loc="outside right upper")
    # The same sweep makes the same file.
    with matplotlib.rc_context({"svg.hashsalt": "simtlab"}):
        try:
            figure.savefig(path, dpi=150, metadata=_METADATA[path.suffix])
        except OSError as problem:
            reason = (problem.strerror or str(problem)).lower()
            raise UsageError(f"cannot write {path}: {reason}", code="SIM511") from None


_METADATA: dict[str, dict[str, Any]] = {
    ".png": {},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


def _bars(
    axes: Any,
    name: Any,
    by_x: Mapping[Any, Sequence[float]],
    plot: Plot,
    places: Mapping[Any, Any],
    place: tuple[int, int],
) -> None:
    """Draw the bars of one name, and the range of what they are the mean of.

    `place` is the number of the name, and how many names share the room above a tick.
    """
    number, count = place
    width = GROUP / count
    xs = sorted(by_x, key=places.__getitem__)
    means = [_mean(by_x[x], plot.y) for x in xs]
    ranges = None
    if any(len(by_x[x]) > 1 for x in xs):
        ranges = [
            [mean - min(by_x[x]) for x, mean in zip(xs, means, strict=True)],
            [max(by_x[x]) - mean for x, mean in zip(xs, means, strict=True)],
        ]
    at = [places[x] + (number - (count - 1) / 2) * width for x in xs]
    axes.bar(at, means, width, yerr=ranges, label=str(name), error_kw={"linewidth": 0.8})


def _line(
    axes: Any,
    name: Any,
    by_x: Mapping[Any, Sequence[float]],
    plot: Plot,
    places: Mapping[Any, Any],
) -> None:
    """Draw the points of a line, and the band of what they are the mean of."""
    xs = sorted(by_x, key=places.__getitem__)
    at = [places[x] for x in xs]
    (line,) = axes.plot(
        at, [_mean(by_x[x], plot.y) for x in xs], marker="o", markersize=4, label=str(name)
    )
    if any(len(values) > 1 for values in by_x.values()):
        least, greatest = [min(by_x[x]) for x in xs], [max(by_x[x]) for x in xs]
        axes.fill_between(at, least, greatest, alpha=0.15, color=line.get_color(), linewidth=0)


def _mean(values: Sequence[float], measure: str) -> float:
    array = np.array(values)
    if measure == SPEEDUP and (array > 0).all():
        return float(np.exp(np.log(array).mean()))
    return float(array.mean())


def _places(rows: Sequence[Mapping[str, Any]], name: str) -> dict[Any, float]:
    """Return where each value is on the axis: numbers at themselves, others one after another."""
    values = list(dict.fromkeys(row[name] for row in rows))
    if _are_numbers(values):
        return {value: float(value) for value in sorted(values)}
    return {value: float(n) for n, value in enumerate(values)}


def _are_numbers(values: Any) -> bool:
    return all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)
