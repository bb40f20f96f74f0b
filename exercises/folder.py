"""The folder of an exercise: its text, a kernel with a hole, inputs, reference and targets."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from textwrap import indent, wrap
from typing import TypeVar

from pydantic import ValidationError

from ..asm.assemble import assemble
from ..isa.errors import SourceError, UsageError
from ..isa.program import Program
from ..programs.workload import Workload
from .definition import SEED, Definition, HiddenFile, Part, wording
from .inputs import ExerciseError, Inputs, load

FILE = "exercise.toml"
HIDDEN = "hidden.toml"
"""Cases that students do not get."""

_GIVEN = "kernel.sasm"
"""The kernel of an exercise whose answer is a scheduler."""


PartT = TypeVar("PartT", bound=Part)


@dataclass(frozen=True)
class ExerciseFolder:
    """What a folder says of an exercise. `name` and `number` are from the folder's name, `NN_name`.

    Every property and method raises ExerciseError if the folder is not as it must be.
    """

    folder: Path

    @property
    def number(self) -> int:
        """The place in the order of the exercises."""
        head = self.folder.name.partition("_")[0]
        return int(head) if head.isdecimal() else 0

    @property
    def name(self) -> str:
        """The name, as `masked-add`."""
        head, _, rest = self.folder.name.partition("_")
        return (rest if head.isdecimal() and rest else self.folder.name).replace("_", "-")

    @cached_property
    def definition(self) -> Definition:
        """The content of `exercise.toml`."""
        return _read(self.folder / FILE, Definition)

    @cached_property
    def hidden(self) -> HiddenFile | None:
        """The content of `hidden.toml`; None without one."""
        path = self.folder / HIDDEN
        return _read(path, HiddenFile) if path.exists() else None

    @cached_property
    def is_scheduler(self) -> bool:
        """Whether the answer is a scheduler, a Python file, and the kernel is given."""
        return (self.folder / "start.py").exists()

    @property
    def suffix(self) -> str:
        """The end of an answer's file name."""
        return ".py" if self.is_scheduler else ".sasm"

    @property
    def start(self) -> Path:
        """The file with the hole."""
        return self._file(f"start{self.suffix}")

    @property
    def solution(self) -> Path:
        """An answer that passes."""
        return self._file(f"solution{self.suffix}")

    @property
    def given(self) -> Path | None:
        """The kernel that a scheduler is written for; None if the answer is a kernel."""
        return self._file(_GIVEN) if self.is_scheduler else None

    @cached_property
    def program(self) -> Program:
        """The program that has the signatures: the given kernel, or the solution.

        A folder for students has no solution; there the start file has them.
        """
        path = self.given or self._solution_or_start()
        try:
            return assemble(path)
        except SourceError as error:
            raise ExerciseError(f"{path} does not assemble: {error.first.message}") from None

    @cached_property
    def inputs(self) -> Inputs:
        """The functions of `inputs.py`."""
        parameters: list[str] = []
        launch = self.definition.launch
        if launch is not None:
            names = [kernel.name for kernel in self.program.kernels]
            if launch.kernel not in names:
                raise ExerciseError(
                    f"{self.folder / FILE}: launch.kernel is {launch.kernel!r}, and the program "
                    f"has {', '.join(names)}"
                )
            parameters = [p.name for p in self.program.kernel(launch.kernel).params]
        return load(self.folder, self.definition, parameters)

    @cached_property
    def workload(self) -> Workload:
        """Inputs and reference as those of a program."""
        inputs = self.inputs
        return Workload(
            self.definition.title,
            str(self.folder),
            {},
            inputs.make,
            inputs.launch,
            inputs.reference,
            self.definition.rtol,
        )

    @property
    def cases(self) -> list[tuple[dict[str, int], int]]:
        """Sizes and seed of each run before the one that is scored."""
        hidden = self.hidden.cases if self.hidden is not None else []
        return [
            ({key: n for key, n in case.items() if key != SEED}, case.get(SEED, 0))
            for case in (*self.definition.cases, *hidden)
        ]

    # --- what a student sees

    def task(self) -> str:
        """Return title, prerequisites and text."""
        given = self.definition
        number = f"{self.number}. " if self.number else ""
        parts = [f"{number}{given.title}  ({self.name})", indent(given.text.strip(), "  ")]
        if given.after:
            parts.append(f"Comes after: {', '.join(given.after)}.")
        parts.append(f"Hints 1 to {len(given.hints)}: `simtlab exercise hint {self.name} 1`")
        return "\n\n".join("\n".join(_folded(part, 110)) for part in parts)

    def start_text(self) -> str:
        """Return the start file."""
        return self.start.read_text(encoding="utf-8")

    def hint(self, number: int = 1) -> str:
        """Return a hint, from 1 on. Raises UsageError."""
        hints = self.definition.hints
        if not 1 <= number <= len(hints):
            raise UsageError(
                f"{self.name} has the hints 1 to {len(hints)}, and no hint {number}",
                code="SIM515",
            )
        return "\n".join(_folded(hints[number - 1].strip()))

    def _solution_or_start(self) -> Path:
        has_solution = (self.folder / f"solution{self.suffix}").exists()
        return self.solution if has_solution else self.start

    def _file(self, name: str) -> Path:
        path = self.folder / name
        if not path.is_file():
            raise ExerciseError(
                f"{self.folder} has no {name}",
                hint=f"a folder of an exercise has {FILE}, inputs.py, start.sasm and "
                "solution.sasm; with a scheduler, start.py, solution.py and kernel.sasm. Without "
                "a solution, as students get it, answers can be checked",
            )
        return path


def _read(path: Path, kind: type[PartT]) -> PartT:
    """Return the content of a file of a folder. Raises ExerciseError."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ExerciseError(f"{path.parent} has no {path.name}") from None
    except OSError as problem:
        raise ExerciseError(f"cannot read {path}: {problem.strerror}") from None
    except ValueError as problem:
        raise ExerciseError(f"{path} is not TOML: {problem}") from None
    try:
        return kind.model_validate(table)
    except ValidationError as error:
        lines = "; ".join(wording(found) for found in error.errors())
        raise ExerciseError(
            f"{path}: {lines}", hint="`simtlab explain exercises` lists the keys"
        ) from None


def _folded(text: str, width: int = 100) -> list[str]:
    """Return the lines of a text, with those that are too long folded."""
    found: list[str] = []
    for line in text.split("\n"):
        margin = " " * (len(line) - len(line.lstrip()))
        found += wrap(line, width, subsequent_indent=margin) or [""]
    return found
