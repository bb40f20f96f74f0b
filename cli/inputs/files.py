"""Files of the user: read and written with one clear error for every failure."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ...isa.errors import SourceError, UsageError
from ...isa.objectfile import MAGIC

if TYPE_CHECKING:
    from ...isa.program import Program

STDIN = "-"

MAX_BYTES = 1 << 28
"""Most bytes of a source or an object file; a pipe may have no end."""


def cannot(action: str, path: str | os.PathLike[str], problem: Exception) -> UsageError:
    """Return the error for a file that cannot be read or written."""
    reason = getattr(problem, "strerror", None) or str(problem)
    code = "SIM510" if action == "read" else "SIM511"
    shown = path or "''"
    return UsageError(f"cannot {action} {shown}: {reason.lower()}", code=code)


def read_bytes(path: str) -> bytes:
    """Return the content of a file, or of stdin for `-`. Raises UsageError."""
    if path == STDIN and sys.stdin is None:
        raise UsageError("cannot read standard input: it is closed", code="SIM510")
    try:
        if path == STDIN:
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(path).open("rb") as file:
                data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as problem:
        raise cannot("read", path, problem) from None
    if len(data) > MAX_BYTES:
        shown = "standard input" if path == STDIN else path
        raise UsageError(f"{shown} is larger than {MAX_BYTES >> 20} MiB", code="SIM510")
    return data


def read_stdin_source() -> str:
    """Return the source text on stdin. Raises SourceError where it is none."""
    data = read_bytes(STDIN)
    try:
        # With the line end the assembler does not take a one-line text for a path.
        return data.decode("utf-8") + "\n"
    except UnicodeDecodeError as problem:
        raise SourceError(
            f"standard input is not UTF-8 text: byte {data[problem.start]:#04x} at offset "
            f"{problem.start} is not valid there",
            code="SIM101",
        ) from None


def is_object_file(path: str) -> bool:
    """Return whether a file that can be read begins as object files do."""
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False


def load_program(path: str) -> Program:
    """Return the program of an object file. Raises UsageError and ObjectFileError."""
    from ...asm.load import load

    data = read_bytes(path)
    if not data.startswith(MAGIC) and path.endswith(".sasm"):
        raise UsageError(
            f"{path} is a source, not an object file",
            code="SIM516",
            hint=f"`simtlab asm {path}` makes one",
        )
    return load(data)


def write_bytes(path: str, data: bytes) -> None:
    """Write a file that was named by the user. Raises UsageError."""
    refuse_source(path)
    try:
        Path(path).write_bytes(data)
    except (OSError, ValueError) as problem:
        raise cannot("write", path, problem) from None


def check_writable(path: str, option: str) -> None:
    """Check before a long run that a file can be written. Raises UsageError."""
    folder = os.path.dirname(path) or "."
    if not path or path == STDIN:
        given = ", not -" if path else ""
        raise UsageError(f"{option} needs the name of a file{given}", code="SIM511")
    if os.path.isdir(path):
        raise UsageError(f"{option}: {path} is a folder", code="SIM511", hint="name a file in it")
    if not os.path.isdir(folder):
        raise UsageError(
            f"{option}: the folder {folder} does not exist",
            code="SIM511",
            hint=f"mkdir -p {folder}",
        )
    refuse_source(path, f"{option}: ")
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise UsageError(f"{option}: cannot write {path}: permission denied", code="SIM511")


def check_picture(path: str) -> None:
    """Check before a long run that a picture can be written. Raises UsageError."""
    check_writable(path, "--picture")
    if not path.endswith(".png"):
        raise UsageError(f"a picture is a file that ends in .png, not {path}", code="SIM515")


def refuse_source(path: str, prefix: str = "") -> None:
    """Refuse to overwrite a kernel source. Raises UsageError."""
    if path.endswith((".sasm", ".sinc")) and os.path.exists(path):
        raise UsageError(
            f"{prefix}{path} is a source and would be overwritten",
            code="SIM511",
            hint="name another file",
        )
