"""Object file -> Program, with every check that the assembler makes."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from ..isa.errors import ObjectFileError
from ..isa.expect import path
from ..isa.objectfile import loads
from ..isa.program import Program
from .flow.joins import check_program


def load(source: bytes | bytearray | memoryview | str | PathLike[str]) -> Program:
    """Return the program of an object file, given as its bytes or its path.

    Raises ObjectFileError where it cannot be read or is not a valid program; that includes joins
    that are not post-dominators, which the verifier alone does not see.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
    else:
        data = _read(Path(path(source, "an object file", "its bytes or its path")))
    program = loads(data)
    check_program(program)
    return program


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise ObjectFileError(f"cannot read {file}: {reason}", code="SIM200") from None
