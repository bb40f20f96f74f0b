"""Runs of elements that a lane alone moves by vectors, where its loop would move one at a time.

All iterations but the one that leaves are made at once, if all accesses are inside, the budget
suffices and no element is loaded that an earlier iteration stores. Then the loop runs for the rest.
A run goes up or down through global memory, or the lane's private memory if that is in one piece.
"""

from __future__ import annotations

from collections.abc import Callable

from .....isa.types import Segment
from ....analysis.loops.moved_runs import MovedRun
from ....analysis.values.ssa import Op
from ...arithmetic.widths import narrowed
from ...llvm.text import register_type
from ...llvm.toolchain import host_has
from ...llvm.vectors import VectorCode
from ..lane_code import LaneCode
from ..loops.hoisted import Hoisted
from ..memory.access import Access

VECTOR_BYTES = 64

_MOVED = "moved"
"""The variable that has how many elements have been moved."""


def moves_runs() -> bool:
    """Return whether the host has masks for vectors of all elements."""
    return host_has("avx512bw") and host_has("bmi2")


def move_run(
    one: LaneCode,
    memory: Access,
    run: MovedRun,
    *,
    charges: bool,
    add: Callable[[str], None] | None,
) -> None:
    """Append the move of a run by a lane alone, in the block before its loop.

    `charges` says whether the loop's iterations are charged one by one. `add` notes how many the
    move has made, if they are counted.
    """
    code, local = one.code, memory.local.memory
    if not (run.is_shared or local.each_apart):
        return
    one.local.clear()
    tested = Hoisted(one, memory, run.loop, alone=True, charges=charges)
    if not run.accesses <= tested.certain or tested.is_charged != charges:
        return
    steps = [tested.lines[op].step for op in run.accesses]
    backwards = steps[0] == -run.size
    if any(step != (-run.size if backwards else run.size) for step in steps):
        return
    is_known = not charges and run.accesses <= memory.global_.certain
    good = "true" if is_known else tested.hold()
    to = _host(one, memory, tested, run.store)
    origin = None if run.load is None else _host(one, memory, tested, run.load)
    if origin is not None:
        ends = (to, origin) if backwards else (origin, to)
        apart = _are_apart(one, run, *ends, tested.returns)
        good = code.let(f"and i1 {good}, {apart}")
    move, after = code.fresh_label("run"), code.fresh_label("run")
    code.branch(good, move, after)
    code.block(move)
    tested.enter()
    _move(one, run, origin, to, tested.returns, backwards=backwards)
    _advance(one, run, tested.returns)
    if add is not None:
        add(tested.returns)
    code.jump(after)
    code.block(after)


def _host(one: LaneCode, memory: Access, tested: Hoisted, op: Op) -> str:
    """Return the host address of an access in the first iteration, a ptr."""
    addresses, code = memory.global_.addresses, one.code
    assert op.base is not None
    assert op.ins.address is not None
    if op.ins.row.segment is Segment.PRIVATE:
        return memory.local.private.rows.own_byte(tested.lines[op].start[0], op.ins.address.offset)
    window = addresses.window(op.base, addresses.form(op.base), not op.ins.row.is_load)
    assert window is not None
    offset = code.let(f"sub i64 {tested.lines[op].start[0]}, {window.base}")
    offset = code.let(f"add i64 {offset}, {op.ins.address.offset}")
    return addresses.host(window, offset)


def _are_apart(one: LaneCode, run: MovedRun, first: str, second: str, count: str) -> str:
    """Return whether no element of a vector is loaded from where an earlier one is stored, an i1.

    That is where the run reaches `second` after `first`, of which one is loaded, one stored.
    Elements that are stored before those that are loaded do not matter.
    """
    code = one.code
    ends = [code.let(f"ptrtoint ptr {place} to i64") for place in (second, first)]
    way = code.let(f"sub i64 {ends[0]}, {ends[1]}")
    bytes_ = code.let(f"mul i64 {count}, {run.size}")
    least = code.intrinsic("llvm.umin", "i64", f"i64 {bytes_}", f"i64 {VECTOR_BYTES}")
    return code.let(f"icmp uge i64 {way}, {least}")


def _move(
    one: LaneCode, run: MovedRun, origin: str | None, to: str, count: str, *, backwards: bool
) -> None:
    """Append a loop that moves `count` elements, a vector in each iteration; none is a vector.

    `origin` and `to` have the first element, which is the last one in memory of a run `backwards`.
    """
    code, variables, bits = one.code, one.variables, 8 * run.size
    elements = VECTOR_BYTES // run.size
    vectors = VectorCode(code, elements, 1)
    same = None if origin is not None else _stored(one, run)
    again, done = code.fresh_label("run"), code.fresh_label("run")
    variables.set_word(_MOVED, "0")
    code.jump(again)
    code.block(again)
    moved = variables.word(_MOVED)
    left = code.let(f"sub i64 {count}, {moved}")
    here = code.intrinsic("llvm.umin", "i64", f"i64 {left}", f"i64 {elements}")
    word = code.call("i64", "llvm.x86.bmi.bzhi.64", "i64 -1", f"i64 {here}")
    (mask,) = vectors.chunks(word)

    at = moved
    if backwards:
        at = code.let(f"sub i64 1, {code.let(f'add i64 {moved}, {here}')}")

    def place(host: str) -> str:
        return code.let(f"getelementptr i{bits}, ptr {host}, i64 {at}")

    if same is None:
        assert origin is not None
        data = vectors.load_masked(bits, place(origin), mask)
    else:
        data = vectors.chunk_of(bits, same)
    vectors.store_masked(bits, data, place(to), mask)
    following = code.let(f"add i64 {moved}, {elements}")
    variables.set_word(_MOVED, following)
    code.branch(code.let(f"icmp ult i64 {following}, {count}"), again, done)
    code.block(done)


def _stored(one: LaneCode, run: MovedRun) -> str:
    """Return what all iterations store."""
    type_ = run.store.ins.row.type
    assert type_ is not None
    (value,) = one.stored(run.store, [one.scalar(run.store.args[0])], 0)
    return narrowed(one.code, value, type_, 0)


def _advance(one: LaneCode, run: MovedRun, count: str) -> None:
    """Set the phis of the header to what they are after `count` iterations."""
    code = one.code
    for phi, step in run.steps.items():
        t = register_type(phi.cls, 0)
        number = count if t == "i64" else code.let(f"trunc i64 {count} to {t}")
        now = code.let(f"add {t} {one.scalar(phi)}, {code.let(f'mul {t} {number}, {step}')}")
        one.variables.store((phi, "value"), [t], [now])
