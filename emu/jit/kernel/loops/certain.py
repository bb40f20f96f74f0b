"""Accesses of a loop that are inside their buffers in all iterations, if tests before it hold.

An address that steps by the same amount in each iteration is inside in all of them if it is in the
first and in the last. Of accesses that differ by constants the outermost ones decide for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from .....isa.types import Segment
from ....analysis.flow.order import Loop
from ....analysis.ranges.stepping import Counter
from ....analysis.values.ssa import Op
from ...arithmetic.widths import element_number
from ..memory.access import Access
from ..memory.addressing.lines import HALF, Line, Lines, Number, Numbers
from ..memory.addressing.windows import Window
from .idle import SMALLEST_PIECE, Place, most_outside

LARGEST_STEP = HALF
"""Bytes from one iteration to the next from which on addresses might wrap around."""

_BLOCKS = frozenset({Segment.GROUP, Segment.PRIVATE, Segment.READONLY})
"""Segments that are one block of memory."""


@dataclass
class Accesses:
    """Accesses of one kind at one base: they differ by constants."""

    op: Op
    numbers: Numbers
    line: Line
    size: int
    origin: list[str] | int
    """Where the buffer begins, as lines count."""
    places: list[str] | int
    """The number of elements from there on at which an access may begin."""
    outside: str | None = None
    """Of neighbours in global memory, one a lane: how many idle lanes may be outside, an i64."""
    offsets: list[int] = field(default_factory=list)


class CertainAccesses:
    """Finds such accesses of a loop, and emits their tests in the block before it.

    `numbers` are those of the warp, and of its pieces. `last_of` gives the number of the last
    iteration in which an op may run. `alone` is whether one lane passes the header, if the code is
    for one: it asks for the lines of all accesses, also of those that ranges show to be inside.
    """

    def __init__(
        self,
        memory: Access,
        loop: Loop,
        counter: Counter,
        numbers: tuple[Numbers, Numbers],
        last_of: Callable[[Op], list[str]],
        *,
        alone: Sequence[str] | None,
    ) -> None:
        self._memory, self._loop, self._last_of = memory, loop, last_of
        self._alone = alone
        self._numbers, self._of_pieces = numbers
        self._lanes = self._numbers.lanes
        self.lines = (
            Lines(self._numbers, loop, counter, last_of),
            Lines(self._of_pieces, loop, counter, self._last_of_pieces),
        )
        """Values as lines: one for the warp, and one for each of its pieces."""
        self._found: dict[object, Accesses] = {}
        self.places: list[Place] = []
        """Where neighbours begin, in loops that all lanes leave together."""
        self.line_of: dict[Op, Line] = {}
        """The lines of these accesses' bases."""

    def find(self) -> frozenset[Op]:
        """Return the accesses that can be tested before the loop."""
        certain: set[Op] = set()
        of_warp, of_pieces = self.lines
        for number in sorted(self._loop.nodes):
            for op in self._lanes.ssa.ops.get(number, ()):
                if self._add(op, of_warp) or (self._is_in_pieces(op) and self._add(op, of_pieces)):
                    certain.add(op)
        return frozenset(certain)

    @property
    def sums(self) -> frozenset[Op]:
        """Additions of indices that do not wrap around if the tests hold."""
        return frozenset(op for a in self._found.values() for op in a.line.sums)

    def tests(self) -> Iterator[tuple[Op, list[Sequence[str]]]]:
        """Emit the tests; yield an access and what must hold for those at its base."""
        for accesses in self._found.values():
            yield accesses.op, self._test(accesses)

    def _last_of_pieces(self, op: Op) -> list[str]:
        """Return the number of the last iteration in which an op may run, for each piece."""
        (last,) = self._last_of(op)
        return self._of_pieces.spread(last)

    def _is_in_pieces(self, op: Op) -> bool:
        """Return whether an access of global memory is of neighbours or one place in each piece."""
        if self._numbers.each or op.ins.row.segment is not Segment.GLOBAL or op.base is None:
            return False
        global_ = self._memory.global_
        form = global_.addresses.form(op.base)
        if form is None or form.index is None or op.ins.row.is_atomic:
            return False
        return global_.pieces.step(op, form.index, form.scale) is not None

    def _add(self, op: Op, lines: Lines) -> bool:
        """Add an access to those at the same base; return whether it can be tested before."""
        row, address, base = op.ins.row, op.ins.address, op.base
        if not row.is_memory or row.is_atomic or row.type is None or base is None:
            return False
        assert address is not None
        is_global = address.segment is Segment.GLOBAL
        if not is_global and (self._numbers.each or address.segment not in _BLOCKS):
            return False
        if not (is_global or self._alone or self._memory.local.checks.needs_test(op)):
            return False
        line = lines.of(base, op) if is_global else lines.offset(base, op)
        size, offset = row.type.size, address.offset
        if line is None or not _may_step(line.step, size) or line.lane_step not in (0, size):
            return False
        if op in self._memory.global_.inside and not line.sums:
            return False  # there is nothing to learn
        numbers = lines.numbers
        bytes_ = size * (numbers.together if line.lane_step else 1)
        # The outermost ones decide for all only at whole elements from each other, before one end.
        end = None if is_global else self._memory.local.checks.extent(op).total
        kind = address.segment, row.is_load and is_global, bytes_, size, offset % size, end
        key = base, op.node == self._loop.header, kind, numbers.pieces
        if key not in self._found:
            limits: tuple[list[str] | int, list[str] | int] | None
            window = self._window(op) if is_global else None
            if not is_global:
                limits = self._limits_of_block(op, bytes_)
            elif window is not None:
                limits = self._limits(window, bytes_, size, numbers)
            else:
                limits = None
            if limits is None:
                return False
            outside = None
            # Where iterations are a constant, few warps reach the end of a buffer.
            is_counted = self._loop.number in self._memory.trips
            if (
                window is not None
                and line.lane_step
                and numbers.together >= SMALLEST_PIECE
                and not is_counted
            ):
                outside = most_outside(
                    self._lanes, window, size, numbers.together, is_load=row.is_load
                )
            self._found[key] = Accesses(op, numbers, line, size, *limits, outside)
        self._found[key].offsets.append(offset)
        self.line_of[op] = line
        return True

    def _window(self, op: Op) -> Window | None:
        """Return the buffer in which an access of global memory is expected."""
        addresses = self._memory.global_.addresses
        assert op.base is not None
        return addresses.window(op.base, addresses.form(op.base), not op.ins.row.is_load)

    def _limits(
        self, window: Window, bytes_: int, size: int, numbers: Numbers
    ) -> tuple[list[str], list[str]]:
        """Return origin and places of a buffer."""
        places = self._memory.global_.addresses.places(window, bytes_, size)
        return numbers.spread(window.base), numbers.spread(places)

    def _limits_of_block(self, op: Op, bytes_: int) -> tuple[int, int] | None:
        """Return the same for group, private and readonly memory."""
        extent = self._memory.local.checks.extent(op)
        room = extent.total + extent.size - bytes_
        return (0, room // extent.size) if room >= extent.size else None

    def _test(self, accesses: Accesses) -> list[Sequence[str]]:
        """Emit the tests of the outermost accesses in the first and in the last iteration."""
        numbers, line, size = accesses.numbers, accesses.line, accesses.size
        tests: list[Sequence[str]] = [*line.conditions]
        low, high = min(accesses.offsets), max(accesses.offsets)
        start = numbers.do("sub", line.start, accesses.origin)
        if self._alone and isinstance(accesses.origin, int):
            # Without an iteration any place will do: a branch for it would be mispredicted.
            passes, (first,) = self._alone[0], start
            start = [self._lanes.code.let(f"select i1 {passes}, i64 {first}, i64 0")]
        ends = [(start, low), (start, high)]
        if line.step != 0:
            last_of = self._last_of_pieces if numbers.pieces else self._last_of
            way = numbers.do("mul", line.step, last_of(accesses.op))
            last = numbers.do("add", start, way)
            if isinstance(line.step, int):
                # The one with the least and the one with the greatest address.
                first = low if line.step > 0 else high
                ends = [(start, first), (last, low + high - first)]
            else:
                ends += [(last, low), (last, high)]
                near = numbers.do("add", line.step, LARGEST_STEP)
                tests.append(numbers.do("icmp ult", near, 2 * LARGEST_STEP))
                rest = numbers.do("and", line.step, size - 1)
                tests.append(numbers.do("icmp eq", rest, 0))
        for at, (place, offset) in enumerate(ends):
            if (place, offset) in ends[:at]:
                continue
            elements = [
                element_number(self._lanes.code, o, size, numbers.n)
                for o in numbers.do("add", place, offset)
            ]
            if accesses.outside is not None:
                assert not isinstance(accesses.places, int)
                place = Place(numbers, elements, accesses.places, accesses.outside)
                self.places.append(place)
            else:
                tests.append(numbers.do("icmp ult", elements, accesses.places))
        if numbers.pieces and tests:
            tests = [[numbers.all_of(tests)]]
        return tests


def _may_step(step: Number, size: int) -> bool:
    return not isinstance(step, int) or (abs(step) < LARGEST_STEP and step % size == 0)
