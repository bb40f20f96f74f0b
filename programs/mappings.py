"""Mappings of tasks to work-items: which work-item has which tasks of a parallel for, and when.

A kernel takes its loop over tasks from the macros of an included file (`dws/tasks/`, and
`dws/grids/` for tasks that are cells of a grid). A mapping names the files, and decides how many
work-items a launch has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

CYCLIC_FILE, LINE_FILE = "tasks/cyclic.sinc", "grids/line.sinc"
"""The files that kernels include."""


@dataclass(frozen=True)
class TaskMapping:
    """A mapping: the macros of `tasks/<tasks>.sinc` and `grids/<grid>.sinc`.

    A `tile` has this many columns and rows of a grid; its cells are neighbouring tasks.
    """

    name: str
    title: str
    tasks: str = "cyclic"
    grid: str = "line"
    tile: tuple[int, int] | None = None

    @property
    def needs_grid(self) -> bool:
        """Whether tasks must be cells of a grid."""
        return self.grid != "line"

    @property
    def is_once(self) -> bool:
        """Whether a work-item has one task, and ends after it."""
        return self.tasks == "once"

    @property
    def includes(self) -> Mapping[str, str]:
        """The files that are included instead of others; see `asm.assemble`."""
        chosen = {
            CYCLIC_FILE: f"tasks/{self.tasks}.sinc",
            LINE_FILE: f"grids/{self.grid}.sinc",
        }
        return {file: other for file, other in chosen.items() if file != other}

    def count(self, tasks: int, width: int | None) -> int:
        """Return the number of tasks of this mapping: of cells, rows or cells of whole tiles.

        `width` is the number of columns, or None if the tasks are not cells of a grid.
        """
        if width is None or not self.needs_grid:
            return tasks
        height = tasks // width
        if self.tile is None:
            return height
        columns, rows = self.tile
        return -(-width // columns) * -(-height // rows) * columns * rows

    def items(self, tasks: int, width: int | None, contexts: int) -> int:
        """Return the number of work-items of a launch on a machine with this many contexts."""
        count = self.count(tasks, width)
        if self.is_once:
            return max(1, count)
        if self.tasks == "affinity":
            return contexts  # every core has a part, however few tasks there are
        return max(1, min(count, contexts))


CYCLIC = TaskMapping("cyclic", "tasks in turn over all work-items of the machine")

MAPPINGS = {
    mapping.name: mapping
    for mapping in (
        CYCLIC,
        TaskMapping(
            "affinity",
            "a part of the tasks a core, in turn over the core's work-items",
            tasks="affinity",
        ),
        TaskMapping("blocks", "a block of neighbouring tasks a work-item", tasks="blocks"),
        TaskMapping("tasks", "a work-item a task, which ends after it", tasks="once"),
        TaskMapping("rows", "whole rows of a grid a work-item", grid="rows"),
        TaskMapping("row-tasks", "a work-item a row, which ends after it", "once", "rows"),
        TaskMapping("tiles", "tiles of 4 x 4 cells for 16 lanes", grid="tiles", tile=(4, 4)),
        TaskMapping("tile-tasks", "a work-item a cell, in tiles of 4 x 4", "once", "tiles", (4, 4)),
        TaskMapping(
            "columns", "tiles of 1 x 16 cells: 16 lanes in 16 rows", grid="columns", tile=(1, 16)
        ),
    )
}
"""By name, the usual one first."""

OF_LINES = tuple(name for name, mapping in MAPPINGS.items() if not mapping.needs_grid)
"""The mappings of programs whose tasks have one number."""

OF_GRIDS = tuple(MAPPINGS)
"""The mappings of programs whose tasks are cells of a grid."""
