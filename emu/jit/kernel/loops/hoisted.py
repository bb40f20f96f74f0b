"""Tests of accesses, and the budget's charge, before a loop and not in it.

An address that a loop changes by the same amount in each iteration is inside its buffer in all of
them if it is in the first and in the last. If that holds for such accesses, and the budget suffices
for the whole loop, a version of the loop runs that does not test them and is not charged. Otherwise
the checked version does, which reports faults exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....analysis.flow.order import Loop
from ....analysis.ranges.stepping import Counter, counters_of
from ....analysis.ranges.trips import only_exit
from ....analysis.values.ssa import Op
from ....analysis.widths.far_rows import has_far_rows
from .. import budget
from ..lane_code import LaneCode
from ..memory.access import Access
from ..memory.addressing.lines import HALF, Line, Numbers
from ..memory.moves import STALE
from ..memory.records import row_stores
from ..memory.records.row_blocks import RowAccess
from .carried import Carried, find_carried
from .certain import CertainAccesses
from .common_iterations import FEWEST, least_end, may_have_common
from .first_iterations import FirstIterations
from .idle import Place, choose
from .in_step import InStep, may_count
from .rows import RowFinder, has_rows
from .whole import WholeIterations, may_run_whole, numbers_of

MOST_UNROLLED = 64
"""Most instructions of iterations without a branch between them, if their number is not known."""


class Hoisted:
    """The tests of one loop, for the lanes that enter it; made in the block before it.

    With `each`, lanes may begin and end at different places: every one is tested. `charges` says
    whether the budget's charge for the whole loop is one of the tests. With a label `otherwise`,
    lanes that begin at different places may be tested to have as many iterations as each other.
    With `only_whole` no other lanes are tested than those that leave a loop in turn.
    `alone` is for one lane: if it does not pass the header, the first iteration is tested as well,
    but for private memory. That is tested even where ranges show that accesses are inside.
    """

    def __init__(
        self,
        lanes: LaneCode,
        memory: Access,
        loop: Loop,
        *,
        each: bool = False,
        alone: bool = False,
        charges: bool = True,
        otherwise: str = "",
        only_whole: bool = False,
    ) -> None:
        self.lanes = lanes
        self.loop = loop
        self._memory = memory
        self._numbers = Numbers(lanes, each=each)
        self._is_alone = alone
        self._of_pieces = Numbers(lanes, each=False, pieces=True)
        self._tests: list[Sequence[str]] = []
        """What must hold for all lanes."""
        self._body: list[Sequence[str]] = []
        """What must hold for lanes that pass the header."""
        self._places: list[Place] = []
        """Where neighbours begin, in loops that all lanes leave together."""
        self._enough: str | None = None
        """Whether the budget suffices, an i1."""
        self.certain: frozenset[Op] = frozenset()
        """Accesses that are inside if the tests hold."""
        self.lines: dict[Op, Line] = {}
        """The lines of these accesses' bases."""
        self.sums: frozenset[Op] = frozenset()
        """Additions of indices that do not wrap around if the tests hold, on the warp's scalars."""
        self.rows: dict[Op, RowAccess] = {}
        """Accesses of a row a lane, which are inside if the tests hold."""
        self.carried: list[Carried] = []
        """Loads of what the last iteration has stored."""
        self._left = ""
        """What is left of the budget after the loop, an i64."""
        self.in_step: InStep | None = None
        """What all lanes count together, if that had to be tested; then the code has branched."""
        self.part: FirstIterations | None = None
        """The iterations of this version, if the loop itself runs the rest; tests are for these."""
        self._common_end: str | None = None
        """The bound before which no lane leaves, an i32, if lanes have bounds of their own."""
        counters = counters_of(lanes.ssa, loop)
        known = (c for c in counters if not only_whole and self._is_known(c))
        self._counter = next(known, None)
        self.after: str = ""
        """The label of what follows the iterations of this version, if they are counted down.

        By default that is the loop itself.
        """
        may_test = bool(otherwise) and not only_whole
        if self._counter is None and may_test and charges:
            self._counter = next((c for c in counters if may_have_common(lanes, loop, c)), None)
            if self._counter is not None:
                self._common_end = least_end(lanes, self._counter)
                self.part = FirstIterations(lanes, loop)
        if self._counter is None and may_test and has_rows(lanes, loop):
            self._counter = next((c for c in counters if may_count(c)), None)
            if self._counter is not None:
                self.in_step = InStep(lanes, loop, self._counter, otherwise)
        self.whole: WholeIterations | None = None
        """The iterations of this version that all lanes run, if they leave the loop in turn."""
        if self._counter is None and otherwise:
            self._counter = self._find_whole(otherwise)
        if self._counter is None:
            return
        lanes.local.clear()
        self._count(self._counter)
        self._find_certain(self._counter)
        if charges and only_exit(lanes.flow, loop):
            self._charge()

    @property
    def counter(self) -> Counter | None:
        """What counts the iterations."""
        return self._counter

    @property
    def is_useful(self) -> bool:
        """Whether a version of the loop without tests is worth its code."""
        if self.in_step is not None:
            return bool(self.rows)
        if self.part is not None:
            return bool(self.certain)
        return bool(self.certain or self.rows) or self.is_charged

    @property
    def has_branched(self) -> bool:
        """Whether a block has ended with a test of how many iterations lanes have in common."""
        return self.in_step is not None or self.whole is not None

    @property
    def is_charged(self) -> bool:
        """Whether `enter` charges the budget for the whole loop."""
        return self._enough is not None

    @property
    def returns(self) -> str:
        """How often a lane goes back to the header, an i64; not with `each`."""
        (number,) = self._after
        return number

    @property
    def returns_of_each(self) -> list[str]:
        """The same for all lanes, vectors of i64; with `each`."""
        return self._after

    def steps(self) -> dict[Op, str]:
        """Return the addition that steps the counter, if it does not wrap around, and how."""
        counter, loop = self._counter, self.loop
        if counter is None or counter.step < 0 or counter.relation == "ne":
            return {}
        (op,) = {arg for before, arg in counter.phi.args.items() if before in loop.nodes}
        if not isinstance(op, Op) or op.ins.row.stem != "add" or counter.phi not in op.args:
            return {}
        if counter.header_tests and op.node == loop.header:
            return {}  # it also runs after the last iteration
        return {op: "nsw" if counter.is_signed else "nuw"}

    def hold(self) -> str:
        """Return whether all tests hold, an i1."""
        numbers, lanes, code = self._numbers, self.lanes, self.lanes.code
        true = numbers.constant(1, 1)
        header_tests = self._counter is not None and self._counter.header_tests
        own = [] if self._is_alone and header_tests else [self._passes]
        passes = numbers.each_of([*own, *self._body])
        if numbers.each and header_tests:
            none = numbers.do("xor", self._passes, true, 1)
            passes = numbers.do("or", none, passes, 1)
        held = numbers.each_of([passes, *self._tests])
        if numbers.each:
            failed = numbers.do("and", lanes.mask, numbers.do("xor", held, true, 1), 1)
            held = [code.let(f"xor i1 {lanes.any(failed)}, true")]
        if self._enough is not None:
            return code.let(f"and i1 {held[0]}, {self._enough}")
        return held[0]

    def choose(self, enter: str, checked: str) -> None:
        """End the block: continue at the label `enter` if all tests hold, else at `checked`.

        Neighbours must be inside in all lanes, or else in those that run.
        """
        all_run = self.whole is not None or bool(self._memory.global_.inside)
        choose(self.lanes, self.hold(), self._places, (enter, checked), all_run=all_run)

    def enter(self) -> None:
        """Begin the version without tests: charge the budget."""
        if self.is_charged:
            self.lanes.variables.set_word("budget", self._left)
        if self.rows:
            self.lanes.variables.store(STALE, ["i1"], ["false"])
        for op, row in self.rows.items():
            if not op.ins.row.is_load:
                row_stores.begin(self.lanes, row)
        for carried in self.carried:
            carried.enter(self.lanes, self._memory)
        if self.in_step is not None:
            self.in_step.enter()
        if self.part is not None:
            self.part.enter(self.returns)

    def leave(self) -> None:
        """End the version without tests."""
        for carried in self.carried:
            carried.leave(self.lanes, self._memory)

    def step(self) -> str | None:
        """Begin the next iteration; return whether the version continues if open, an i1."""
        if self.in_step is not None:
            self.in_step.step()
        return self.part.step() if self.part is not None else None

    def jumps(self, number: int) -> str | None:
        """Return whether all lanes jump at a node's branch, an i1; None if they may differ."""
        counter = self._counter
        if counter is None or not (self.in_step or self.part):
            return None
        for test, target in counter.tests:
            if test == number:
                stays_if_taken = self.lanes.flow.nodes[number].successors[1] == target
                if self.in_step is None:
                    return "true" if stays_if_taken else "false"
                relation = "slt" if stays_if_taken else "sge"
                now = self.in_step.iteration()
                return self.lanes.code.let(f"icmp {relation} i64 {now}, {self._after[0]}")
        return None

    def unroll(self) -> int:
        """Return how many iterations of the charged version to write without a branch."""
        ops = [op for number in self.loop.nodes for op in self.lanes.ssa.ops.get(number, ())]
        if self._numbers.each:
            is_innermost = self.lanes.flow.is_innermost(self.loop)
            return 2 if is_innermost and 2 * len(ops) <= MOST_UNROLLED else 0
        # Sides of accesses that are still tested would be written several times as well.
        certain = self.certain | self._memory.global_.inside
        if any(op not in certain and self._memory.has_sides(op) for op in ops):
            return 0  # also for blocks of rows, which are not certain
        is_far = self.lanes.facts.rows and has_far_rows(self.lanes.shapes, self.loop)
        most = 2 if is_far else 4
        return next((n for n in (4, 2) if n <= most and n * len(ops) <= MOST_UNROLLED), 0)

    def _is_known(self, counter: Counter) -> bool:
        shapes, each = self.lanes.shapes, self._numbers.each
        return each or (shapes.is_uniform(counter.phi) and shapes.is_uniform(counter.end))

    def _find_whole(self, otherwise: str) -> Counter | None:
        """Return a counter that shows how many iterations all lanes run, and count them."""
        for counter in counters_of(self.lanes.ssa, self.loop, by_values=True):
            numbers = numbers_of(counter, self._numbers, self._of_pieces)
            if numbers is not None and may_run_whole(self.lanes, self._memory, self.loop, counter):
                self.lanes.local.clear()
                self.whole = WholeIterations(self.lanes, counter, numbers, otherwise)
                self.part = FirstIterations(self.lanes, self.loop)
                return counter
        return None

    # --- iterations

    def _count(self, counter: Counter) -> None:
        """Compute the number of the last iteration in which the counter passes its test."""
        numbers = self._numbers
        if self.in_step is not None:
            self._passes = ["true"]
            self._last = numbers.do("sub", [self.in_step.iterations], 1)
            self._after = [self.in_step.iterations] if counter.header_tests else self._last
            return
        if self.whole is not None:
            self._passes = ["true"]
            self._last = [self.whole.last]
            self._after = [self.whole.iterations]
            return
        first = numbers.widened(numbers.of(counter.phi), is_signed=counter.is_signed)
        bound = numbers.of(counter.end) if self._common_end is None else [self._common_end]
        end = numbers.widened(bound, is_signed=counter.is_signed)
        least, greatest = (-HALF, HALF - 1) if counter.is_signed else (0, 2 * HALF - 1)
        step, relation = abs(counter.step), counter.relation
        if relation in ("le", "ge"):
            end = numbers.do("add", end, 1 if relation == "le" else -1)
        distance = numbers.do("sub", *((end, first) if counter.step > 0 else (first, end)))
        if relation == "ne":
            distance = numbers.do("and", distance, 2 * HALF - 1)
        self._passes = numbers.do("icmp sgt", distance, 0)
        if relation in ("le", "ge") or (step > 1 and relation != "ne"):
            # The counter must not wrap around past its bound.
            if counter.step > 0:
                self._tests.append(numbers.do("icmp sle", end, greatest + 1 - step))
            else:
                self._tests.append(numbers.do("icmp sge", end, least - 1 + step))
        self._last = numbers.do("sub", distance, 1)
        if step > 1:
            self._last = numbers.do("udiv", self._last, step)
        self._after = self._last
        if counter.header_tests:
            self._after = numbers.do("add", self._last, 1)
            if numbers.each or self._is_alone:
                # Lanes that do not pass the header run it once.
                self._after = numbers.where(self._passes, self._after)
            if self._is_alone:
                self._last = numbers.where(self._passes, self._last)
        if self._common_end is not None:
            # The version ends before the header runs again. The distance may be below zero.
            returns = FEWEST - counter.header_tests
            self._passes = numbers.do("icmp sgt", distance, returns * step)
            self._last = numbers.do("sub", self._after, 1)

    def _last_of(self, op: Op) -> list[str]:
        """Return the number of the last iteration in which an op may run."""
        if self.part is not None:
            return self._last
        return self._after if op.node == self.loop.header else self._last

    def _charge(self) -> None:
        """Compute what is left of the budget after all iterations, which must be enough."""
        numbers = self._numbers
        total = numbers.total(self.lanes.mask, self._after) if numbers.each else self._after[0]
        self._left, self._enough = budget.whole_charge(self.lanes, self.loop, total)

    # --- accesses

    def _find_certain(self, counter: Counter) -> None:
        """Test the accesses at lines, and find rows and what iterations carry in registers."""
        numbers, is_one = self._numbers, not (self._numbers.each or self._is_alone)
        accesses = CertainAccesses(
            self._memory,
            self.loop,
            counter,
            (numbers, self._of_pieces),
            self._last_of,
            alone=self._passes if self._is_alone else None,
        )
        self.certain, self.lines = accesses.find(), accesses.line_of
        for op, tests in accesses.tests():
            self._tests_of(op).extend(tests)
        self._places = accesses.places
        if not numbers.each:
            self.sums = accesses.sums
        if is_one and self.part is None:
            self._find_rows(counter, accesses)

    def _find_rows(self, counter: Counter, accesses: CertainAccesses) -> None:
        """Test rows of a lane's own, and find loads of what the last iteration has stored."""
        lanes, memory, loop = self.lanes, self._memory, self.loop
        finder = RowFinder(lanes, memory, loop, counter, self._last_of, self._iteration())
        rows: list[tuple[Op, RowAccess, list[str]]] = []
        if self.in_step is None and only_exit(lanes.flow, loop):
            rows += finder.stores(self.certain)
        rows += finder.loads(self.certain, [op for op, _, _ in rows])
        if self.in_step is None:
            inside = self.certain.union(op for op, _, _ in rows)
            self.carried, apart = find_carried(
                lanes, memory, loop, counter, accesses.lines, self.certain, inside
            )
            self._body.extend([test] for test in apart)
        for op, row, tests in rows:
            self.rows[op] = row
            self._tests_of(op).extend([test] for test in tests)

    def _tests_of(self, op: Op) -> list[Sequence[str]]:
        """Return the tests to which those of an access belong."""
        return self._tests if op.node == self.loop.header else self._body

    def _iteration(self) -> Callable[[], str]:
        """Return what gives the number of the present iteration, an i64."""
        if self.in_step is not None:
            return self.in_step.iteration
        lanes, code, counter = self.lanes, self.lanes.code, self._counter
        assert counter is not None
        first, step = lanes.scalar(counter.phi), abs(counter.step)

        def number() -> str:
            now = lanes.scalar(counter.phi)
            ends = (now, first) if counter.step > 0 else (first, now)
            way = code.let(f"zext i32 {code.let(f'sub i32 {ends[0]}, {ends[1]}')} to i64")
            return way if step == 1 else code.let(f"udiv exact i64 {way}, {step}")

        return number
