"""Systems called from Python: simtlab's engines, numba's compiled loops, and NumPy itself."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .job import Job, Unavailable, aligned, on_host
from .problem import Arrays, Problem, definition, folder_of, launched, load


def probe(column: str) -> str:
    """Return the version. Raises Unavailable."""
    if column in ("jit", "interp"):
        import simtlab

        return f"simtlab {simtlab.__version__}, engine {column}"
    if column == "numba":
        try:
            import numba
        except ImportError as error:
            raise Unavailable(f"{error}; pip install numba") from None
        return f"numba {numba.__version__}, @njit, one thread"
    return f"NumPy {np.__version__}, array code"


def prepare(kernel: str, problem: Problem, column: str, _folder: Path) -> Job:
    """Make the job of a column."""
    if column == "numba":
        return numba_job(kernel, problem)
    if column == "numpy":
        return numpy_job(kernel, problem)
    return simtlab_job(folder_of(kernel) / "kernel.sasm", problem, column)


def simtlab_job(source: Path, problem: Problem, engine: str, *, stats: bool = False) -> Job:
    """Launches of a `.sasm` file on device memory; `run` returns their results."""
    import simtlab

    module = simtlab.assemble(source)
    device = simtlab.Device()
    arrays = {name: device.to_device(array) for name, array in problem.arrays.items()}
    again = arrays.get(problem.again)
    prepared, steps = {}, []
    for launch, arguments in launched(problem, arrays):
        key = launch.function, launch.groups, launch.group
        if key not in prepared:
            prepared[key] = module[launch.function].launch(
                groups=launch.groups, group_size=launch.group, engine=engine, stats=stats
            )
        steps.append(partial(prepared[key], *arguments))

    def run() -> list[Any]:
        results = []
        for step in steps:
            if again is not None:
                again.copy_from(problem.arrays[problem.again])
            results.append(step())
            if again is not None and not again.to_host()[0]:
                break
        return results

    def reset() -> None:
        for name in problem.written:
            arrays[name].copy_from(problem.arrays[name])

    return Job(run, lambda: {name: arrays[name].to_host() for name in problem.written}, reset)


def numba_job(kernel: str, problem: Problem) -> Job:
    """The functions of kernel.py, compiled for one thread."""
    from numba import njit

    loops = load(folder_of(kernel) / "kernel.py")
    compiled = {
        name: njit(error_model="numpy", fastmath={"contract"})(getattr(loops, name))
        for name in {launch.function for launch in problem.launches}
    }
    arrays = aligned(problem.arrays)
    steps = [
        partial(compiled[launch.function], *map(plain, arguments))
        for launch, arguments in launched(problem, arrays)
    ]
    return on_host(problem, arrays, steps)


def plain(argument: Any) -> Any:
    """Integers as Python has them: numba turns u32 with signed numbers into floats."""
    return int(argument) if isinstance(argument, np.integer) else argument


def numpy_job(kernel: str, problem: Problem) -> Job:
    """The reference itself."""
    answer = definition(kernel).answer
    latest: list[Arrays] = [{}]

    def run() -> None:
        latest[0] = answer(problem)

    return Job(run, lambda: latest[0], lambda: None)
