"""Options that several commands share, and checks of their values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from ...emu.text.literals import parse_number
from ...isa.errors import UsageError, did_you_mean, either
from ...isa.types import U64
from .complete import machines, mappings, sizes, targets

MARKERS = ("auto", "explicit", "none")

# The panels of --help.
_FILE = "Launching a file"
_PROGRAM = "Running a program"
SIMULATION = "Simulating"
EXECUTION = "Executing"
ASSEMBLER = "Assembling"

# --- what is run, with which inputs

Target = Annotated[
    str,
    typer.Argument(
        metavar="F.sasm|F.sbc|PROGRAM",
        help="A source (- reads stdin), an object file, or a name that `simtlab programs` lists.",
        autocompletion=targets,
    ),
]

Kernel = Annotated[
    str | None,
    typer.Option(
        metavar="K",
        help="The kernel; may be left out if the file has only one.",
        rich_help_panel=_FILE,
    ),
]

Grid = Annotated[
    str | None,
    typer.Option(
        metavar="X,Y,Z", help="Number of workgroups (CUDA's grid).", rich_help_panel=_FILE
    ),
]

Block = Annotated[
    str | None,
    typer.Option(
        metavar="X,Y,Z",
        help="Work-items of a workgroup (256; on a machine at most the contexts of a WPU).",
        rich_help_panel=_FILE,
    ),
]

Items = Annotated[
    str | None,
    typer.Option(
        metavar="X,Y,Z", help="Work-items in total, instead of --grid.", rich_help_panel=_FILE
    ),
]

Arg = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="An argument: 42, 0x2a, 1.5, @x.npy, zeros:f32:1024, ones:…, arange:…, "
        "rand:f32:64x64:seed=1 or full:u32:1024:7. The type may be left out.",
        rich_help_panel=_FILE,
    ),
]

Out = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=F.npy",
        help="Write this array to a file after the run.",
        rich_help_panel=_FILE,
    ),
]

Size = Annotated[
    str | None,
    typer.Option(
        metavar="tiny|small|paper",
        help="Size of the inputs (small); `simtlab programs NAME` lists the sizes.",
        autocompletion=sizes,
        rich_help_panel=_PROGRAM,
    ),
]

Param = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="Replace a parameter of the size; `simtlab programs NAME` lists those that can be.",
        rich_help_panel=_PROGRAM,
    ),
]

Mapping = Annotated[
    str | None,
    typer.Option(
        metavar="cyclic|affinity|blocks|…",
        help="Which work-items have which tasks of a program in dws/ (cyclic); `simtlab programs "
        "NAME` lists the mappings.",
        autocompletion=mappings,
        rich_help_panel=_PROGRAM,
    ),
]

Data = Annotated[
    str | None,
    typer.Option(
        metavar="TYPE",
        help="Type of the program's numbers, as f64; `simtlab programs NAME` lists the types.",
        rich_help_panel=_PROGRAM,
    ),
]

Picture = Annotated[
    str | None,
    typer.Option(metavar="F.png", help="Draw what the program computed.", rich_help_panel=_PROGRAM),
]

Seed = Annotated[
    str, typer.Option(metavar="N", help="Seed of a program's inputs and of rand: arguments.")
]

# --- the machine that it is simulated on

MachineName = Annotated[
    str,
    typer.Option(
        "--machine",
        metavar="NAME|F.toml",
        help="The machine; `simtlab machines` lists them.",
        autocompletion=machines,
        rich_help_panel=SIMULATION,
    ),
]

MachineSets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Set a field of the machine, as l1d.size=16KiB, or a setting of the policy, as "
        "policy.NAME=VALUE.",
        rich_help_panel=SIMULATION,
    ),
]

Checked = Annotated[
    bool,
    typer.Option(
        "--checked",
        help="Check every hook lane by lane: for your own policies, schedulers and memory systems.",
        rich_help_panel=SIMULATION,
    ),
]

# --- how it is executed

Budget = Annotated[
    str | None,
    typer.Option(
        metavar="N",
        help="Instructions that a work-item may execute before the launch ends with an error "
        "(16,777,216).",
        rich_help_panel=EXECUTION,
    ),
]

ExitedArrive = Annotated[
    bool,
    typer.Option(
        "--exited-arrive",
        help="At a barrier, a work-item that has returned counts as arrived.",
        rich_help_panel=EXECUTION,
    ),
]

# --- how it is assembled

RunMarkers = Annotated[
    str | None,
    typer.Option(
        metavar="auto|explicit|none",
        help="Leave `reconverge` instructions as written (auto), put one at every join "
        "(explicit), or remove them (none). The default is auto, or explicit for schemes and "
        "policies that act on them.",
        rich_help_panel=ASSEMBLER,
    ),
]

Markers = Annotated[
    str,
    typer.Option(
        metavar="auto|explicit|none",
        help="Leave `reconverge` instructions as written (auto), put one at every join "
        "(explicit), or remove them (none).",
        autocompletion=lambda incomplete: [m for m in MARKERS if m.startswith(incomplete)],
        rich_help_panel=ASSEMBLER,
    ),
]

SubdivideLimit = Annotated[
    str,
    typer.Option(
        metavar="N",
        help="A branch may subdivide a warp if the block at its join has at most this many "
        "instructions.",
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
        metavar="PASS[=FILE]",
        help="Print the program after this pass of the assembler, or write it to a file; several "
        "with commas. ssa, shapes and masks print the analyses of the JIT, llvm and asm its code.",
        rich_help_panel=ASSEMBLER,
    ),
]

# --- what is printed

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]


JsonLines = Annotated[
    bool,
    typer.Option(
        "--json-lines",
        help="Print every error as one JSON object a line, for editors and build tools.",
    ),
]


def one_of(value: str, known: Iterable[str], option: str) -> str:
    """Return the value, where it is one of these words. Raises UsageError."""
    words = tuple(known)
    if value not in words:
        raise UsageError(
            f"{option} takes {either(words)}, not {value!r}",
            code="SIM515",
            hint=did_you_mean(value, words),
        )
    return value


def whole_number(text: str, option: str, least: int = 0) -> int:
    """Return a whole number from 0 or 1 on, in decimal or as 0x20. Raises UsageError."""
    value = parse_number(text, U64)
    if not isinstance(value, int) or value < least:
        wanted = "a positive whole number" if least else "a whole number from 0 on"
        raise UsageError(f"{option} takes {wanted}, not {text!r}", code="SIM515")
    return value
