"""`simtlab time`: its options."""

from __future__ import annotations

from typing import Annotated

import typer

from .complete import machines, policies, sizes, targets
from .options import Dump, Json, SubdivideLimit, whole_number

_FILE = "Launching a file"
_PROGRAM = "Running a program"
_MACHINE = "Simulating"
_TRACE = "Tracing"


def time(
    target: Annotated[
        str,
        typer.Argument(
            metavar="F.sasm|F.sbc|PROGRAM",
            help="A source (- reads stdin), an object file, or a name that `simtlab programs` "
            "lists.",
            autocompletion=targets,
        ),
    ],
    machine: Annotated[
        str,
        typer.Option(
            metavar="NAME|F.toml",
            help="The machine; `simtlab machines` lists them.",
            autocompletion=machines,
            rich_help_panel=_MACHINE,
        ),
    ] = "dws",
    policy: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What warps do at branches and misses; `simtlab policies` lists what there is.",
            autocompletion=policies,
            rich_help_panel=_MACHINE,
        ),
    ] = "conv",
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Another value for a field of the machine, as l1d.size=16KiB, or for a parameter "
            "of the policy, as policy.NAME=VALUE.",
            rich_help_panel=_MACHINE,
        ),
    ] = None,
    annotate: Annotated[
        bool,
        typer.Option(
            "--annotate", help="Executions, mean lanes and where cycles went, line by line."
        ),
    ] = False,
    trace: Annotated[
        str | None,
        typer.Option(
            metavar="F.npz|F.json.gz|F.kanata",
            help="Write what happened: to be kept, for Perfetto, or for Konata.",
            rich_help_panel=_TRACE,
        ),
    ] = None,
    trace_window: Annotated[
        str | None,
        typer.Option(
            metavar="FROM:TO",
            help="The cycles that the trace is of (all).",
            rich_help_panel=_TRACE,
        ),
    ] = None,
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
            metavar="X,Y,Z",
            help="Work-items in a workgroup (256, or what a WPU holds).",
            rich_help_panel=_FILE,
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
            help="An argument, as for `simtlab run`.",
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
    markers: Annotated[
        str | None,
        typer.Option(
            metavar="auto|explicit|none",
            help="What to do with `reconverge` (auto).",
            rich_help_panel="Assembling",
        ),
    ] = None,
    subdivide_limit: SubdivideLimit = "50",
    dump: Dump = None,
    json: Json = False,
) -> int:
    """Simulate a kernel or a program on a machine: how long it takes, and why.

    Results are the same as those of `simtlab run`, and are checked in the same way. A run that is
    interrupted or traps prints what was counted until then. The first run of a kind of machine
    with a policy compiles the engine, which takes some seconds; later ones find it in the cache.

    For example:

      simtlab time filter --size tiny
      simtlab time merge --machine maws-bulk --set l1d.size=16KiB --annotate
      simtlab time saxpy.sasm --items 8 --arg n=8 --arg a=2.5 --arg x=ones:8 --arg y=ones:8
    """
    from ..emu.engine import DEFAULT_BUDGET
    from .settings import parse_dims
    from .simulation import TimeSettings, parse_sets, simulate

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
