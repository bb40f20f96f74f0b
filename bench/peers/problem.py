"""A problem: arrays, the launches that work on them, and the answer by NumPy.

Each folder of bench/kernels/ is a kernel, written once for each system with the same parameters in
the same order: `kernel.sasm`, `kernel.cl`, `kernel.ispc`, `kernel.c`, and `kernel.py` for numba.
Folders of bench/others/ are kernels of other kinds, which may lack some of the last two.
The `problem.py` of a kernel has

    FULL, SMALL             sizes, as keyword arguments of make
    make(rng, **sizes)      the Problem
    answer(problem)         the right contents of the arrays that the launches write, by name
    wrong(got, expected, problem)   optional: a mask of wrong elements, if equality is too strict
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

KERNELS = Path(__file__).parents[1] / "kernels"
OTHERS = KERNELS.with_name("others")
NAMES = tuple(
    "saxpy mandelbrot hotspot kmeans bitonic bfs collatz"
    " nbody blackscholes spmv edit life matmul montecarlo search"
    " reduction scan transpose stencil histogram blocksort".split()
)
OTHER_NAMES = tuple(sorted(path.parent.name for path in OTHERS.glob("*/problem.py")))
SEED = 7

Arrays = dict[str, np.ndarray]
Argument = str | np.generic
"""The name of an array, or a scalar whose NumPy type is the parameter's type."""


class Launch(NamedTuple):
    """One launch: a function, its arguments, and work-items per dimension, in total and a group."""

    function: str
    arguments: tuple[Argument, ...]
    items: tuple[int, ...]
    group: tuple[int, ...] = (256,)

    @property
    def groups(self) -> tuple[int, ...]:
        """Workgroups per dimension, rounded up."""
        return tuple(-(-i // g) for i, g in zip(self.items, self.group, strict=True))


@dataclass
class Problem:
    """Launches, and the arrays that they start from.

    `written` names the arrays that are put back before each run and compared after it. If `again`
    names an array of one element, it is set to 0 before each launch, and a launch that leaves it 0
    is the last. Float elements may differ by `rtol` and `atol`; a share `differing` of all elements
    may be wrong, where rounding decides between two answers.
    """

    arrays: Arrays
    launches: list[Launch]
    written: tuple[str, ...]
    again: str = ""
    rtol: float = 2e-5
    atol: float = 1e-5
    differing: float = 0.0
    sizes: SimpleNamespace = field(default_factory=SimpleNamespace)


def folder_of(kernel: str) -> Path:
    """The folder with the sources of a kernel."""
    return (KERNELS if kernel in NAMES else OTHERS) / kernel


def load(path: Path) -> ModuleType:
    """The module in a file, which no import statement finds."""
    spec = spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def definition(kernel: str) -> Any:
    """The module problem.py of a kernel."""
    return load(folder_of(kernel) / "problem.py")


def make(kernel: str, *, small: bool = False) -> Problem:
    """The problem, the same at each call."""
    module = definition(kernel)
    sizes = module.SMALL if small else module.FULL
    problem = module.make(np.random.default_rng(SEED), **sizes)
    problem.sizes = SimpleNamespace(**sizes)
    return problem


def launched(problem: Problem, arrays: Mapping[str, object]) -> Iterable[tuple[Launch, list[Any]]]:
    """Every launch with its arguments; `arrays` has a system's own object for each array."""
    for launch in problem.launches:
        yield launch, [arrays[a] if isinstance(a, str) else a for a in launch.arguments]


def complaint(kernel: str, problem: Problem, expected: Arrays, got: Arrays) -> str:
    """What is wrong with an answer; empty if it is right."""
    for name, right in expected.items():
        have = got[name]
        if have.size != right.size or have.dtype != right.dtype:
            return f"{name} is {have.dtype} x {have.size}, not {right.dtype} x {right.size}"
        have, right = have.ravel(), right.ravel()
        if special := getattr(definition(kernel), "wrong", None):
            wrong = special(have, right, problem)
        elif right.dtype.kind == "f":
            wrong = ~np.isclose(have, right, rtol=problem.rtol, atol=problem.atol)
        else:
            wrong = have != right
        if np.count_nonzero(wrong) > problem.differing * right.size:
            return f"{name}: {np.count_nonzero(wrong)} of {right.size} elements are wrong"
    return ""
