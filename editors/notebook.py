"""The cell magic `%%sasm` of IPython and Jupyter, and the display of recordings."""

from __future__ import annotations

from typing import Any

from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from ..asm.assemble import assemble_file
from ..asm.texts.source import open_text
from ..emu.module import Module
from ..isa.errors import SimtError, SourceError, UsageError, did_you_mean
from . import recordings

NAME = "program"
"""The variable of a cell that names none."""

CELL = "<cell>"
"""What messages call the source."""

MARKERS = ("auto", "explicit", "none")


class CellError(SourceError):
    """The error of a cell, which IPython shows without a traceback: it is about the cell's text."""

    def _render_traceback_(self) -> list[str]:
        return str(self).split("\n")


@magics_class
class SasmMagics(Magics):
    """The magics of simtlab."""

    @magic_arguments()
    @argument("name", nargs="?", default=NAME, help=f"variable for the program ({NAME})")
    @argument("--markers", default="auto", help=f"{', '.join(MARKERS)}: see simtlab.assemble")
    @argument("-q", "--quiet", action="store_true", help="do not show the program")
    @cell_magic
    def sasm(self, line: str, cell: str) -> Module | None:
        """Assemble the cell, put the program into a variable, and show it.

        Lines are counted from the one with `%%sasm`, as notebooks do. Included files are searched
        in the current folder.
        """
        given = parse_argstring(self.sasm, line)
        try:
            module = self._module(given.name, given.markers, cell)
        except SimtError as error:
            raise CellError(diagnostics=error.diagnostics) from None
        assert self.shell is not None
        self.shell.push({given.name: module})
        return None if given.quiet else module

    def _module(self, name: str, markers: Any, cell: str) -> Module:
        if not name.isidentifier():
            raise UsageError(
                f"%%sasm puts the program into a variable, and {name!r} is not a name",
                code="SIM515",
                hint=f"%%sasm {NAME}",
            )
        if markers not in MARKERS:
            raise UsageError(
                f"--markers takes {', '.join(MARKERS)}, not {markers!r}",
                code="SIM515",
                hint=did_you_mean(markers, MARKERS),
            )
        return Module(assemble_file(open_text(f"\n{cell}", CELL), markers))


def register(ipython: Any) -> None:
    """Define the magics in a shell, and let it show recordings."""
    ipython.register_magics(SasmMagics)
    recordings.register(ipython)
