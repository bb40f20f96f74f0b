"""Workloads: a program's inputs, launches, expected result and picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from .mappings import TaskMapping

Data = dict[str, Any]
"""Arrays and scalars of one run by name: inputs, outputs, scratch space."""


class Launcher(Protocol):
    """How a launch sequence starts kernels; each launch ends before the next one starts.

    `contexts` is the number of work-items that the machine holds at once, `core_contexts` the
    number that one of its cores holds, which is also the largest workgroup there. Plain runs, which
    have no machine, have 1024 and 256. `warp` is the number of lanes of a warp. `mapping` says how
    `persistent` launches: it must be that of the assembled program (`index.Entry`).

    Called with the kernel's name and its grid, a launcher returns a function that takes the
    kernel's arguments in declared order. NumPy arrays are changed in place. An array object is one
    and the same buffer in all launches of a run: pass whole arrays, not slices of them.
    """

    @property
    def contexts(self) -> int:
        """Work-items that the machine holds at once."""
        ...

    @property
    def core_contexts(self) -> int:
        """Work-items that one core holds at once."""
        ...

    @property
    def warp(self) -> int:
        """Lanes of a warp."""
        ...

    @property
    def mapping(self) -> TaskMapping:
        """The mapping of tasks to work-items."""
        ...

    def __call__(
        self,
        kernel_name: str,
        /,
        *,
        groups: int | Sequence[int] | None = None,
        items: int | Sequence[int] | None = None,
        group_size: int | Sequence[int] = 256,
    ) -> Callable[..., object]:
        """Prepare a launch of `groups` workgroups or `items` work-items."""
        ...


@dataclass(frozen=True)
class Parameter:
    """A number of a size that a user may replace: its meaning, its least and its largest value."""

    text: str
    low: float
    high: float
    whole: bool = False

    def allows(self, value: object) -> bool:
        """Return whether it can have this value."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return False
        return self.low <= value <= self.high and not (self.whole and value % 1)

    @property
    def range(self) -> str:
        """The values that it can have, in words."""
        kind = "a whole number" if self.whole else "a number"
        return f"{kind} from {self.low:,} to {self.high:,}"


@dataclass(frozen=True)
class Workload:
    """One program's sizes, inputs, launch sequence and reference.

    `sizes` has at least `tiny` (at most 50,000 work-item instructions, for the oracle), `small`
    (about a second in the interpreter) and `paper`. A size called `wrong` shows a mistake: its run
    is meant to trap or to differ from the reference. `parameters` are those that a user may replace
    in a size; for most programs there are none.

    `make(rng, **size)` allocates everything, outputs included; equal seeds give equal data.
    `launch(launcher, data)` runs the kernels; where it double-buffers, it exchanges the two
    arrays in `data`, so that a name always means the newest content.
    `reference(pristine)` computes the expected arrays by name from data as `make` left them and
    does not change them. `rtol` is the relative error that `check` accepts; 0 asks for equal
    values. `picture(data)` is a uint8 image of shape (H, W) or (H, W, 3) of the data after a run.
    `benign` has what `run --check` would find but is meant, with the reason why it does no harm: by
    array, races and loads before any store; by register, as `$s5`, reads before any write.
    `mappings` are the names of the mappings of tasks that the kernels can be assembled with; none
    if their order is fixed. `data` names the types of the numbers, as `f32`, if the program has
    other workloads with numbers of `other` types; the source of those is `<name>_<data>.sasm`.
    """

    title: str
    source: str
    sizes: Mapping[str, Mapping[str, float]]
    make: Callable[..., Data]
    launch: Callable[[Launcher, Data], None]
    reference: Callable[[Data], dict[str, np.ndarray]]
    rtol: float = 0.0
    picture: Callable[[Data], np.ndarray] | None = None
    benign: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    mappings: tuple[str, ...] = ()
    data: str = ""
    other: tuple[Workload, ...] = ()


def persistent(
    launcher: Launcher, kernel_name: str, tasks: int, width: int | None = None
) -> Callable[..., object]:
    """Launch a kernel that loops over tasks: a work-item a context, fewer if tasks are fewer.

    A workgroup fills a core, as the papers' parallel-for does with its threads. Tasks that are the
    cells of a grid have its `width`. If the launcher's mapping has a work-item a task, there are as
    many work-items, in workgroups of a warp.
    """
    mapping = launcher.mapping
    return launcher(
        kernel_name,
        items=mapping.items(tasks, width, launcher.contexts),
        group_size=min(launcher.warp, launcher.core_contexts)
        if mapping.is_once
        else launcher.core_contexts,
    )


@dataclass(frozen=True)
class Mismatch:
    """An array that differs from its reference: where first, by what, in how many places."""

    array: str
    message: str
    index: tuple[int, ...] | None = None
    expected: object = None
    got: object = None
    count: int = 0

    def __str__(self) -> str:
        return f"{self.array}: {self.message}"


def check(workload: Workload, data: Data, pristine: Data) -> list[Mismatch]:
    """Compare `data` after a run with the reference; an empty list means that all is right.

    `pristine` is what `make` returned, before the run.
    """
    found = (
        _compare(name, np.asarray(expected), np.asarray(data[name]), workload.rtol)
        for name, expected in workload.reference(pristine).items()
    )
    return [mismatch for mismatch in found if mismatch is not None]


def _compare(name: str, expected: np.ndarray, got: np.ndarray, rtol: float) -> Mismatch | None:
    if (got.shape, got.dtype) != (expected.shape, expected.dtype):
        return Mismatch(
            name,
            f"expected shape {expected.shape} of {expected.dtype}, "
            f"got shape {got.shape} of {got.dtype}",
        )
    floating = np.issubdtype(expected.dtype, np.floating)
    if rtol and floating:
        same = np.isclose(got, expected, rtol=rtol, atol=0.0, equal_nan=True)
    elif floating:
        same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    else:
        same = got == expected
    if same.all():
        return None
    index = tuple(int(i) for i in np.argwhere(~same)[0])
    count = int(np.count_nonzero(~same))
    want, have = expected[index].item(), got[index].item()
    tolerance = f" (relative tolerance {rtol:g})" if rtol and floating else ""
    place = index[0] if len(index) == 1 else index
    return Mismatch(
        name,
        f"{count} of {expected.size} elements are wrong; the first is at {place}: "
        f"expected {want!r}, got {have!r}{tolerance}",
        index,
        want,
        have,
        count,
    )
