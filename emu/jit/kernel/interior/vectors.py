"""The vectors of a warp, one after the other, each as a warp of its own."""

from __future__ import annotations

from functools import partial

from .....isa.types import RegClass
from ....analysis.facts import OF_WARPS
from ....analysis.values.ssa import Op
from ....analysis.warps.uniformity import LaneShapes, Shapes
from ...llvm.vectors import VectorCode
from ..lane_code import LaneCode, vectors_of
from ..memory.kernel_memory import KernelMemory
from ..workgroups.identity import Warp, Workgroup, start_warp_at

_OF_BITS = frozenset({"and", "or", "xor", "shr", "div", "rem", "bitextract", "bitinsert"})


def may_run_apart(lanes: LaneCode, memory: KernelMemory) -> bool:
    """Return whether a warp has several vectors, and these may run one after the other.

    Private memory is that of a whole warp, and some instructions show how wide warps are.
    """
    shows = any(isinstance(v, Op) and v.ins.row.stem in OF_WARPS for v in lanes.ssa.values())
    return lanes.k > 1 and not memory.private_bytes and not shows


def begin_vector(
    lanes: LaneCode, group: Workgroup, shapes: Shapes, item: str, end: str | None = None
) -> tuple[Warp, LaneCode]:
    """Append the start of a vector at a work-item (an i64); return it, as a warp, and its code.

    Its lanes are work-items up to the one before `end` (an i64), or all. `lanes` is the code of
    whole warps, and `shapes` what is known of warps of one vector.
    """
    facts = shapes.facts
    vector = start_warp_at(VectorCode(lanes.code, *vectors_of(facts)), group, facts, item, end)
    report = partial(vector.report, lanes.code)
    code = LaneCode(lanes.variables, lanes.table, shapes, facts, facts.width, report)
    return vector, code


def reads_bits(shapes: LaneShapes, op: Op) -> bool:
    """Return whether an op reads bits of what steps from lane to lane, or divides it.

    What is known of the result may hold only where warps begin at multiples of a power of two.
    """
    stepped = (not shapes.is_uniform(a) and shapes.stride(a) is not None for a in op.args)
    return op.cls is not RegClass.C and op.ins.row.stem in _OF_BITS and any(stepped)
