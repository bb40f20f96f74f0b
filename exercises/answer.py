"""Answers: a kernel source or a scheduler file, read, assembled, and searched for holes.

An answer may be hostile. Everything that is too large is refused before it runs.
"""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass
from pathlib import Path

from ..asm.assemble import assemble
from ..emu.module import Module
from ..isa.errors import SimtError, SourceError, UsageError
from ..isa.program import Program
from .report import State

HOLE = "HOLE"
"""What marks a hole: the operand of a `trap`, and a name in a Python file."""

HOLE_CODE = 0xFFFF
"""The value of the constant HOLE in a kernel source."""

MOST_BYTES = 1 << 20
MOST_INSTRUCTIONS = 4096
MOST_GROUP_BYTES = 1 << 16
MOST_PRIVATE_BYTES = 1 << 14


class Stop(Exception):
    """The end of a check before all runs: its state, one sentence, and what else is known."""

    def __init__(
        self, state: State, message: str, error: SimtError | None = None, hint: str = ""
    ) -> None:
        super().__init__(message)
        self.state: State = state
        self.message = message
        self.hint = hint or (error.first.hint if error is not None else "")
        self.diagnostics = [d.to_dict() for d in error.diagnostics] if error is not None else []


@dataclass(frozen=True)
class Answer:
    """A text, and the file that it is from; `path` is None for a text that was passed."""

    text: str
    path: Path | None

    @property
    def name(self) -> str:
        """The name of the file, for reports."""
        return str(self.path) if self.path is not None else "(text)"


def read(answer: str | os.PathLike[str] | Answer) -> Answer:
    """Return an answer from a path, or from a text, which has a line end. Raises UsageError."""
    if isinstance(answer, Answer):
        return answer
    if isinstance(answer, str) and "\n" in answer:
        return Answer(answer, None)
    path = Path(answer)
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is not a file", code="SIM510")
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise UsageError(f"cannot read {path}: {reason.lower()}", code="SIM510") from None
    # Bytes that are no text become characters that no source may have: it fails as a source.
    return Answer(data.decode("utf-8", "replace"), path)


def kernels(answer: Answer, wanted: Program) -> Module:
    """Return the kernels of an answer. `wanted` is the program that gives their signatures.

    Raises Stop for an answer that does not assemble, has a hole, or may not run.
    """
    _refuse_size(len(answer.text.encode()), MOST_BYTES, "bytes of source")
    try:
        program = assemble(answer.path if answer.path is not None else answer.text)
    except SourceError as error:
        place = f"line {error.first.span.line}: " if error.first.span else ""
        raise Stop(
            "source", f"the source does not assemble: {place}{error.first.message}", error
        ) from None
    _refuse_size(len(program.readonly_data), MOST_GROUP_BYTES, "bytes of readonly memory")
    for kernel in program.kernels:
        _refuse_size(len(kernel.words), MOST_INSTRUCTIONS, "instructions")
        _refuse_size(kernel.group_size, MOST_GROUP_BYTES, "bytes of group memory")
        _refuse_size(kernel.private_size, MOST_PRIVATE_BYTES, "bytes of private memory")
    _check_signatures(program, wanted)
    holes = sorted(holes_of(program))
    if holes:
        raise Stop(
            "hole",
            f"{_the_hole(holes)} not filled yet: put your code in place of `trap {HOLE}`",
        )
    return Module(program)


def holes_of(program: Program) -> set[int]:
    """Return the lines of a program that are holes."""
    return {
        span.line
        for kernel in program.kernels
        for pc, instruction in enumerate(kernel.instructions)
        if instruction.row.is_trap and instruction.literals == (HOLE_CODE,)
        if (span := program.span(kernel, pc)) is not None
    }


def check_scheduler(answer: Answer) -> None:
    """Raise Stop for a scheduler file that is not Python, or has a hole."""
    _refuse_size(len(answer.text.encode()), MOST_BYTES, "bytes of source")
    try:
        tree = ast.parse(answer.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        place = f"line {error.lineno}: " if isinstance(error, SyntaxError) else ""
        what = error.msg if isinstance(error, SyntaxError) else str(error)
        raise Stop("source", f"the file is not Python: {place}{what}") from None
    holes = sorted(scheduler_holes(tree))
    if holes:
        raise Stop("hole", f"{_the_hole(holes)} not filled yet: put your code in place of `{HOLE}`")


def scheduler_holes(tree: ast.Module) -> set[int]:
    """Return the lines of a Python file that are holes."""
    return {
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id == HOLE and isinstance(node.ctx, ast.Load)
    }


def _check_signatures(program: Program, wanted: Program) -> None:
    found = {kernel.name: kernel.signature for kernel in program.kernels}
    for kernel in wanted.kernels:
        if kernel.name not in found:
            raise Stop(
                "refused",
                f"the answer has no kernel {kernel.name}; it has {', '.join(found)}",
                hint=f"the first line must be: {kernel.signature}",
            )
        if found[kernel.name] != kernel.signature:
            raise Stop(
                "refused",
                f"kernel {kernel.name} has other parameters than the exercise",
                hint=f"the first line must be: {kernel.signature}",
            )


def _refuse_size(number: int, most: int, what: str) -> None:
    if number > most:
        raise Stop("refused", f"the answer has {number:,} {what}; an exercise allows {most:,}")


def _the_hole(lines: list[int]) -> str:
    if len(lines) == 1:
        return f"the hole in line {lines[0]} is"
    return f"the holes in lines {', '.join(map(str, lines[:-1]))} and {lines[-1]} are"
