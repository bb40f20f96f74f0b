"""From what the user names to a Program, for every command that takes a source."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import cast

from ..asm.assemble import PASSES, Markers, assemble
from ..asm.joins import SUBDIVIDE_LIMIT
from ..isa.errors import UsageError, did_you_mean
from ..isa.program import Kernel, Program
from .files import STDIN, read_stdin_source
from .options import MARKERS, one_of


def read_source(file: str) -> str | Path:
    """What the assembler takes: the path of a file, the text of stdin for `-`."""
    return read_stdin_source() if file == STDIN else Path(file)


def assemble_source(
    source: str | Path,
    markers: str = "auto",
    subdivide_limit: int = SUBDIVIDE_LIMIT,
    dump: Listings | None = None,
) -> Program:
    """Assemble a source, with the options of the command. Raises SourceError and UsageError."""
    one_of(markers, MARKERS, "--markers")
    return assemble(
        source,
        markers=cast(Markers, markers),
        subdivide_limit=subdivide_limit,
        dump=dump.takers if dump is not None else None,
    )


class Listings:
    """What --dump asks for: printed as the passes go by, or kept for JSON."""

    def __init__(self, passes: str | None, *, keep: bool) -> None:
        names = passes.split(",") if passes is not None else []
        for name in names:
            one_of(name, PASSES, "--dump")
        self.texts: dict[str, str] = {}
        self.takers = {name: partial(self._take, name, keep, len(names) > 1) for name in names}

    def _take(self, name: str, keep: bool, titled: bool, text: str) -> None:
        text = text if text.endswith("\n") else text + "\n"
        if keep:
            self.texts[name] = text
        else:
            sys.stdout.write((f"--- {name}\n" if titled else "") + text)

    def to_dict(self) -> dict[str, object]:
        """What JSON says of them: nothing where nothing was asked for."""
        return {"dump": self.texts} if self.texts else {}


def kernel_of(program: Program, name: str | None) -> Kernel:
    """The kernel of this name, or the only one. Raises UsageError."""
    names = [k.name for k in program.kernels]
    if name is None:
        if len(names) == 1:
            return program.kernels[0]
        raise UsageError(
            f"the file has {len(names)} kernels: {', '.join(names)}",
            code="SIM518",
            hint="choose one with --kernel",
        )
    try:
        return program.kernel(name)
    except KeyError:
        raise UsageError(
            f"the program has no kernel {name!r}; it has {', '.join(names)}",
            code="SIM504",
            hint=did_you_mean(name, names),
        ) from None


def summary(program: Program) -> dict[str, object]:
    """What JSON says about a program."""
    return {
        "digest": program.digest,
        "kernels": [
            {
                "name": k.name,
                "signature": k.signature,
                "instructions": len(k.words),
                "registers": k.registers,
                "group_bytes": k.group_size,
                "private_bytes": k.private_size,
            }
            for k in program.kernels
        ],
    }
