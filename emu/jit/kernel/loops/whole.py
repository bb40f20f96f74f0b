"""Iterations that all lanes of a warp run, in loops by which lanes share a row.

In `for (i = lane; i < end; i += lanes)` the counter differs from lane to lane, by the same amount,
or the bound does, as in a triangle. Lanes then leave the loop in turn, but all of them run all
iterations up to those in which the first one leaves. These are counted before the loop. A version
runs them without masks, whose branch asks for the counted iterations alone. The loop itself
continues with what is left.
"""

from __future__ import annotations

from .....isa.table import Unit
from .....isa.types import sign_extend
from ....analysis.flow.order import Loop
from ....analysis.ranges.stepping import Counter
from ....analysis.ranges.trips import only_exit
from ....analysis.values.ssa import Const, Op
from ..lane_code import LaneCode
from ..memory.access import Access
from ..memory.addressing.lines import HALF, Numbers

ALL = "splat (i1 true)"
"""A mask of lanes that all run."""

_STEPS_UP = {"lt": True, "le": True, "gt": False, "ge": False}


def numbers_of(counter: Counter, *kinds: Numbers) -> Numbers | None:
    """Return the numbers by which a counter and its bound step from lane to lane, if any do."""
    ends = counter.phi, counter.end
    return next((n for n in kinds if all(n.stride(v) is not None for v in ends)), None)


LEAST = 2
"""Iterations that are worth the tests before them."""


FEW = 4
"""Iterations that are not worth a version, where their number is a constant."""


def is_near(lanes: LaneCode, access: Access, op: Op) -> bool:
    """Return whether lanes access places at a known distance, in the warp or in each piece."""
    if op.base is None:
        return True
    form, shapes = access.global_.addresses.form(op.base), lanes.shapes
    index = op.base if form is None or form.index is None else form.index
    return shapes.stride(index) is not None or shapes.piece_stride(index) is not None


def may_run_whole(lanes: LaneCode, access: Access, loop: Loop, counter: Counter) -> bool:
    """Return whether all lanes may run iterations of a loop together, which they leave in turn."""
    end = counter.end
    ops = [op for number in loop.nodes for op in lanes.ssa.ops.get(number, ())]
    is_short = isinstance(end, Const) and end.bits < FEW * counter.step
    return (
        (counter.by is None or lanes.shapes.is_uniform(counter.by))
        and counter.relation in _STEPS_UP
        and not is_short
        and not lanes.facts.counts
        and lanes.k == lanes.most
        and only_exit(lanes.flow, loop)
        and not any(map(_takes_time, ops))
        and any(op.ins.row.is_memory and is_near(lanes, access, op) for op in ops)
    )


def _takes_time(op: Op) -> bool:
    """Return whether an instruction takes longer than the tests and masks of an iteration.

    Histograms took 1.1 times as long, and two versions of an elementary function to compile.
    """
    return op.ins.row.is_atomic or op.ins.row.unit is Unit.COMPLEX


def _numbers_of(counter: Counter) -> tuple[str, tuple[int, int]]:
    """Return how 32-bit numbers of a counter become 64-bit ones, and their least and greatest."""
    return ("sext", (-HALF, HALF - 1)) if counter.is_signed else ("zext", (0, 2 * HALF - 1))


