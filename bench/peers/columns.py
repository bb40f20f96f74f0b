"""The columns of a table: which module makes a system's jobs, and in which environment."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple


class Column(NamedTuple):
    """A system. `module` has probe(column) and prepare(kernel, problem, column, folder)."""

    name: str
    module: str
    peer: bool = False
    """Whether it runs the same kernels as simtlab, one work-item an element, in SIMD."""
    usual: bool = True
    """Whether it is measured unless columns are named."""


COLUMNS = {
    column.name: column
    for column in (
        Column("jit", "python"),
        Column("ispc-x16", "native", peer=True),
        Column("ispc-x64", "native", peer=True),
        Column("intel", "opencl", peer=True),
        Column("pocl", "opencl", peer=True),
        Column("gcc", "native"),
        Column("numba", "python"),
        Column("interp", "python", usual=False),
        Column("numpy", "python", usual=False),
    )
}
OTHER_TREE = "old"
"""The column of another checkout of simtlab."""


def module_of(column: str) -> Any:
    """The module that makes a column's jobs."""
    name = COLUMNS["jit" if column == OTHER_TREE else column].module
    return import_module(f".{name}", __package__)


def environment(column: str, folder: Path) -> dict[str, str]:
    """Variables that the process of a column starts with. Native code is kept for this run only."""
    one = {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "SIMTLAB_CACHE": str(folder)}
    if column in ("pocl", "intel"):
        from .opencl import ENVIRONMENT

        one |= ENVIRONMENT[column]
    return one
