"""The file `inputs.py` of an exercise: inputs, reference, and optionally the launches."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np

from ..isa.errors import UsageError
from ..programs.workload import Data, Launcher
from .definition import Definition, LaunchFile

FILE = "inputs.py"


class ExerciseError(UsageError):
    """The folder of an exercise is not as it must be."""

    code = "SIM540"


@dataclass(frozen=True)
class Inputs:
    """Functions of `inputs.py`; docs/exercises.md says what each must do.

    `explain(pristine, array, index)` says in words what an element of the reference is made of.
    """

    make: Callable[..., Data]
    reference: Callable[[Data], dict[str, np.ndarray]]
    launch: Callable[[Launcher, Data], None]
    explain: Callable[[Data, str, tuple[int, ...]], str] | None = None


def load(folder: Path, definition: Definition, parameters: list[str]) -> Inputs:
    """Import a folder's `inputs.py`. Raises ExerciseError.

    `parameters` are those of the kernel that `definition.launch` names.
    """
    path = folder / FILE
    found = _imported(path)
    for name in ("make", "reference"):
        if not callable(getattr(found, name, None)):
            raise ExerciseError(f"{path} must define the function {name}")
    own = getattr(found, "launch", None)
    if (own is None) == (definition.launch is None):
        raise ExerciseError(
            f"{folder}: the launch must be given once, in [launch] of exercise.toml or as the "
            f"function launch of {FILE}"
        )
    launch = own or _plain_launch(definition.launch, parameters)
    return Inputs(found.make, found.reference, launch, getattr(found, "explain", None))


def made(inputs: Inputs, folder: Path, case: dict[str, int], seed: int) -> Data:
    """Return the data of a case. Raises ExerciseError where `make` does not return any."""
    data = guarded(folder, inputs.make, np.random.default_rng(seed), **case)
    if not isinstance(data, dict) or not any(isinstance(v, np.ndarray) for v in data.values()):
        raise ExerciseError(f"{folder / FILE}: make must return a dictionary with NumPy arrays")
    return data


def expected(inputs: Inputs, folder: Path, pristine: Data) -> dict[str, np.ndarray]:
    """Return the reference of a case. Raises ExerciseError where it does not fit the data."""
    found = guarded(folder, inputs.reference, pristine)
    if not isinstance(found, dict) or not found:
        raise ExerciseError(f"{folder / FILE}: reference must return a dictionary of arrays")
    for name, array in found.items():
        if not isinstance(pristine.get(name), np.ndarray):
            raise ExerciseError(
                f"{folder / FILE}: reference returns {name!r}, and make no such array"
            )
        made_of, wanted = _form(pristine[name]), _form(np.asarray(array))
        if made_of != wanted:
            raise ExerciseError(
                f"{folder / FILE}: reference returns {name} as {wanted}, and make as {made_of}"
            )
    return found


def _form(array: np.ndarray) -> str:
    return f"{array.dtype} of shape {array.shape}"


def guarded(folder: Path, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Call a function of `inputs.py`; an exception in it is an ExerciseError with its line."""
    try:
        return function(*args, **named)
    except UsageError:
        raise
    except Exception as error:
        path = folder / FILE
        frames = traceback.extract_tb(error.__traceback__)
        lines = [f.lineno for f in frames if f.filename == str(path)]
        where = f"{path}:{lines[-1]}" if lines else str(path)
        raise ExerciseError(
            f"{where}: {function.__name__} fails: {type(error).__name__}: {error}",
            hint="the keys of cases and score.size are the arguments of make"
            if function.__name__ == "make"
            else "",
        ) from None


def _imported(path: Path) -> Any:
    spec = spec_from_file_location(f"simtlab_exercise_{path.parent.name}", path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # no __pycache__ in the folder
    try:
        spec.loader.exec_module(module)
    except FileNotFoundError:
        raise ExerciseError(f"{path.parent} has no {FILE}") from None
    except Exception as error:
        raise ExerciseError(f"{path} cannot be imported: {type(error).__name__}: {error}") from None
    finally:
        sys.dont_write_bytecode = writes
    return module


def _plain_launch(
    given: LaunchFile | None, parameters: list[str]
) -> Callable[[Launcher, Data], None]:
    assert given is not None

    def launch(launcher: Launcher, data: Data) -> None:
        missing = [n for n in (*parameters, *given.items) if isinstance(n, str) and n not in data]
        if missing:
            raise ExerciseError(
                f"make returns no {missing[0]!r}, which the launch needs; it returns "
                f"{', '.join(map(str, data))}"
            )
        items = [data[n] if isinstance(n, str) else n for n in given.items]
        groups = [-(-n // size) for n, size in zip(items, given.group_size, strict=True)]
        start = launcher(given.kernel, groups=groups, group_size=given.group_size)
        start(*(data[name] for name in parameters))

    return launch