class WholeIterations:
    """The count of a loop's first iterations that all lanes run, and after which all continue.

    The `numbers` of the counter and of its bound are those of the warp or of its pieces. Whether
    they are enough is tested where this is created; if not, `otherwise` (a label) is next.
    """

    def __init__(self, lanes: LaneCode, counter: Counter, numbers: Numbers, otherwise: str) -> None:
        self._lanes = lanes
        code, step = lanes.code, str(abs(counter.step))
        self._tests = [lanes.all_run()]
        """What must hold, i1."""
        if counter.by is not None:
            how = "sext" if counter.is_signed else "zext"
            step = code.let(f"{how} i32 {lanes.scalar(counter.by)} to i64")
            self._tests.append(code.let(f"icmp sgt i64 {step}, 0"))
        distance = self._distance(counter, numbers)
        # A loop that is tested after its iterations leaves in the last one.
        least = LEAST - 1 if counter.header_tests else LEAST
        shortest = code.let(f"mul i64 {step}, {least}")
        self._tests.append(code.let(f"icmp sgt i64 {distance}, {shortest}"))
        many = code.fresh_label("g")
        code.branch(code.all_of(*self._tests), many, otherwise)
        code.block(many)
        whole = code.let(f"sub i64 {distance}, 1")
        if counter.header_tests:
            whole = code.let(f"add i64 {whole}, {step}")
        self.iterations = code.let(f"udiv i64 {whole}, {step}")
        """How many there are, an i64."""
        self._counter, self._step, self._nearest = counter, step, distance
        change = sign_extend(numbers.stride(counter.phi) or 0, 32) * (numbers.together - 1)
        self._spread = abs(change)
        """How much farther the last lane is from the bound than the first one, if that is one."""

    def rest(self) -> tuple[str, str]:
        """Return what holds after them, where all lanes have one bound and a step: two i1.

        The first one is whether no lane passes the loop's test more than once, the second one
        whether none passes it any more.
        """
        lanes, code, counter = self._lanes, self._lanes.code, self._counter
        tests = self.iterations
        if not counter.header_tests:
            tests = code.let(f"add i64 {tests}, 1")
        reached = code.let(f"mul i64 {tests}, {self._step}")
        farthest = code.let(f"add i64 {self._nearest}, {self._spread}")
        # A counter that wraps around past the bound would pass the test again.
        how, (least, greatest) = _numbers_of(counter)
        bound = code.let(f"{how} i32 {lanes.scalar(counter.end)} to i64")
        more = counter.relation in ("le", "ge")
        if _STEPS_UP[counter.relation]:
            past = code.let(f"add i64 {bound}, {self._step}")
            ends = code.let(f"icmp sle i64 {past}, {greatest + 1 - more}")
        else:
            past = code.let(f"sub i64 {bound}, {self._step}")
            ends = code.let(f"icmp sge i64 {past}, {least - 1 + more}")
        return (
            code.all_of(code.let(f"icmp slt i64 {self._spread}, {self._step}"), ends),
            code.let(f"icmp sle i64 {farthest}, {reached}"),
        )

    def _distance(self, counter: Counter, numbers: Numbers) -> str:
        """Return the least distance of a lane's counter from its bound, an i64."""
        code, lanes = self._lanes.code, self._lanes
        goes_up = _STEPS_UP[counter.relation]
        how, (least, greatest) = _numbers_of(counter)
        ends, extents = [], []
        for value in (counter.phi, counter.end):
            extent = sign_extend(numbers.stride(value) or 0, 32) * (numbers.together - 1)
            scalars = lanes.firsts(value) if numbers.pieces else [lanes.lane0(value)]
            first = [code.let(f"{how} i32 {scalar} to i64") for scalar in scalars]
            # Lanes must not wrap around; that of a counter would be past its bound.
            if extent and (value is not counter.phi or (extent > 0) != goes_up):
                for number in first:
                    last = code.let(f"add i64 {number}, {extent}")
                    above = code.let(f"sub i64 {last}, {least}")
                    self._tests.append(code.let(f"icmp ule i64 {above}, {greatest - least}"))
            ends.append(first)
            extents.append(extent)
        if not goes_up:
            ends.reverse()
            extents.reverse()
        distance = ""
        for low, high in zip(*ends, strict=True):
            apart = code.let(f"sub i64 {high}, {low}")
            if distance:
                apart = code.intrinsic("llvm.smin", "i64", f"i64 {distance}", f"i64 {apart}")
            distance = apart
        # The least one is that of the first lane or of the last one.
        more = min(0, extents[1] - extents[0]) + (counter.relation in ("le", "ge"))
        return code.let(f"add i64 {distance}, {more}")

    @property
    def last(self) -> str:
        """The number of the last of these iterations, an i64."""
        return self._lanes.code.let(f"sub i64 {self.iterations}, 1")
