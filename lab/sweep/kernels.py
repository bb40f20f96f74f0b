"""Kernels of a sweep: files of the user's, each with a launch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...emu.engine import DEFAULT_BUDGET
from ...isa.errors import did_you_mean
from ...isa.quoting import shown
from ..runs.run import KernelLaunch, Shape
from .places import Places, SweepError

KEYS = (
    "file", "kernel", "size", "items", "groups", "group_size", "args", "budget", "exited_arrive",
)  # fmt: skip


@dataclass(frozen=True)
class Kernel:
    """A kernel to launch: `size` is a label that distinguishes several launches of one file."""

    path: str
    size: str
    launch: KernelLaunch


def kernels_of(given: Any, folder: Path, places: Places | None) -> tuple[Kernel, ...]:
    """Return the kernels of `[[kernels]]` tables. Raises SweepError."""
    if isinstance(given, Mapping):
        given = [given]
    if not isinstance(given, (list, tuple)) or not all(isinstance(t, Mapping) for t in given):
        raise SweepError(f"kernels must be tables [[kernels]], not {shown(given)}")
    found = [_Table(t, n, folder, places).kernel() for n, t in enumerate(given)]
    for place, kernel in enumerate(found):
        if any((k.path, k.size, k.launch.kernel) == (kernel.path, kernel.size, kernel.launch.kernel)
               for k in found[:place]):  # fmt: skip
            raise SweepError(
                f"two tables [[kernels]] are about {Path(kernel.path).name}",
                span=places.of("kernels", "", nth=place) if places else None,
                hint='give each a size, which is their label: size = "large"',
            )
    return tuple(found)


class _Table:
    """One table of a kernel."""

    def __init__(
        self, table: Mapping[str, Any], number: int, folder: Path, places: Places | None
    ) -> None:
        self.table = table
        self.number = number
        self.folder = folder
        self.places = places

    def error(self, message: str, key: str = "", hint: str = "") -> SweepError:
        span = None
        if self.places is not None:
            before = self.places.of("kernels", "", nth=self.number)
            span = self.places.after(before, key) if before is not None else None
        return SweepError(message, span=span, hint=hint)

    def kernel(self) -> Kernel:
        for key in self.table:
            if key not in KEYS:
                raise self.error(
                    f"a kernel of a sweep has no key {shown(key)}", key,
                    did_you_mean(key, KEYS) or f"it has {', '.join(KEYS)}",
                )  # fmt: skip
        file = self._text("file")
        if not file:
            raise self.error("the file of a kernel is missing", hint='as file = "gather.sasm"')
        if not file.endswith((".sasm", ".sbc")):
            raise self.error(
                f"{file} is not a kernel: expected a file that ends in .sasm or .sbc", "file",
                "a workload in Python (.py) is named under programs",
            )  # fmt: skip
        path = (self.folder / file).resolve()
        if not path.is_file():
            raise self.error(f"the file {path} does not exist", "file")
        items, groups = self._shape("items"), self._shape("groups")
        if (items is None) == (groups is None):
            raise self.error(
                f"{file} needs one of items (work-items in total) and groups (workgroups)"
            )
        launch = KernelLaunch(
            self._text("kernel"), groups, items, self._shape("group_size"), self._args(),
            self._budget(), self._flag("exited_arrive"),
        )  # fmt: skip
        return Kernel(str(path), self._text("size"), launch)

    def _text(self, key: str) -> str:
        given = self.table.get(key, "")
        if not isinstance(given, str):
            raise self.error(f"{key} must be a string, not {shown(given)}", key)
        return given

    def _flag(self, key: str) -> bool:
        given = self.table.get(key, False)
        if not isinstance(given, bool):
            raise self.error(f"{key} must be true or false, not {shown(given)}", key)
        return given

    def _budget(self) -> int:
        given = self.table.get("budget", DEFAULT_BUDGET)
        if not _is_count(given):
            raise self.error(
                f"budget must be a positive whole number, not {shown(given)}", "budget"
            )
        return given

    def _shape(self, key: str) -> Shape | None:
        given = self.table.get(key)
        if given is None:
            return None
        sizes = given if isinstance(given, (list, tuple)) else [given]
        if not 1 <= len(sizes) <= 3 or not all(_is_count(n) for n in sizes):
            raise self.error(
                f"{key} must be one to three positive whole numbers, not {shown(given)}", key
            )
        return tuple(sizes)

    def _args(self) -> tuple[tuple[str, str], ...]:
        given = self.table.get("args", {})
        if not isinstance(given, Mapping) or not all(
            isinstance(v, (int, float, str)) for v in given.values()
        ):
            raise self.error(
                f"args must be a table of numbers and texts, not {shown(given)}", "args",
                'as args = { n = 4096, x = "rand:f32:4096", y = "zeros:f32:4096" }',
            )  # fmt: skip
        return tuple((name, _word(value)) for name, value in given.items())


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 62


def _word(value: bool | int | float | str) -> str:
    """Return an argument as `--arg` takes it."""
    return str(int(value)) if isinstance(value, bool) else str(value)
