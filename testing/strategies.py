"""Random kernels that terminate, have no races and diverge, as hypothesis strategies.

A kernel works on registers that start from the work-item's id and from random data, and ends by
storing those that it used to the work-item's own row of `out`. In between are, in random order
and nesting: instructions of every computing row of the table, accesses of every width to every
segment, if, if-else, counted loops with divergent numbers of iterations, loops with several exits,
breaks and continues of outer loops, loops with a second entry, code out of line, and regions of
goto-like blocks with branches in both directions. Barriers, with an exchange through group memory,
are only where all work-items of a workgroup pass equally often. Atomics commute and return
nothing, or work on the work-item's own element.

A kernel is drawn as a list of small statements, so hypothesis shrinks to short texts.
`random_kernel` draws the same kernels from a plain generator, many times as fast.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from hypothesis import strategies as st

from ..emu.geometry import Geometry
from .case import Case
from .choices import Choices, Drawn, Seeded
from .computing import FLAT
from .control import (
    blocks,
    chase,
    exchange,
    far,
    goto_blocks,
    group_atomics,
    if_,
    loop,
    meeting_loop,
    return_,
    uniform_if,
    uniform_loop,
    wild_loop,
)
from .writer import Statement, Writer

LARGEST_GROUP = 32
"""Default work-items of a workgroup: they fit on small machines of any width."""

WIDTHS = (4, 8, 16, 32, 64, 7, 33, 16, 32, 8, 64, 1, 24, 48, 32, 2, 16, 5, 12, 8, 3, 32, 16, 8)


STRUCTURED: tuple[Statement, ...] = (if_, if_, if_, if_, loop, chase)
UNSTRUCTURED: tuple[Statement, ...] = (wild_loop, wild_loop, goto_blocks, goto_blocks)


@dataclass(frozen=True)
class Options:
    """What kernels may have: the options of `kernels`."""

    barriers: bool = True
    gotos: bool = True
    barriers_under_branches: bool = False
    barriers_apart: bool = False
    largest_group: int = LARGEST_GROUP


@st.composite
def kernels(
    draw: st.DrawFn,
    *,
    barriers: bool = True,
    gotos: bool = True,
    barriers_under_branches: bool = False,
    barriers_apart: bool = False,
    largest_group: int = LARGEST_GROUP,
    inserted: st.SearchStrategy[Sequence[str]] | None = None,
) -> Case:
    """Return a random kernel with its launch. The module's docstring lists its parts.

    `barriers` allows barriers and exchanges through group memory, `barriers_under_branches` those
    under branches on which all work-items of a workgroup agree in an iteration of a loop. With
    `barriers_apart` code may lie out of line in kernels with barriers, too: paired paths, which
    run the smaller PC, then reach a barrier with a part of a warp, and trap. `gotos` allows control
    flow that is not structured. `largest_group` bounds the workgroup; those above 32 work-items are
    rarer. The lines of `inserted` are put at a random place of the body; registers from 50 on are
    theirs.
    """
    lines = draw(inserted) if inserted is not None else ()
    options = Options(barriers, gotos, barriers_under_branches, barriers_apart, largest_group)
    return _kernel(Drawn(draw), options, lines)


def random_kernel(rng: random.Random, **options: Any) -> Case:
    """Return a kernel as `kernels` draws it, but from a random number generator."""
    return _kernel(Seeded(rng), Options(**options), ())


@st.composite
def acyclic_kernels(draw: st.DrawFn) -> Case:
    """Return a kernel of blocks that branch forwards only, laid out in topological order."""
    c = Drawn(draw)
    w = _writer(c, LARGEST_GROUP)
    for _ in range(c.integer(1, 3)):
        blocks(c, w, backward=False)
    return w.case()


def _kernel(c: Choices, options: Options, inserted: Sequence[str]) -> Case:
    w = _writer(c, options.largest_group)
    # Work-items that leave early and barriers exclude each other.
    synchronises = options.barriers and c.boolean()
    branching: list[Statement] = [*STRUCTURED]
    if options.gotos:
        branching += UNSTRUCTURED
        if not synchronises:
            branching += [far, return_]
        elif options.barriers_apart:
            branching += [far] * 4
    w.branching = tuple(branching)
    at_top = [*branching, *([] if synchronises else [return_])]
    if synchronises:
        under_branches = options.barriers_under_branches
        at_top += [partial(uniform_loop, branches=under_branches)] * 5
        at_top += [*[uniform_if] * 3, *[meeting_loop] * 2] if under_branches else []
    for _ in range(c.one_of((0, 1, 1))):
        c.one_of((*FLAT, *at_top, exchange) if synchronises else (*FLAT, *at_top))(c, w)
    c.one_of(at_top)(c, w)
    if w.counts and synchronises:
        group_atomics(w)
    if inserted:
        at = c.integer(0, len(w.lines))
        w.lines[at:at] = inserted
    return w.case()


def _writer(c: Choices, largest_group: int) -> Writer:
    return Writer(_geometry(c, largest_group), c.integer(0, 99), deepest=c.one_of((2, 3, 2, 1, 2)))


def _geometry(c: Choices, largest: int) -> Geometry:
    """Return a launch of one to three dimensions; the last workgroup may be partial."""
    most = c.one_of((32,) * 12 + (1, 128, 128, largest) + (32,) * 8)
    group = c.integer(min(c.one_of((2, 8, 12, 8)), most, largest), min(most, largest))
    if group > 256 and c.boolean():
        group = largest
    dimensions = c.one_of((1, 1, 2, 3))
    sizes = [group]
    for _ in range(dimensions - 1):
        inner = c.integer(1, min(8, sizes[-1]))
        sizes[-1:] = [inner, sizes[-1] // inner]
    if dimensions == 1:
        items = [c.integer(group - group // 3, 3 * group if group <= 64 else group + group // 2)]
    else:
        items = [c.integer(s - s // 3, 2 * s if group <= 64 else s + s // 3) for s in sizes]
    width = c.integer(2, 64) if c.integer(0, 7) == 7 else c.one_of(WIDTHS)
    return Geometry.of(items=items, group_size=sizes, width=width)
