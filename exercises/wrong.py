"""The first wrong element of a result: its work-item, the last store to it, its inputs."""

from __future__ import annotations

import numpy as np

from ..emu.checks import Checks
from ..emu.interp.access_log import AccessLog
from ..emu.traps import Trap
from ..isa.types import Segment
from ..programs.workload import Data
from .bench import Bench, Run
from .inputs import expected, guarded
from .report import Wrong

Store = tuple[list[int], int, str]
"""Work-item, line and text of a store."""

NEVER: Store = ([], 0, "")


def explained(bench: Bench, run: Run, size: dict[str, int], seed: int) -> tuple[Wrong, str]:
    """Return the first wrong element with all that is known of it, and the sentences about it."""
    mismatch = run.mismatches[0]
    where = ", ".join(f"{key}={value}" for key, value in size.items())
    assert mismatch.index is not None  # the reference has the form of the data
    index, name = mismatch.index, mismatch.array
    wrong = Wrong(
        array=name,
        index=list(index),
        expected=_number(mismatch.expected),
        found=_number(mismatch.got),
        count=mismatch.count,
        of=int(np.asarray(run.data[name]).size),
        work_item=_owner(bench, run.pristine, name, index),
        input=_input(bench, run.pristine, name, index),
    )
    element = _element(name, index)
    parts = [
        f"with {where} the result is wrong: {element} should be {wrong.expected} and is "
        f"{wrong.found} ({_count(wrong.count)})"
    ]
    if wrong.work_item is not None:
        parts.append(f"it belongs to work-item {_place(wrong.work_item)}")
    if not bench.exercise.is_scheduler:
        stored = _last_store(bench, size, seed, name, index)
        if stored is NEVER:
            parts.append("no work-item stores to it")
        elif stored is not None:
            wrong.stored_by, wrong.line, text = stored
            parts.append(
                f"work-item {_place(wrong.stored_by)} stores it in line {wrong.line}: `{text}`"
            )
    if wrong.input:
        parts.append(wrong.input)
    return wrong, "; ".join(parts)


def _owner(bench: Bench, pristine: Data, name: str, index: tuple[int, ...]) -> list[int] | None:
    """Return the work-item of an element, if an array has as many elements as work-items."""
    launch = bench.exercise.definition.launch
    if launch is None:
        return None
    items = [pristine[n] if isinstance(n, str) else n for n in launch.items]
    shape = np.asarray(pristine[name]).shape
    return [*reversed(index)] if shape == tuple(reversed(items)) else None


def _last_store(
    bench: Bench, size: dict[str, int], seed: int, name: str, index: tuple[int, ...]
) -> Store | None:
    """Return work-item, line and text of the last store to an element, in the interpreter.

    NEVER if there is none, None if it is not known. The run is repeated with a log of its accesses.
    """
    log = AccessLog()
    try:
        run = bench.run(size, seed, None, Checks(observer=log))
    except Trap:  # the interpreter's schedule is another one than that of the wrong run
        return None
    array = run.data[name]
    buffer = next(
        (a.buffer for a in run.launcher.arrays if np.shares_memory(a.buffer.host, array)), None
    )
    if buffer is None or len(log.accesses) == log.most:
        return None
    first = buffer.base + int(np.ravel_multi_index(index, array.shape)) * array.itemsize
    for access in reversed(log.accesses):
        row, address = access.instruction.row, access.instruction.address
        if row.is_load or address is None or address.segment is not Segment.GLOBAL:
            continue
        lanes = np.flatnonzero(access.addresses == np.uint64(first))
        if not lanes.size:
            continue
        lane = int(lanes[-1])
        result = next(r for r in run.launcher.results if r.kernel == access.kernel.name)
        item = result.geometry.absolute_id(int(access.groups[lane]), int(access.locals[lane]))
        program = bench.module.program
        pc = next(i for i, x in enumerate(access.kernel.instructions) if x is access.instruction)
        span = program.span(access.kernel, pc)
        dimensions = sum(extent > 1 for extent in result.geometry.items) or 1
        text = program.line_of(access.kernel, pc).partition("//")[0].strip()
        return [*item[:dimensions]], span.line if span else 0, " ".join(text.split())
    return NEVER


def _input(bench: Bench, pristine: Data, name: str, index: tuple[int, ...]) -> str:
    """Say what an element is made of: in the words of `inputs.py`, or the inputs at its index."""
    exercise = bench.exercise
    explain = exercise.inputs.explain
    if explain is not None:
        return str(guarded(exercise.folder, explain, pristine, name, index))
    shape = np.asarray(pristine[name]).shape
    outputs = expected(exercise.inputs, exercise.folder, pristine)
    return ", ".join(
        f"{_element(other, index)} = {array[index].item()}"
        for other, array in pristine.items()
        if isinstance(array, np.ndarray) and array.shape == shape and other not in outputs
    )


def _count(wrong: int) -> str:
    return "the only wrong element" if wrong == 1 else f"the first of {wrong:,} wrong elements"


def _element(name: str, index: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, index))}]"


def _place(item: list[int]) -> str:
    return str(item[0]) if len(item) == 1 else f"({', '.join(map(str, item))})"


def _number(value: object) -> int | float | str:
    """Return a value for JSON, which has neither NaN nor infinities."""
    assert isinstance(value, (int, float))
    return value if np.isfinite(float(value)) else str(value)
