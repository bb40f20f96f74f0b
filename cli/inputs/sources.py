"""Sources and their listings, for every command that assembles."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ...asm.assemble import PASSES, Markers, assemble
from ...asm.flow.joins import SUBDIVIDE_LIMIT
from ...isa.errors import UsageError, did_you_mean
from ...isa.program import Kernel, Program
from ..options.options import MARKERS, one_of
from .files import STDIN, check_writable, read_stdin_source, write_bytes

if TYPE_CHECKING:
    from ...emu.geometry import Geometry
    from ...emu.launch import Launch


def read_source(file: str) -> str | Path:
    """Return what the assembler takes: the path of a file, or the text of stdin for `-`."""
    return read_stdin_source() if file == STDIN else Path(file)


def assemble_source(
    source: str | Path,
    markers: str = "auto",
    subdivide_limit: int = SUBDIVIDE_LIMIT,
    dump: Listings | None = None,
    includes: Mapping[str, str] | None = None,
) -> Program:
    """Assemble a source, with the options of the command. Raises SourceError and UsageError."""
    one_of(markers, MARKERS, "--markers")
    return assemble(
        source,
        markers=cast(Markers, markers),
        subdivide_limit=subdivide_limit,
        dump=dump.takers if dump is not None else None,
        includes=includes,
    )


_COMMENT = {"llvm": ";"}


class Listings:
    """What --dump asks for: printed at once, written to files, or kept for JSON.

    `takers` are for the passes of the assembler. With `native`, `show` takes the native code of
    launches.
    """

    def __init__(self, words: str | None, *, keep: bool, native: bool = False) -> None:
        wanted = [word.partition("=") for word in words.split(",")] if words is not None else []
        names = [name for name, _, _ in wanted]
        for name in names:
            _check_listing(name, native)
        self._files = {name: file for name, equals, file in wanted if equals}
        for name, file in self._files.items():
            check_writable(file, f"--dump {name}")
        self._keep = keep
        self._texts: dict[str, str] = {}
        self._titled = len(names) - len(self._files) > 1
        self.takers = {name: partial(self._take, name) for name in names if name in PASSES}
        self.native = [name for name in names if name not in PASSES]
        self._shown: set[tuple[str, Geometry]] = set()

    def show(self, launch: Launch) -> None:
        """Take the native code of a launch, once for each kernel and shape. Raises UsageError."""
        shape = launch.function.name, launch.geometry
        if shape in self._shown:
            return
        self._shown.add(shape)
        size = "x".join(map(str, launch.geometry.group_size))
        for name in self.native:
            title = f"kernel {launch.function.name}, workgroups of {size}\n"
            self._take(name, f"{_COMMENT.get(name, '#')} {title}{launch.generated(name)}")

    def _take(self, name: str, text: str) -> None:
        text = text if text.endswith("\n") else text + "\n"
        if not self._keep and name not in self._files:
            sys.stdout.write((f"--- {name}\n" if self._titled else "") + text)
            return
        self._texts[name] = self._texts.get(name, "") + text
        if name in self._files:
            write_bytes(self._files[name], self._texts[name].encode())

    def to_dict(self) -> dict[str, object]:
        """Return the kept listings for --json; an empty dictionary for none."""
        kept = {name: text for name, text in self._texts.items() if name not in self._files}
        return {"dump": kept} if kept else {}


def _check_listing(name: str, native: bool) -> None:
    from ...emu.engine import GENERATED

    if name in GENERATED and not native:
        raise UsageError(
            f"--dump {name} is for `run`: native code is made for workgroups of one size",
            code="SIM517",
            hint=f"simtlab run F.sasm --items N --arg NAME=VALUE --dump {name}",
        )
    one_of(name, (*PASSES, *GENERATED) if native else PASSES, "--dump")


def kernel_of(program: Program, name: str | None) -> Kernel:
    """Return the kernel of this name, or the only one. Raises UsageError."""
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
    """Return what JSON output shows of a program."""
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
