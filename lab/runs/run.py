"""Runs: one simulation each, described by names and values that can be written to a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...emu.engine import DEFAULT_BUDGET

Scalar = bool | int | float | str
"""The value of a field of a machine."""

Shape = tuple[int, ...]
"""One to three sizes."""

PARAMETER = "param."
"""How keys of `Run.sets` begin that belong to the program."""

FILES = (".sasm", ".sbc", ".py")
"""Endings of a program that is a file: a kernel, an object file, a workload."""


@dataclass(frozen=True)
class KernelLaunch:
    """One launch of a user's kernel, with arguments in words as `simtlab run --arg` takes them.

    One of `groups` and `items` is given. `group_size` is 256, or the contexts of a WPU, unless
    given; `kernel` may be empty if the file has only one.
    """

    kernel: str = ""
    groups: Shape | None = None
    items: Shape | None = None
    group_size: Shape | None = None
    args: tuple[tuple[str, str], ...] = ()
    budget: int = DEFAULT_BUDGET
    exited_arrive: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that differ from their defaults, for JSON."""
        found = {k: v for k, v in vars(self).items() if v != getattr(_NO_LAUNCH, k)}
        return found | ({"args": dict(self.args)} if self.args else {})


_NO_LAUNCH = KernelLaunch()


@dataclass(frozen=True)
class Run:
    """A simulation to run: a program at a size, on a machine, under a policy.

    `program` is a name as `dws/merge`, or a file of the user's: a workload (.py, beside its .sasm),
    or a kernel (.sasm, .sbc), which needs a `launch`; `size` is then a mere label. `machine` and
    `policy` are names or files. `sets` replaces fields of the machine, settings of the policy
    (`policy.NAME`) and parameters of the program (`param.NAME`), among which are its mapping of
    tasks and the type of its data (`param.mapping`, `param.data`). `sample` is the number of cycles
    of an interval of `Statistics.intervals`, 0 for a million.
    """

    program: str
    size: str = "small"
    machine: str = "dws"
    policy: str = "conv"
    sets: tuple[tuple[str, Scalar], ...] = ()
    seed: int = 0
    launch: KernelLaunch | None = field(default=None)
    sample: int = 0

    @property
    def values(self) -> Mapping[str, Scalar]:
        """The replaced fields by name."""
        return dict(self.sets)

    @property
    def fields(self) -> dict[str, Scalar]:
        """The replaced fields of the machine, with settings of the policy."""
        return {key: value for key, value in self.sets if not key.startswith(PARAMETER)}

    @property
    def parameters(self) -> dict[str, Any]:
        """The replaced parameters of the program, by name."""
        return {k.removeprefix(PARAMETER): v for k, v in self.sets if k.startswith(PARAMETER)}

    @property
    def is_file(self) -> bool:
        """Whether the program is a file of the user's."""
        return self.program.endswith(FILES)

    def names(self) -> dict[str, Any]:
        """Return what distinguishes the run, by column: files without their folders."""
        return {
            "program": _short(self.program) if self.is_file else self.program,
            "size": self.size,
            "seed": self.seed,
            "machine": _short(self.machine, ".toml"),
            "policy": _short(self.policy, ".py"),
            **{key: _shown(value) for key, value in self.values.items()},
            **({"sample": self.sample} if self.sample else {}),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        found = {**vars(self), "sets": self.values}
        del found["launch"]
        if not self.sample:
            del found["sample"]
        return found | ({"launch": self.launch.to_dict()} if self.launch is not None else {})

    def __str__(self) -> str:
        names = self.names()
        sets = "".join(f", {key}={_shown(value)}" for key, value in self.sets)
        size = f", size {self.size}" if self.size else ""
        seed = f", seed {self.seed}" if self.seed else ""
        sample = f", intervals of {self.sample:,} cycles" if self.sample else ""
        policy, machine = names["policy"], names["machine"]
        return f"{names['program']}{size}{seed}, {policy} on {machine}{sets}{sample}"


def _short(name: str, ending: str = "") -> str:
    """Return the name of a file without its folder, and without this ending."""
    if not ending or name.endswith(ending):
        return Path(name).name.removesuffix(ending)
    return name


def _shown(value: Any) -> Any:
    """Return the value of a field; an engine file as `_short` does."""
    return _short(value, ".py") if isinstance(value, str) else value
