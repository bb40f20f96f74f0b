"""`simtlab run`: its options."""

from __future__ import annotations

from typing import Annotated

import typer

from ..options.complete import engines, schemes
from ..options.options import (
    EXECUTION,
    Arg,
    Block,
    Budget,
    ExitedArrive,
    Grid,
    Items,
    Json,
    Kernel,
    Out,
    Picture,
    RunDump,
    RunMarkers,
    Seed,
    Size,
    SubdivideLimit,
    Target,
    whole_number,
)


def run(
    target: Target,
    kernel: Kernel = None,
    grid: Grid = None,
    block: Block = None,
    items: Items = None,
    arg: Arg = None,
    out: Out = None,
    size: Size = None,
    picture: Picture = None,
    seed: Seed = "0",
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="jit|interp|oracle",
            help="jit (the default): native code; interp: warps with active masks, also used for "
            "--stats and --scheme; oracle: every work-item on its own.",
            autocompletion=engines,
            rich_help_panel=EXECUTION,
        ),
    ] = None,
    scheme: Annotated[
        str | None,
        typer.Option(
            metavar="stack|ipdom-explicit|ppc|ppc-explicit|per-thread|F.py",
            help="How the lanes of a warp diverge and re-converge (stack); F.py: your own scheme.",
            autocompletion=schemes,
            rich_help_panel=EXECUTION,
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="scheme.KNOB=VALUE",
            help="Set a knob of the scheme, as scheme.cascade=false.",
            rich_help_panel=EXECUTION,
        ),
    ] = None,
    warp: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="Lanes of a warp, 1 to 64.",
            rich_help_panel=EXECUTION,
        ),
    ] = "32",
    budget: Budget = None,
    exited_arrive: ExitedArrive = False,
    threads: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="Host threads that run native code.",
            rich_help_panel=EXECUTION,
        ),
    ] = "1",
    stats: Annotated[
        bool,
        typer.Option(
            "--stats", help="Print every count (instructions, branches, barriers and more)."
        ),
    ] = False,
    lines: Annotated[
        bool,
        typer.Option(
            "--lines", help="Print executions and mean active lanes of every source line."
        ),
    ] = False,
    check_arrays: Annotated[
        bool,
        typer.Option(
            "--check-arrays",
            help="Trap if an access leaves the group, private or readonly array that its address "
            "names.",
        ),
    ] = False,
    check_coverage: Annotated[
        bool,
        typer.Option(
            "--check-coverage", help="Print how many elements of each array were never written."
        ),
    ] = False,
    markers: RunMarkers = None,
    subdivide_limit: SubdivideLimit = "50",
    dump: RunDump = None,
    json: Json = False,
) -> int:
    """Run a kernel on arrays, or a program that comes with simtlab.

    A program has its own inputs and launches, and its result is compared with its reference. A
    file needs --items or --grid, and one --arg for each parameter; every array that the kernel
    changed is printed, or written to the file that --out names.

    For example:

      simtlab run saxpy --size tiny
      simtlab run mandelbrot --scheme ppc --stats --picture mandelbrot.png
      simtlab run saxpy.sasm --items 8 --arg n=8 --arg a=2.5 --arg x=@x.npy --arg y=ones:8
    """
    from ..jobs.run import launch
    from ..options.settings import RunSettings, parse_dims, parse_scheme

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
        check_arrays=check_arrays,
        check_coverage=check_coverage,
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
