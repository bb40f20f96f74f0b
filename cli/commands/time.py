"""`simtlab time`: its options."""

from __future__ import annotations

from typing import Annotated

import typer

from ..options.complete import policies
from ..options.options import (
    SIMULATION,
    Arg,
    Block,
    Budget,
    Dump,
    ExitedArrive,
    Grid,
    Items,
    Json,
    Kernel,
    MachineName,
    MachineSets,
    Out,
    Picture,
    RunMarkers,
    Seed,
    Size,
    SubdivideLimit,
    Target,
    whole_number,
)

_TRACE = "Tracing"


def time(
    target: Target,
    machine: MachineName = "dws",
    policy: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What warps do at branches and misses; `simtlab policies` lists the policies.",
            autocompletion=policies,
            rich_help_panel=SIMULATION,
        ),
    ] = "conv",
    set_: MachineSets = None,
    checked: Annotated[
        bool,
        typer.Option(
            "--checked",
            help="Check every hook lane by lane: for your own policies, schedulers and memory "
            "systems.",
            rich_help_panel=SIMULATION,
        ),
    ] = False,
    annotate: Annotated[
        bool,
        typer.Option(
            "--annotate",
            help="Print executions, mean lanes and causes of cycles of every source line.",
        ),
    ] = False,
    trace: Annotated[
        str | None,
        typer.Option(
            metavar="F.npz|F.json.gz|F.kanata",
            help="Write a trace: as NumPy arrays, for Perfetto, or for Konata.",
            rich_help_panel=_TRACE,
        ),
    ] = None,
    trace_window: Annotated[
        str | None,
        typer.Option(
            metavar="FROM:TO",
            help="The cycles that the trace covers (all).",
            rich_help_panel=_TRACE,
        ),
    ] = None,
    kernel: Kernel = None,
    grid: Grid = None,
    block: Block = None,
    items: Items = None,
    arg: Arg = None,
    out: Out = None,
    size: Size = None,
    picture: Picture = None,
    seed: Seed = "0",
    budget: Budget = None,
    exited_arrive: ExitedArrive = False,
    markers: RunMarkers = None,
    subdivide_limit: SubdivideLimit = "50",
    dump: Dump = None,
    json: Json = False,
) -> int:
    """Simulate a kernel or a program on a machine: how long it takes, and why.

    Results are the same as those of `simtlab run`, and are checked in the same way. A run that is
    interrupted or traps prints what was counted until then. The first run with a kind of machine
    and a policy compiles the engine, which takes some seconds; later runs find it in the cache.

    For example:

      simtlab time filter --size tiny
      simtlab time merge --machine maws-bulk --set l1d.size=16KiB --annotate
      simtlab time saxpy.sasm --items 8 --arg n=8 --arg a=2.5 --arg x=ones:8 --arg y=ones:8
    """
    from ...emu.engine import DEFAULT_BUDGET
    from ..jobs.time import TimeSettings, parse_sets, simulate
    from ..options.settings import parse_dims

    settings = TimeSettings(
        kernel=kernel,
        grid=parse_dims(grid, "--grid"),
        block=parse_dims(block, "--block"),
        items=parse_dims(items, "--items"),
        args=arg or (),
        outs=out or (),
        machine=machine,
        policy=policy,
        sets=parse_sets(set_ or ()),
        annotate=annotate,
        checked=checked,
        trace=trace,
        trace_window=trace_window,
        exited_arrive=exited_arrive,
        json=json,
        size=size,
        seed=whole_number(seed, "--seed"),
        picture=picture,
        markers=markers,
        subdivide_limit=whole_number(subdivide_limit, "--subdivide-limit"),
        dump=dump,
        budget=DEFAULT_BUDGET if budget is None else whole_number(budget, "--budget"),
    )
    return simulate(target, settings)
