"""Options that several commands share, and checks of what was given for one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from ..isa.errors import UsageError, did_you_mean
from ..isa.types import U64
from .literals import parse_number

MARKERS = ("auto", "explicit", "none")

ASSEMBLER = "Assembling"
"""The panel of --help for options of the assembler."""

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]

Markers = Annotated[
    str,
    typer.Option(
        metavar="auto|explicit|none",
        help="Leave `reconverge` instructions as they are, put them at every join, or strip them.",
        autocompletion=lambda incomplete: [m for m in MARKERS if m.startswith(incomplete)],
        rich_help_panel=ASSEMBLER,
    ),
]

SubdivideLimit = Annotated[
    str,
    typer.Option(
        metavar="N",
        help="Longest block behind a join, in instructions, up to which warps may subdivide.",
        rich_help_panel=ASSEMBLER,
    ),
]

Dump = Annotated[
    str | None,
    typer.Option(
        metavar="PASS[=FILE]",
        help="Print the program after this pass of the assembler, or write it to a file; several "
        "with commas.",
        rich_help_panel=ASSEMBLER,
    ),
]

RunDump = Annotated[
    str | None,
    typer.Option(
        metavar="PASS|llvm|asm[=FILE]",
        help="Print the program after this pass of the assembler, or the native code of what is "
        "launched, or write it to a file; several with commas.",
        rich_help_panel=ASSEMBLER,
    ),
]


def one_of(value: str, known: Iterable[str], option: str) -> str:
    """The value, where it is one of these words. Raises UsageError."""
    words = tuple(known)
    if value not in words:
        raise UsageError(
            f"{option} takes {', '.join(words[:-1])} or {words[-1]}, not {value!r}",
            code="SIM515",
            hint=did_you_mean(value, words),
        )
    return value


def whole_number(text: str, option: str) -> int:
    """A whole number from 0 on, in decimal or as 0x20. Raises UsageError."""
    value = parse_number(text, U64)
    if not isinstance(value, int) or value < 0:
        raise UsageError(f"{option} takes a whole number from 0 on, not {text!r}", code="SIM515")
    return value
