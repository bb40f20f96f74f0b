"""Options of a launch: what is launched, on which inputs, within which limits.

`run`, `time` and `compare` share them. A command with the parameter `launch` and the decorator
`with_launch_options` has all of them on its command line.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...emu.text.literals import parse_count
from ...isa.errors import UsageError
from .options import (
    Arg,
    Block,
    Budget,
    Data,
    ExitedArrive,
    Grid,
    Items,
    Json,
    Kernel,
    Mapping,
    Out,
    Param,
    Picture,
    RunMarkers,
    Seed,
    Size,
    SubdivideLimit,
    whole_number,
)

Dims = tuple[int, ...]


@dataclass(frozen=True)
class LaunchOptions:
    """The options of a launch as values, with None for those that were not given."""

    kernel: str | None
    grid: Dims | None
    block: Dims | None
    items: Dims | None
    args: Sequence[str]
    outs: Sequence[str]
    size: str | None
    mapping: str | None
    data: str | None
    picture: str | None
    seed: int
    budget: int
    exited_arrive: bool
    markers: str | None
    subdivide_limit: int
    json: bool
    params: Sequence[str] = ()


def launch_options(
    kernel: Kernel = None,
    grid: Grid = None,
    block: Block = None,
    items: Items = None,
    arg: Arg = None,
    out: Out = None,
    size: Size = None,
    param: Param = None,
    mapping: Mapping = None,
    data: Data = None,
    picture: Picture = None,
    seed: Seed = "0",
    budget: Budget = None,
    exited_arrive: ExitedArrive = False,
    markers: RunMarkers = None,
    subdivide_limit: SubdivideLimit = "50",
    json: Json = False,
) -> LaunchOptions:
    """Return the options of a launch from the words of the command line. Raises UsageError."""
    from ...emu.engine import DEFAULT_BUDGET

    return LaunchOptions(
        kernel=kernel,
        grid=parse_dims(grid, "--grid"),
        block=parse_dims(block, "--block"),
        items=parse_dims(items, "--items"),
        args=arg or (),
        outs=out or (),
        size=size,
        mapping=mapping,
        data=data,
        picture=picture,
        seed=whole_number(seed, "--seed"),
        budget=DEFAULT_BUDGET if budget is None else whole_number(budget, "--budget", 1),
        exited_arrive=exited_arrive,
        markers=markers,
        subdivide_limit=whole_number(subdivide_limit, "--subdivide-limit"),
        json=json,
        params=param or (),
    )


def with_launch_options(*without: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Replace a command's parameter `launch` by those of `launch_options`, some left out.

    The command is called with the values, as a `LaunchOptions`.
    """
    shared = dict(inspect.signature(launch_options, eval_str=True).parameters)
    for name in without:
        del shared[name]

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        def run(**words: Any) -> int:
            launch = launch_options(**{name: words.pop(name) for name in shared})
            return command(launch=launch, **words)

        parameters: list[inspect.Parameter] = []
        for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
            parameters += shared.values() if name == "launch" else [parameter]
        parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
        # What typer reads: the signature, and the annotations by name.
        run.__signature__ = inspect.Signature(parameters, return_annotation=int)
        run.__annotations__ = {p.name: p.annotation for p in parameters}
        run.__name__, run.__doc__ = command.__name__, command.__doc__
        return run

    return decorate


def parse_dims(text: str | None, option: str) -> Dims | None:
    """Return one to three positive sizes, as `64`, `8,8` or `4,4,2`. Raises UsageError."""
    if text is None:
        return None
    counts = [parse_count(word) for word in text.replace("x", ",").split(",")]
    if not 1 <= len(counts) <= 3 or None in counts:
        raise UsageError(
            f"{option} takes one to three positive whole numbers, not {text!r}",
            code="SIM515",
            hint=f"as {option} 64, {option} 8,8 or {option} 4,4,2",
        )
    return tuple(c for c in counts if c is not None)
