"""Kernels of which, in the interpreter's order, each batch loads before any of it stores.

The interpreter runs a batch of workgroups in rounds: in most rounds the warps at the lowest pc
execute a block, in every `FAIR`-th one those at the pc of the warp that has executed least. In a
kernel whose branches only skip what follows them, all warps of a batch so reach its loads before
one reaches a store. What they load is what was in memory before the batch, and each work-item can
run alone with that. This holds in fair rounds too, if a warp that is at a store has executed more
than any that still has to load.

Loads may be in one loop before all stores, too. Its warps are in the same iteration, until they
leave it. Then a fair round may run those that have left, up to a store. How many rounds there are
between the first warp that leaves and the last one is known when the batch has run (batch_rounds).

Code after the last load may have any branches and loops, with stores in them, if none leads back.

Stores of a batch may be in another order then. So theirs must not show: atomics that commute and
have no result, stores of one value, of each work-item to an element of its own, or one store that
all warps execute in the same round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ....isa.instruction import Instruction
from ....isa.types import Segment
from ..values.commuting import commute
from ..values.ssa import Const, Op, Ssa

_ENDS = ("ret", "trap")


@dataclass(frozen=True)
class LoopRounds:
    """Rounds of a batch with a loop before its stores; a round executes a block."""

    header: int
    """The pc of the loop."""
    entries: frozenset[int]
    """The pcs after it at which warps arrive that may store."""
    before: int
    """Blocks before the loop."""
    each: int
    """Blocks of an iteration."""
    to_exit: int
    """Blocks of the last iteration, which leaves the loop."""
    to_load: int
    """Blocks of the last iteration up to the last load, or less than 0."""
    to_store: int
    """Fewest blocks from an entry up to a store."""
    fewest_after: int
    """Fewest blocks from the loop to the end."""
    most_after: int
    """Blocks after the loop."""
    store: int
    """The pc of a store."""


@dataclass(frozen=True)
class LoadsFirst:
    """What such a kernel asks for."""

    params: frozenset[int]
    """The pointer parameters by which it loads and stores."""
    loop: LoopRounds | None
    own: Mapping[int, int]
    """Parameters by which each work-item stores to its own element -> bytes from each to the next.

    The grid must have one dimension: elements have the numbers of work-items in it."""


@dataclass(frozen=True)
class AccessNames:
    """What is known of accesses of global memory."""

    param: Callable[[Op], int | None]
    """Returns the pointer parameter of an access."""
    own_step: Callable[[Op], int]
    """Returns the bytes from one work-item's own element to the next; 0 for other accesses."""


def loads_first(code: Sequence[Instruction], ssa: Ssa, names: AccessNames) -> LoadsFirst | None:
    """Return what a kernel of this kind asks for; None for others."""
    accesses = [op for ops in ssa.ops.values() for op in ops if op.ins.row.is_memory]
    if any(op.ins.row.segment is Segment.GROUP for op in accesses):
        return None
    params = {op: names.param(op) for op in accesses if op.ins.row.segment is Segment.GLOBAL}
    stores = [op for op in params if not op.ins.row.is_load]
    if not stores or None in params.values():
        return None
    stored = {params[op] for op in stores}
    loads = [op for op in params if op.ins.row.is_load and params[op] in stored]
    if not loads:
        return None
    loading, storing = [op.pc for op in loads], [op.pc for op in stores]
    loop, layout = None, _Layout.of(code, max(loading))
    if layout is None or not layout.reaches_loads_first(loading, storing):
        layout = _Layout.of(code, len(code))
        loop = None if layout is None else layout.rounds(loading, storing)
        if layout is None or loop is None:
            return None
    own: dict[int, int] = {}
    for param in {p for p in params.values() if p is not None} & stored:
        same = [op for op in stores if params[op] == param]
        step = names.own_step(same[0]) if len(same) == 1 else 0
        if step:
            own[param] = step
        elif not _is_in_any_order(same, ssa, layout):
            return None
    found = frozenset(param for op in loads if (param := params[op]) is not None)
    return LoadsFirst(found, loop, own)


