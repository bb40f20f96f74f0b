"""A figure as data: series over categories, as a table and for drawing.py."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ...emu.frames import frame_of
from ..tables import Table
from .results import or_none

Kind = Literal["bars", "lines", "stacks", "map", "places"]

Spot = tuple[float, float, float]
"""A value at an x and a y."""


@dataclass(frozen=True)
class Figure:
    """One picture, with the paper's axes.

    `categories` are the groups of bars, or the places on the x axis of lines; `series` has a value
    for each, None where it has not been measured. In `stacks` the series are parts of one bar per
    category, in `map` they are the rows of a map; or of several maps with the same rows, `panels`,
    one after the other. In `places` the first three series are the x, y and value of each category;
    others are in the table only. The values of `ground` are drawn below them. `rule` is a value
    with a line of its own: 1 for a speedup. `digits` are those after the point in the table.
    """

    name: str
    title: str
    kind: Kind
    x: str
    y: str
    categories: tuple[str, ...]
    series: Mapping[str, tuple[float | None, ...]]
    rule: float | None = None
    digits: int = 2
    panels: tuple[str, ...] = ()
    ground: tuple[Spot, ...] = ()

    def table(self) -> Table:
        """Return a row per category; or per series, where that makes fewer columns."""
        names, columns = tuple(self.series), tuple(self.series.values())
        if len(self.categories) >= len(names) and not self.panels:
            rows = [(c, *(v[i] for v in columns)) for i, c in enumerate(self.categories)]
            return self._table((self.x, *names), rows)
        rows = [(name, *values) for name, values in self.series.items()]
        return self._table(("" if self.panels else self.x, *self.categories), rows)

    @property
    def caption(self) -> str:
        """The title, and what the numbers are; of panels, what rows and columns are."""
        axes = f"rows: {self.y}; columns: {self.x}" if self.panels else self.y
        return self.title if axes.lower() == self.title.lower() else f"{self.title} ({axes})"

    @property
    def alt(self) -> str:
        """What the picture shows, for readers who do not see it."""
        if self.kind == "places":
            x, y, value = list(self.series)[:3]
            return f"Dots: {self.title}; {y} against {x}, coloured by {value}."
        if self.kind == "map":
            panels = f"One map each for {', '.join(self.panels)}. " if self.panels else ""
            return f"Map: {self.title}. {panels}Rows: {self.y}; columns: {self.x}."
        form = {"bars": "Bars", "lines": "Lines", "stacks": "Stacked bars"}[self.kind]
        return f"{form}: {self.title}; {self.y} by {self.x}, for {', '.join(self.series)}."

    def _table(self, titles: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
        cells = [(str(row[0]), *(self._cell(value) for value in row[1:])) for row in rows]
        return Table(tuple(titles), tuple(cells))

    def _cell(self, value: float | None) -> str:
        return "-" if value is None else f"{value:.{self.digits}f}"

    def to_frame(self) -> Any:
        """Return the figure as a pandas DataFrame: a row per category, a column per series."""
        names = [{self.x: category} for category in self.categories]
        columns = self.series.items()
        return frame_of([n | {s: v[i] for s, v in columns} for i, n in enumerate(names)])

    def save_picture(self, *paths: str | os.PathLike[str]) -> None:
        """Draw the figure into files: PNG, SVG, or what matplotlib knows. Raises UsageError."""
        from .drawing import draw

        draw(self, *map(Path, paths))

    def _repr_png_(self) -> bytes:
        from .drawing import png

        return png(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the figure for JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "kind": self.kind,
            "x": self.x,
            "y": self.y,
            "categories": list(self.categories),
            "series": {name: list(values) for name, values in self.series.items()},
            **({"panels": list(self.panels)} if self.panels else {}),
            **({"ground": [list(spot) for spot in self.ground]} if self.ground else {}),
        }


def series(
    names: Sequence[str], categories: Sequence[str], number: Callable[[str, str], float]
) -> dict[str, tuple[float | None, ...]]:
    """Return `number(name, category)` for all, None where it has not been measured."""
    return {
        name: tuple(or_none(lambda n=name, c=c: number(n, c)) for c in categories) for name in names
    }
