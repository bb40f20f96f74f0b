"""Object file -> Program, with every check that the assembler makes."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from ..isa.errors import ObjectFileError
from ..isa.objectfile import loads
from ..isa.program import Program
from .joins import check_program


def load(source: bytes | str | PathLike[str]) -> Program:
    """The program of an object file, given as its bytes or its path.

    Raises ObjectFileError where it cannot be read or is not a valid program; that includes joins
    that are not post-dominators, which the verifier alone does not see.
    """
    data = source if isinstance(source, bytes) else _read(Path(source))
    program = loads(data)
    check_program(program)
    return program


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise ObjectFileError(f"cannot read {path}: {reason}", code="SIM200") from None