class _Layout:
    """Code whose branches only skip what follows them, but for that of one loop at most.

    Or code that begins so, up to a pc to which no later branch leads back.
    """

    def __init__(
        self, code: Sequence[Instruction], loop: tuple[int, int] | None, *, is_whole: bool
    ) -> None:
        self._code = code
        self.loop = loop
        """The first and the last pc of the loop."""
        self._is_whole = is_whole
        """Whether all of the code is so."""
        ends = (pc + 1 for pc, ins in enumerate(code) if ins.target is not None or _is_end(ins))
        targets = (ins.target for ins in code if ins.target is not None)
        self._blocks = [pc for pc in sorted({0, *ends, *targets}) if pc < len(code)]
        self._steps = self._fewest_steps()

    @classmethod
    def of(cls, code: Sequence[Instruction], last: int) -> _Layout | None:
        """Return the layout of code up to a pc; None if branches do more: rounds are not known.

        Code that begins so has no loop up to `last`.
        """
        if any(ins.row.is_barrier or ins.row.stem == "reconverge" for ins in code):
            return None
        if last >= len(code):
            return cls._of_all(code)
        does_more = False
        for pc, ins in enumerate(code):
            if ins.target is None:
                continue
            skips = ins.target > pc and (ins.row.stem != "cbr" or ins.join == ins.target)
            if not skips and (pc <= last or ins.target <= last):
                return None
            does_more = does_more or not skips
        return cls(code, None, is_whole=not does_more)

    @classmethod
    def _of_all(cls, code: Sequence[Instruction]) -> _Layout | None:
        """Return the layout of code with a loop."""
        loops = [
            (ins.target, pc)
            for pc, ins in enumerate(code)
            if ins.target is not None and ins.target <= pc
        ]
        if len(loops) != 1:
            return None
        first, last = loops[0]
        exits = 0
        for pc, ins in enumerate(code):
            target, is_test = ins.target, ins.row.stem == "cbr"
            if target is None:
                continue
            if pc == last:
                if is_test and ins.join != pc + 1:
                    return None
                exits += is_test
                continue
            if is_test and ins.join != target:
                return None
            if pc < last and (not is_test or target <= last):
                return None  # lanes of a warp and warps are together until they leave the loop
            exits += first <= pc < last
        if exits != 1 or first == 0:
            return None
        return cls(code, (first, last), is_whole=True)

    def _fewest_steps(self) -> list[int | None]:
        """Return the fewest instructions executed before each one; None if none reaches it."""
        fewest: list[int | None] = [0] + [None] * (len(self._code) - 1)
        reached, count = [0], 0
        while reached:
            count += 1
            ways = {way for pc in reached for way in self._successors(pc)}
            reached = [pc for pc in ways if fewest[pc] is None]
            for pc in reached:
                fewest[pc] = count
        return fewest

    def _successors(self, pc: int) -> list[int]:
        """Return the pcs that may follow one."""
        ins = self._code[pc]
        if _is_end(ins):
            return []
        ways = [] if ins.row.stem == "br" else [pc + 1]
        return ways if ins.target is None else [*ways, ins.target]

    def _ways(self, pc: int) -> list[int]:
        """Return the pcs that may follow one, but for that of the loop."""
        return [way for way in self._successors(pc) if way > pc]

    def _block(self, pc: int) -> int:
        """Return the pc at which the block of an instruction begins."""
        return max(block for block in self._blocks if block <= pc)

    def is_reached_together(self, pc: int) -> bool:
        """Return whether all warps that execute a block without loops before do it in one round."""
        block = self._block(pc)
        return self._is_whole and self.loop is None and self._steps[block] == block

    def reaches_loads_first(self, loads: Sequence[int], stores: Sequence[int]) -> bool:
        """Return whether no warp stores while another one of its batch has still to load."""
        last, first = max(loads), min(stores)
        if last > first:
            return False
        waiting = self._block(last)
        if waiting == self._block(first):
            # Warps that are in that block load together; others are before it.
            waiting = max((a for a, b in pairwise(self._blocks) if b == waiting), default=-1)
        # Up to there each instruction is executed once at most: no warp has executed more.
        return all(waiting < (self._steps[self._block(pc)] or 0) for pc in stores)

    def rounds(self, loads: Sequence[int], stores: Sequence[int]) -> LoopRounds | None:
        """Return the rounds of a batch; None if not all loads are before all stores."""
        assert self.loop is not None
        header, last = self.loop
        if max(loads) > last or min(stores) <= last:
            return None
        body = [block for block in self._blocks if header <= block <= last]
        exit_ = next(pc for pc in range(header, last + 1) if self._code[pc].row.stem == "cbr")
        to_exit = body.index(self._block(exit_)) + 1
        # Loads after the exit are in the iteration before the last one.
        rounds = [body.index(b) + 1 for pc in loads if (b := self._block(pc)) in body]
        to_load = max((n if n <= to_exit else n - len(body) for n in rounds), default=0)
        after = self._code[exit_].target if exit_ != last else last + 1
        assert after is not None
        to_store = self._fewest_blocks(frozenset(self._block(pc) for pc in stores))
        to_end = self._fewest_blocks(
            frozenset(self._block(pc) for pc, ins in enumerate(self._code) if _is_end(ins))
        )
        skips = (self._code[pc].target for pc in range(header))
        entries = {pc for pc in (after, *skips) if pc is not None and pc in to_store}
        if after not in to_store:
            return None  # warps that leave the loop are noted there
        return LoopRounds(
            header,
            frozenset(entries),
            sum(block < header for block in self._blocks),
            len(body),
            to_exit,
            to_load,
            min(to_store[pc] for pc in entries),
            to_end[after],
            sum(block > last for block in self._blocks),
            min(stores),
        )

    def _fewest_blocks(self, wanted: frozenset[int]) -> dict[int, int]:
        """Return the fewest blocks from each block after the loop up to one that is wanted."""
        assert self.loop is not None
        found: dict[int, int] = {}
        later = [block for block in self._blocks if block > self.loop[1]]
        for block, end in reversed([*pairwise([*later, len(self._code)])]):
            if block in wanted:
                found[block] = 1
                continue
            ways = [] if _is_end(self._code[end - 1]) else self._ways(end - 1)
            counts = [found[way] for way in ways if way in found]
            if counts:
                found[block] = min(counts) + 1
        return found


def _is_end(ins: Instruction) -> bool:
    return ins.row.stem in _ENDS


def _is_in_any_order(stores: Sequence[Op], ssa: Ssa, layout: _Layout) -> bool:
    """Return whether the order of stores by one parameter does not show, or is that of warps."""
    if all(op.ins.row.is_atomic for op in stores):
        return commute(stores, ssa)
    if any(op.ins.row.is_atomic for op in stores):
        return False
    values = {op.args[0].bits if isinstance(op.args[0], Const) else None for op in stores}
    sizes = {op.ins.row.type.size for op in stores if op.ins.row.type is not None}
    if len(values) == 1 and None not in values and len(sizes) == 1:
        return True
    return len(stores) == 1 and layout.is_reached_together(stores[0].pc)
