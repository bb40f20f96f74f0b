"""Warps of one row, where work-items of a row leave loops together and those of several do not.

A row of a sparse matrix, a node of a graph or a bag of words has iterations of its own. If several
rows of 8 or 16 work-items are a warp, it runs as long as the longest one, under masks, and loads
what a row shares for each of them. A warp that is one row has scalars for these.
"""

from __future__ import annotations

from dataclasses import replace

from ....isa.program import Kernel
from ...recent import Recent
from ..analysis import analyse
from ..facts import Facts
from ..suitability.barriers import has_barriers
from ..suitability.limits import backward_branches
from .width import FEW, FEWEST, USUAL

_FOUND: Recent[tuple[object, ...], int] = Recent()


def row_warp_facts(kernel: Kernel, facts: Facts) -> Facts:
    """Return the facts with the widest warps whose lanes leave all loops together.

    They stay as they are without pieces of several rows, with barriers, and if no warps do.
    """
    if facts.piece < FEWEST or not backward_branches(kernel) or has_barriers(kernel):
        return facts
    key = kernel.key, replace(facts, strips=False)
    found = _FOUND.find(key)
    if found is None:
        found = _FOUND.keep(key, _best_width(kernel, facts))
    return facts if found == facts.width else _narrow(facts, found)


def _best_width(kernel: Kernel, facts: Facts) -> int:
    if analyse(kernel).shapes(facts).divergent_loops:
        for width in (USUAL, FEW, FEWEST):
            if facts.piece <= width < facts.width:
                if not analyse(kernel).shapes(_narrow(facts, width)).divergent_loops:
                    return width
    return facts.width


def _narrow(facts: Facts, width: int) -> Facts:
    return replace(facts, width=width, chunk=min(facts.chunk, width), row_piece=0)
