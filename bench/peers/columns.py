"""The columns of a table: which module makes a system's jobs, and in which environment."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple


class Column(NamedTuple):
    """A system. `module` has probe(column) and prepare(kernel, problem, column, folder)."""

    name: str
    module: str
    source: str
    """The file of a kernel's folder that it needs."""
    peer: bool = False
    """Whether it runs the same kernels as simtlab, one work-item an element, in SIMD."""
    usual: bool = True
    """Whether it is measured unless columns are named."""


COLUMNS = {
    column.name: column
    for column in (
        Column("jit", "python", "kernel.sasm"),
        Column("ispc-x16", "native", "kernel.ispc", peer=True),
        Column("ispc-x64", "native", "kernel.ispc", peer=True),
        Column("intel", "opencl", "kernel.cl", peer=True),
        Column("pocl", "opencl", "kernel.cl", peer=True),
        Column("gcc", "native", "kernel.c"),
        Column("numba", "python", "kernel.py"),
        Column("interp", "python", "kernel.sasm", usual=False),
        Column("numpy", "python", "problem.py", usual=False),
    )
}
OTHER_TREE = "old"
"""The column of another checkout of simtlab."""


def column_of(column: str) -> Column:
    """The column of this name; that of another checkout is the JIT's."""
    return COLUMNS["jit" if column == OTHER_TREE else column]


def module_of(column: str) -> Any:
    """The module that makes a column's jobs."""
    return import_module(f".{column_of(column).module}", __package__)


def environment(column: str, folder: Path) -> dict[str, str]:
    """Variables that the process of a column starts with. Native code is kept for this run only."""
    one = {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "SIMTLAB_CACHE": str(folder)}
    if column in ("pocl", "intel"):
        from .opencl import ENVIRONMENT

        one |= ENVIRONMENT[column]
    return one
