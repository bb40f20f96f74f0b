"""Paths that avoid a re-convergence point, described by the branches on them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from ...isa.instruction import WORD_BYTES
from .cfg import Cfg


@dataclass(frozen=True, slots=True)
class Decision:
    """One step of a path: what the instruction at `pc` does so that the path is taken."""

    pc: int
    does: str


def by_address(pc: int) -> str:
    """Return the place of an instruction as the disassembler prints it."""
    return f"0x{pc * WORD_BYTES:02x}"


def avoiding(cfg: Cfg, branch: int, join: int) -> tuple[Decision, ...] | None:
    """Return the shortest path from a branch to the exit that avoids `join`, or None.

    It looks at blocks only: a path that enters the block of `join` executes all of it. A path into
    a trap counts only without any other.
    """
    start, barred = cfg.block_of[branch], cfg.block_of[join]
    came_from: dict[int, int] = {}
    waiting = deque([start])
    while waiting and cfg.exit not in came_from:
        block = waiting.popleft()
        for following in cfg.returning[block]:
            if following != barred and following not in came_from:
                came_from[following] = block
                waiting += [following] if following != cfg.exit else []
    if cfg.exit not in came_from:
        return None
    way = [cfg.exit]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    way.reverse()
    steps = [_decision(cfg, a, b) for a, b in pairwise(way)]
    return tuple(step for step in steps if step is not None)


def _decision(cfg: Cfg, block: int, following: int) -> Decision | None:
    pc = cfg.blocks[block].last
    row = cfg.code[pc].row
    if following == cfg.exit:
        if block in cfg.endless:
            return Decision(pc, "goes round for ever")
        if row.ends_work_item:
            return Decision(pc, "ends the work-item")
        return Decision(pc, "leaves the code")
    if row.is_conditional:
        taken = cfg.blocks[following].start == cfg.code[pc].target
        return Decision(pc, "is taken" if taken else "falls through")
    return None


def describe(cfg: Cfg, path: tuple[Decision, ...], place: Callable[[int], str] = by_address) -> str:
    """Return a path in words; `place` names an instruction by its PC."""
    return ", then ".join(
        f"{cfg.code[step.pc].row.name} at {place(step.pc)} {step.does}" for step in path
    )
