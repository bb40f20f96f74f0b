"""Loops with a copy of their nodes for each iteration, before any other analysis.

In a copy the loop's counters are constants. Counters are followed from node to node: what
instructions compute of constants is constant, and a branch on a constant has one way. A loop is
copied if all branches that leave it are of that kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ....isa.instruction import Instruction
from ....isa.types import Segment
from ..flow.order import START, Flow, Loop, Node, Step
from .constants import Known, bits_of, result_of

MOST_ALIKE = 8
"""Iterations of a loop that is copied although all of them access the same places."""

MOST_INSTRUCTIONS = 640
"""Instructions of a kernel with all copies, without those that compute constants."""

MOST_PRIVATE = 8
"""Copies of an access of private memory where those of other memory have one."""

MOST_STEPS = 8 * MOST_INSTRUCTIONS
"""Instructions with those as well: they cost time to compile only."""

MOST_SHARED = 12
"""Accesses of shared memory in copies of which some has several: each copy has tests."""

Place = tuple[int, tuple[int, ...]]
"""A copy: the node, and the iteration of each copied loop around it, outermost first."""


class _NotCopied(Exception):
    """A loop cannot be copied."""

    def __init__(self, loop: Loop) -> None:
        super().__init__()
        self.loop = loop


class _TooLarge(Exception):
    """The copies have too many instructions."""


def copied(
    code: Sequence[Instruction], flow: Flow, loops: set[int], most: int, tables: bytes
) -> list[Node]:
    """Return the nodes of a kernel, with copies of those of some loops for each iteration.

    A loop that may repeat more than `most` times has none. `flow` is that of the source, without
    merged loops.
    """
    copies = copies_of(code, flow, loops, most, tables=tables)
    return flow.nodes if copies is None else copies.nodes()


def copies_of(
    code: Sequence[Instruction],
    flow: Flow,
    chosen: set[int],
    most: int,
    size: int = MOST_INSTRUCTIONS,
    *,
    tables: bytes,
    deciding: set[int] | None = None,
) -> Copies | None:
    """Return the copies of those of the loops `chosen` that can be copied; None if none can."""
    if not all(flow.has_one_entry(loop) and flow.has_own_header(loop) for loop in flow.loops):
        return None
    while chosen:
        copies = Copies(code, flow, chosen, most, size, tables=tables, deciding=deciding)
        try:
            copies.make()
        except _NotCopied as found:
            chosen.remove(found.loop.number)
        except _TooLarge:
            large = copies.large()
            if not large:
                return None
            chosen -= large
        else:
            return copies
    return None


def is_private(ins: Instruction) -> bool:
    """Return whether an instruction loads or stores private memory."""
    return ins.row.is_memory and ins.row.segment is Segment.PRIVATE


@dataclass(slots=True)
class Copy:
    """A node for some iterations of the loops around it."""

    number: int
    node: Node
    loops: tuple[Loop, ...]
    """The copied loops around it, outermost first."""
    decides: bool = True
    """Whether lanes leave it by the instruction that ends the node, and not always one way."""
    successors: list[Place] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    offsets: dict[int, int | None] = field(default_factory=dict)
    """The offsets of private accesses by pc; None for one that is not a constant."""


class Copies:
    """The copies of a kernel's nodes, if the loops `chosen` are copied, `most` times at most.

    They have `size` instructions at most. With a set of `deciding` loops, an access of shared
    memory has several copies in these only, and only if all accesses together have few.
    """

    def __init__(
        self,
        code: Sequence[Instruction],
        flow: Flow,
        chosen: set[int],
        most: int,
        size: int,
        *,
        tables: bytes,
        deciding: set[int] | None,
    ) -> None:
        self._code = code
        self._flow = flow
        self._heads = {loop.header: loop for loop in flow.loops}
        self._chosen = chosen
        self._most = most
        self._most_instructions = size
        self._tables = tables
        self._deciding = deciding
        self._accessed: dict[int, tuple[int, ...]] = {}
        """The iterations in which accesses were copied, by pc."""
        self._private = Counter[int]()
        self.copies: dict[Place, Copy] = {}
        """All copies of nodes, in order."""
        self._arriving: dict[Place, Known] = {}
        self._size = self._steps = 0
        self._size_of = Counter[int]()
        """Instructions of the copies of each loop that is in no other copied loop."""
        self._selects = False
        """Whether copied loops have selects by constants."""
        self._accesses = Counter[bool]()
        """Accesses in copied loops: of private memory, and others."""

    def make(self) -> None:
        """Copy all nodes. Raises _NotCopied and _TooLarge."""
        self._arriving[START, ()] = {}
        self._make(0, len(self._flow.order), (), ())

    def _make(
        self, begin: int, end: int, loops: tuple[Loop, ...], iterations: tuple[int, ...]
    ) -> None:
        """Copy the nodes at some places of the order, for an iteration of each loop of `loops`."""
        index = begin
        while index < end:
            number = self._flow.order[index]
            loop = self._heads.get(number)
            if loop is not None and loop.number in self._chosen and loop not in loops:
                index = self._flow.position[loop.latch]
                inner = self._flow.position[number]
                for iteration in range(self._most + 1):
                    within = (*iterations, iteration)
                    if (number, within) not in self._arriving:
                        break
                    if iteration == self._most:
                        raise _NotCopied(loop)
                    self._make(inner, index, (*loops, loop), within)
            elif (known := self._arriving.pop((number, iterations), None)) is not None:
                if loop is not None and loop.number not in self._chosen:
                    known = self._unchanged(known, loop)
                self._copy(number, loops, iterations, known)
            index += 1

    def large(self) -> set[int]:
        """Return the loops, in no other copied ones, whose copies are no smaller than the mean."""
        sizes = self._size_of
        return {n for n, size in sizes.items() if size * len(sizes) >= sizes.total()}

    def _unchanged(self, known: Known, loop: Loop) -> Known:
        """Return the constants that a loop does not write."""
        nodes = [self._flow.nodes[n] for n in loop.nodes]
        written = {
            (reg.cls, reg.index)
            for node in nodes
            for ins in self._code[node.start : node.stop]
            for reg in ins.writes()
        }
        return {register: bits for register, bits in known.items() if register not in written}

    def _copy(
        self, number: int, loops: tuple[Loop, ...], iterations: tuple[int, ...], known: Known
    ) -> None:
        node = self._flow.nodes[number]
        copy = Copy(len(self.copies), node, loops)
        self.copies[number, iterations] = copy
        for pc in range(node.start, node.stop):
            self._compute(copy, pc, known, loops)
            if copy.steps[-1].known is None:
                self._require_few(pc, loops, iterations)
        self._steps += node.length
        if loops:
            self._size_of[loops[0].number] += node.length
        if self._size > self._most_instructions or self._steps > MOST_STEPS:
            raise _TooLarge
        ways = node.successors
        if len(ways) == 2:
            assert node.last is not None
            condition = bits_of(node.last.srcs[0], known)
            if condition is not None:
                ways, copy.decides = (ways[bool(condition)],), False
            else:
                self._require_stay(loops, number)
        for way in ways:
            place = self._place(way, loops, iterations)
            copy.successors.append(place)
            if self._flow.route(number, way) == way or place not in self.copies:
                before = self._arriving.get(place)
                self._arriving[place] = (
                    dict(known) if before is None else dict(before.items() & known.items())
                )

    def _require_few(self, pc: int, loops: tuple[Loop, ...], iterations: tuple[int, ...]) -> None:
        """Raise _NotCopied if an access has another copy in a loop where it should not.

        One of private memory has little code, so that only its own copies count.
        """
        row = self._code[pc].row
        if self._deciding is None or not row.is_memory or row.segment is Segment.KERNARG:
            return
        if row.segment is Segment.PRIVATE:
            self._private[pc] += 1
            if self._private[pc] > MOST_PRIVATE:
                raise _NotCopied(loops[0])
            return
        before = self._accessed.setdefault(pc, iterations)
        few = self._deciding if self._accesses[False] <= MOST_SHARED else ()
        for loop, then, now in zip(loops, before, iterations, strict=True):
            if then != now and loop.number not in few:
                raise _NotCopied(loop)

    def _require_stay(self, loops: tuple[Loop, ...], number: int) -> None:
        """Raise _NotCopied if lanes may leave a copied loop by a branch that is not known."""
        ways = [self._flow.route(number, way) for way in self._flow.nodes[number].successors]
        for loop in loops:
            if any(way not in loop.nodes for way in ways):
                raise _NotCopied(loop)

    def _place(self, way: int, loops: tuple[Loop, ...], iterations: tuple[int, ...]) -> Place:
        """Return the copy to which an edge leads."""
        around = [i for i, loop in zip(iterations, loops, strict=True) if way in loop.nodes]
        target = self._heads.get(way)
        if target is not None and target.number in self._chosen:
            if target in loops:
                around[-1] += 1
            else:
                around.append(0)
        return way, tuple(around)

    def _compute(self, copy: Copy, pc: int, known: Known, loops: tuple[Loop, ...]) -> None:
        """Note what is known of an instruction, and what is known after it."""
        ins = self._code[pc]
        bits = None
        if is_private(ins):
            assert ins.address is not None
            base = 0 if ins.address.base is None else bits_of(ins.address.base, known)
            copy.offsets[pc] = None if base is None else base + ins.address.offset
        elif ins.dst is not None:
            bits = result_of(ins, known, self._tables)
        if ins.row.stem == "select" and loops:
            self._selects |= bits_of(ins.srcs[0], known) is not None
        if ins.dst is not None:
            register = (ins.dst.cls, ins.dst.index)
            if bits is None:
                known.pop(register, None)
            else:
                known[register] = bits
        copy.steps.append(Step(pc, bits))
        self._size += bits is None and ins.row.stem != "mov" and not is_private(ins)
        if loops and bits is None and ins.row.is_memory and ins.row.segment is not Segment.KERNARG:
            self._accesses[is_private(ins)] += 1

    def decide(self) -> bool:
        """Return whether selects are decided, or branches that do not leave copied loops."""
        flow = self._flow
        return self._selects or any(
            not copy.decides
            and (around := flow.loop_of[number]) in self._chosen
            and around is not None
            and all(flow.route(number, w) in flow.loops[around].nodes for w in copy.node.successors)
            for (number, _), copy in self.copies.items()
        )

    def gain(self) -> bool:
        """Return whether copies save more accesses of private memory than they have others.

        Each copy of another access has a test of its own.
        """
        return self._accesses[True] >= self._accesses[False]

    def repeated(self) -> set[int]:
        """Return the loops that need no copies: their many iterations access the same places."""
        parts: dict[int, dict[tuple[int, ...], set[object]]] = {}
        for (number, iterations), copy in self.copies.items():
            offsets = tuple(copy.offsets.items())
            for depth, loop in enumerate(copy.loops, 1):
                part = parts.setdefault(loop.number, {}).setdefault(iterations[:depth], set())
                part.add((number, iterations[depth:], offsets))
        return {
            loop
            for loop, found in parts.items()
            if len(found) > MOST_ALIKE
            and all(part == found[(*before[:-1], 0)] for before, part in found.items())
        }

    def most_carried(self) -> int:
        """Return the most places that a loop without copies loads before it stores to them."""
        left = [loop for loop in self._flow.loops if loop.number not in self._chosen]
        return max(map(self._carried, left), default=0)

    def _carried(self, loop: Loop) -> int:
        first: dict[int | None, bool] = {}
        for (number, _), copy in self.copies.items():
            if number in loop.nodes:
                for pc, offset in copy.offsets.items():
                    first.setdefault(offset, self._code[pc].row.is_load)
        return sum(first.values())

    def nodes(self) -> list[Node]:
        """Return the copies as nodes, with those that follow each other in one."""
        ways = {
            copy.number: list(dict.fromkeys(self.copies[place].number for place in copy.successors))
            for copy in self.copies.values()
        }
        entries = Counter(way for found in ways.values() for way in found)
        found: list[Node] = []
        numbers: dict[int, int] = {}
        latest: Copy | None = None
        for copy in self.copies.values():
            node = copy.node
            last = node.last if copy.decides and not _jumps(node) else None
            follows = latest is not None and ways[latest.number] == [copy.number]
            if follows and entries[copy.number] == 1 and found[-1].last is None and len(found) > 1:
                before = found[-1]
                steps = (*before.steps, *copy.steps)
                found[-1] = Node(before.number, before.start, node.stop, last, copied=steps)
            else:
                found.append(
                    Node(len(found), node.start, node.stop, last, copied=tuple(copy.steps))
                )
            numbers[copy.number] = len(found) - 1
            latest = copy
            found[-1].successors = tuple(ways[copy.number])
        for node in found:
            node.successors = tuple(numbers[way] for way in node.successors)
        for node in found:
            for successor in node.successors:
                found[successor].predecessors += (node.number,)
        return found


def _jumps(node: Node) -> bool:
    """Return whether a node ends with a jump."""
    return node.last is not None and node.last.row.stem == "br"
