"""Runs of elements that a lane alone moves by vectors, where its loop would move one at a time.

All iterations but the one that leaves are made at once, if all accesses are inside, the budget
suffices and no element is loaded that an earlier iteration stores. Then the loop runs for the rest.
"""

from __future__ import annotations

from ....analysis.loops.moved_runs import MovedRun
from ....analysis.values.ssa import Op
from ...arithmetic.widths import narrowed
from ...llvm.text import register_type
from ...llvm.toolchain import host_has
from ...llvm.vectors import VectorCode
from ..lane_code import LaneCode
from ..memory.access import Access
from .hoisted import Hoisted

VECTOR_BYTES = 64


def moves_runs() -> bool:
    """Return whether the host has masks for vectors of all elements."""
    return host_has("avx512bw") and host_has("bmi2")


def move_run(one: LaneCode, memory: Access, run: MovedRun, *, charges: bool) -> None:
    """Append the move of a run by a lane alone, in the block before its loop."""
    code, size = one.code, run.size
    one.local.clear()
    tested = Hoisted(one, memory, run.loop, alone=True, charges=charges)
    if not run.accesses <= tested.certain or tested.is_charged != charges:
        return
    if any(tested.lines[op].step != size for op in run.accesses):
        return
    elements = VECTOR_BYTES // size
    count = tested.returns
    is_known = not charges and run.accesses <= memory.global_.certain
    good = "true" if is_known else tested.hold()
    to = _host(one, memory, tested, run.store)
    origin = None if run.load is None else _host(one, memory, tested, run.load)
    if origin is not None:
        places = [code.let(f"ptrtoint ptr {place} to i64") for place in (to, origin)]
        apart = code.let(f"sub i64 {places[0]}, {places[1]}")
        bytes_ = code.let(f"mul i64 {count}, {size}")
        least = code.intrinsic("llvm.umin", "i64", f"i64 {bytes_}", f"i64 {VECTOR_BYTES}")
        good = code.let(f"and i1 {good}, {code.let(f'icmp uge i64 {apart}, {least}')}")
    move, following, after = (code.fresh_label("run") for _ in range(3))
    code.branch(good, move, after)
    code.block(move)
    tested.enter()
    if origin is None:
        type_ = run.store.ins.row.type
        assert type_ is not None
        (value,) = one.stored(run.store, [one.scalar(run.store.args[0])], 0)
        value = narrowed(code, value, type_, 0)
    vectors = VectorCode(code, elements, 1)
    one.variables.set_word("moved", "0")
    code.jump(following)
    code.block(following)
    moved = one.variables.word("moved")
    left = code.let(f"sub i64 {count}, {moved}")
    here = code.intrinsic("llvm.umin", "i64", f"i64 {left}", f"i64 {elements}")
    word = code.call("i64", "llvm.x86.bmi.bzhi.64", "i64 -1", f"i64 {here}")
    (mask,) = vectors.chunks(word)

    def place(host: str) -> str:
        return code.let(f"getelementptr i{8 * size}, ptr {host}, i64 {moved}")

    if origin is not None:
        data = vectors.load_masked(8 * size, place(origin), mask)
    else:
        data = vectors.chunk_of(8 * size, value)
    vectors.store_masked(8 * size, data, place(to), mask)
    done = code.fresh_label("run")
    moved = code.let(f"add i64 {moved}, {elements}")
    one.variables.set_word("moved", moved)
    code.branch(code.let(f"icmp ult i64 {moved}, {count}"), following, done)
    code.block(done)
    for phi, step in run.steps.items():
        t = register_type(phi.cls, 0)
        number = count if t == "i64" else code.let(f"trunc i64 {count} to {t}")
        way = code.let(f"mul {t} {number}, {step}")
        now = code.let(f"add {t} {one.scalar(phi)}, {way}")
        one.variables.store((phi, "value"), [t], [now])
    code.jump(after)
    code.block(after)


def _host(one: LaneCode, memory: Access, tested: Hoisted, op: Op) -> str:
    """Return the host address of an access in the first iteration, a ptr."""
    addresses, code = memory.global_.addresses, one.code
    assert op.base is not None
    assert op.ins.address is not None
    window = addresses.window(op.base, addresses.form(op.base), not op.ins.row.is_load)
    assert window is not None
    offset = code.let(f"sub i64 {tested.lines[op].start[0]}, {window.base}")
    offset = code.let(f"add i64 {offset}, {op.ins.address.offset}")
    return addresses.host(window, offset)
