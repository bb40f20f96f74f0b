"""`simtlab run`: its options."""

from __future__ import annotations

from typing import Annotated

import typer

from .complete import engines, schemes, sizes, targets
from .options import Json, RunDump, SubdivideLimit, whole_number

_FILE = "Launching a file"
_PROGRAM = "Running a program"
_MACHINE = "Executing"


def run(
    target: Annotated[
        str,
        typer.Argument(
            metavar="F.sasm|F.sbc|PROGRAM",
            help="A source (- reads stdin), an object file, or a name that `simtlab programs` "
            "lists.",
            autocompletion=targets,
        ),
    ],
    kernel: Annotated[
        str | None,
        typer.Option(
            metavar="K", help="The kernel; may be left out if there is one.", rich_help_panel=_FILE
        ),
    ] = None,
    grid: Annotated[
        str | None,
        typer.Option(metavar="X,Y,Z", help="Workgroups, as CUDA's grid.", rich_help_panel=_FILE),
    ] = None,
    block: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y,Z", help="Work-items in a workgroup (256).", rich_help_panel=_FILE
        ),
    ] = None,
    items: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y,Z", help="Work-items in total, instead of --grid.", rich_help_panel=_FILE
        ),
    ] = None,
    arg: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="An argument: 42, 0x2a, 1.5, @x.npy, zeros:f32:1024, ones:…, arange:…, "
            "rand:f32:64x64:seed=1 or full:u32:1024:7. The type may be left out.",
            rich_help_panel=_FILE,
        ),
    ] = None,
    out: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=F.npy", help="Write this array after the run.", rich_help_panel=_FILE
        ),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            metavar="tiny|small|paper",
            help="Size of the inputs (small).",
            autocompletion=sizes,
            rich_help_panel=_PROGRAM,
        ),
    ] = None,
    picture: Annotated[
        str | None,
        typer.Option(
            metavar="F.png", help="Draw what the program computed.", rich_help_panel=_PROGRAM
        ),
    ] = None,
    seed: Annotated[
        str,
        typer.Option(metavar="N", help="Seed of the inputs, and of rand: arguments."),
    ] = "0",
    engine: Annotated[
        str,
        typer.Option(
            metavar="jit|interp|oracle",
            help="jit runs native code, interp warps with masks (also where --stats asks it to "
            "count), oracle every work-item alone.",
            autocompletion=engines,
            rich_help_panel=_MACHINE,
        ),
    ] = "jit",
    scheme: Annotated[
        str | None,
        typer.Option(
            metavar="stack|ipdom-explicit|ppc|ppc-explicit|per-thread",
            help="How the lanes of a warp diverge and re-converge (stack).",
            autocompletion=schemes,
            rich_help_panel=_MACHINE,
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="scheme.KNOB=VALUE",
            help="A knob of the scheme, as scheme.cascade=false.",
            rich_help_panel=_MACHINE,
        ),
    ] = None,
    warp: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="Lanes of a warp, 1 to 64.",
            rich_help_panel=_MACHINE,
        ),
    ] = "32",
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="Instructions per work-item before a launch is taken to hang (16,777,216).",
            rich_help_panel=_MACHINE,
        ),
    ] = None,
    exited_arrive: Annotated[
        bool,
        typer.Option(
            "--exited-arrive",
            help="At a barrier, a work-item that has returned counts as arrived.",
            rich_help_panel=_MACHINE,
        ),
    ] = False,
    threads: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="Threads of the host that native code may run on.",
            rich_help_panel=_MACHINE,
        ),
    ] = "1",
    stats: Annotated[bool, typer.Option("--stats", help="Count, and print every count.")] = False,
    lines: Annotated[
        bool, typer.Option("--lines", help="Executions and mean active lanes, line by line.")
    ] = False,
    markers: Annotated[
        str | None,
        typer.Option(
            metavar="auto|explicit|none",
            help="What to do with `reconverge` (auto; explicit for the explicit schemes).",
            rich_help_panel="Assembling",
        ),
    ] = None,
    subdivide_limit: SubdivideLimit = "50",
    dump: RunDump = None,
    json: Json = False,
) -> int:
    """Run a kernel on arrays, or a program that comes with simtlab.

    A program brings its own inputs and launches, and is checked against its reference. A file
    needs --items or --grid, and one --arg for each parameter; every array that the kernel changed
    is shown, or written where --out says.

    For example:

      simtlab run saxpy --size tiny
      simtlab run mandelbrot --scheme ppc --stats --picture mandelbrot.png
      simtlab run saxpy.sasm --items 8 --arg n=8 --arg a=2.5 --arg x=@x.npy --arg y=ones:8
    """
    from .launch import launch
    from .settings import RunSettings, parse_dims, parse_scheme

    settings = RunSettings(
        kernel=kernel,
        grid=parse_dims(grid, "--grid"),
        block=parse_dims(block, "--block"),
        items=parse_dims(items, "--items"),
        args=arg or (),
        outs=out or (),
        engine=engine,
        scheme=parse_scheme(scheme, set_ or (), engine),
        warp=whole_number(warp, "--warp"),
        exited_arrive=exited_arrive,
        threads=whole_number(threads, "--threads"),
        stats=stats,
        lines=lines,
        json=json,
        size=size,
        seed=whole_number(seed, "--seed"),
        picture=picture,
        markers=markers,
        subdivide_limit=whole_number(subdivide_limit, "--subdivide-limit"),
        dump=dump,
        **({} if budget is None else {"budget": whole_number(budget, "--budget")}),
    )
    return launch(target, settings)
