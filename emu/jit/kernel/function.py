"""The loops over workgroups and warps around a kernel's nodes, and barriers between warps.

Without barriers a warp runs from start to end. With them the warps of a workgroup take turns: each
runs until its next barrier, puts what it will need again into its *frame* and stops; when all have
stopped at the same barrier the next round begins. A frame begins with the place to go on from
(0: the start, -1: over, else the number of the node with the barrier), the mask of the lanes that
are live, and what is left of the budget; the counters of the budget stand behind these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....isa.types import RegClass
from ...analysis.order import START
from ...analysis.ssa import Phi, Value, live_out
from ..llvm.function_text import definition
from ..llvm.text import register_type
from ..runtime.context import Slot, TrapCode
from . import budget

if TYPE_CHECKING:
    from .nodes import Lowering

HEAD_BYTES = 64
"""Of a frame: where to go on, the live lanes, what is left of the budget."""


def run_groups(low: Lowering) -> str:
    """The whole function: `i32 name(ctx, first workgroup, last workgroup)`; 1 means trapped."""
    code, lanes = low.code, low.lanes
    lanes.track_exits = low.has_barrier
    code.block("group_head")
    code.phi("i64", ("%first", "entry"), ("%g.next", "group_next"), name="%g")
    code.let("icmp ult i64 %g, %last", "%g.more")
    code.branch("%g.more", "group_body", "finished")
    code.block("group_body")
    lanes.start_group()
    if low.group_bytes:
        memory = code.let(f"inttoptr i64 {low.slot(Slot.GROUP_MEMORY)} to ptr")
        code.zero(memory, low.group_bytes)
    if low.has_barrier:
        _rounds(low)
    else:
        _straight(low)
    code.block("group_next")
    code.let("add i64 %g, 1", "%g.next")
    code.jump("group_head")
    code.block("trapped")
    code.ret("i32", "1")
    code.block("finished")
    code.ret("i32", "0")
    low.entry.lines += low.poison()
    low.entry.jump("group_head")
    head = f"define i32 @{low.name}(ptr %ctx, i64 %first, i64 %last)"
    return definition(head, low.entry, code)


def _straight(low: Lowering) -> None:
    """Every warp from start to end."""
    code = low.code
    warps = low.lanes.warps
    code.jump("warp_head")
    code.block("warp_head")
    code.phi("i64", (0, "group_body"), ("%w.next", "warp_over"), name="%w")
    code.let(f"icmp ult i64 %w, {warps}", "%w.more")
    code.branch("%w.more", "warp_body", "group_next")
    code.block("warp_body")
    live = low.lanes.start()
    _clear_private(low, "0")
    if low.flow.loops:
        budget.fill(low, low.entry.let(f"alloca [{low.facts.width} x i64], align 64"))
    low.clear_masks()
    low.enter(START, live)
    low.nodes()
    code.block("warp_over")
    code.lines += low.poison()
    code.let("add i64 %w, 1", "%w.next")
    code.jump("warp_head")


def _clear_private(low: Lowering, warp: str) -> None:
    """Set the private memory of a warp to zero; that of each warp has its own place."""
    if not low.private_bytes:
        return
    code = low.code
    size = low.private_bytes * low.facts.width
    memory = low.private_memory(warp)
    code.zero(memory, size)


# --- barriers


def _rounds(low: Lowering) -> None:
    """Warps take turns from barrier to barrier."""
    code = low.code
    warps = low.lanes.warps
    # Frames have their size only when the nodes are done: its place is filled in then.
    low.frame_size = 0
    for name in ("waiting", "returned", "barrier_pc", "unequal", "waiter", "fresh"):
        low.variable(name, ["i64"])
    _set(low, "returned", "0")
    _set(low, "fresh", "1")
    code.jump("round_head")
    code.block("round_head")
    _set(low, "waiting", "0")
    _set(low, "barrier_pc", "-1")
    _set(low, "unequal", "0")
    code.jump("warp_head")
    code.block("warp_head")
    code.phi("i64", (0, "round_head"), ("%w.next", "warp_next"), name="%w")
    code.let(f"icmp ult i64 %w, {warps}", "%w.more")
    code.branch("%w.more", "warp_body", "round_over")
    code.block("warp_body")
    live = low.lanes.start()
    frames = code.let(f"inttoptr i64 {low.slot(Slot.FRAMES)} to ptr")
    offset = code.let("mul i64 %w, FRAME_SIZE")
    code.let(f"getelementptr i8, ptr {frames}, i64 {offset}", "%frame")
    low.clear_masks()
    for node in low.flow.nodes:
        if node.last is not None and node.last.row.stem == "barrier":
            _set(low, f"held{node.number}", "0")
    fresh = code.let(f"icmp ne i64 {_get(low, 'fresh')}, 0")
    place = code.let("load i64, ptr %frame")
    code.branch(fresh, "warp_fresh", "warp_resume")
    code.block("warp_fresh")
    _clear_private(low, "%w")
    counters = code.let(f"getelementptr i8, ptr %frame, i64 {HEAD_BYTES}")
    budget.fill(low, counters)
    _save_mask(low, low.mask_word(live))
    low.enter(START, live)
    low.barriers = []
    low.nodes()
    code.block("warp_resume")
    if low.flow.loops:
        _set(low, "budget", code.let(f"load i64, ptr {_budget_place(low)}"))
        counters = code.let(f"getelementptr i8, ptr %frame, i64 {HEAD_BYTES}")
        low.store("counters", ["ptr"], [counters])
    code.switch(place, "warp_next", {b: f"resume{b}" for b in low.barriers})
    for barrier in low.barriers:
        _resume(low, barrier)
    code.block("warp_over")
    _held(low)
    code.line("store i64 -1, ptr %frame")
    code.jump("warp_next")
    code.block("warp_next")
    code.lines += low.poison()
    code.let("add i64 %w, 1", "%w.next")
    code.jump("warp_head")
    code.block("round_over")
    _set(low, "fresh", "0")
    nobody = code.let(f"icmp eq i64 {_get(low, 'waiting')}, 0")
    code.branch(nobody, "group_next", "round_check")
    code.block("round_check")
    returned = code.let(f"icmp ne i64 {_get(low, 'returned')}, 0")
    allowed = code.let(f"icmp eq i64 {low.slot(Slot.EXITED_ARRIVE)}, 0")
    missing = code.let(f"and i1 {returned}, {allowed}")
    unequal = code.let(f"icmp ne i64 {_get(low, 'unequal')}, 0")
    bad = code.let(f"or i1 {missing}, {unequal}")
    code.branch(bad, "round_divergent", "round_head")
    code.block("round_divergent")
    low.set_slot(Slot.TRAP_KIND, str(int(TrapCode.DIVERGENT_BARRIER)))
    low.set_slot(Slot.TRAP_PC, _get(low, "barrier_pc"))
    low.set_slot(Slot.TRAP_GROUP, "%g")
    low.set_slot(Slot.TRAP_LOCAL, _get(low, "waiter"))
    code.jump("trapped")
    code.lines = [line.replace("FRAME_SIZE", str(low.frame_size)) for line in code.lines]


def _get(low: Lowering, name: str) -> str:
    return low.code.let(f"load i64, ptr {low.variable(name, ['i64'])[0]}")


def _set(low: Lowering, name: str, value: str) -> None:
    low.code.line(f"store i64 {value}, ptr {low.variable(name, ['i64'])[0]}")


def _save_mask(low: Lowering, word: str) -> None:
    place = low.code.let("getelementptr i8, ptr %frame, i64 8")
    low.code.line(f"store i64 {word}, ptr {place}")


def _live_word(low: Lowering) -> str:
    place = low.code.let("getelementptr i8, ptr %frame, i64 8")
    return low.code.let(f"load i64, ptr {place}")


def _budget_place(low: Lowering) -> str:
    return low.code.let("getelementptr i8, ptr %frame, i64 16")


def note_exit(low: Lowering, chunks: Sequence[str]) -> None:
    """Lanes have returned: they are no longer live, and no barrier waits for them in vain."""
    code = low.code
    gone = low.mask_word(chunks)
    rest = code.let(f"and i64 {_live_word(low)}, {code.let(f'xor i64 {gone}, -1')}")
    _save_mask(low, rest)
    count = code.call("i64", "llvm.ctpop.i64", f"i64 {gone}")
    _set(low, "returned", code.let(f"add i64 {_get(low, 'returned')}, {count}"))


def stop_at_barrier(low: Lowering, number: int) -> None:
    """The end of a node with a barrier: all live lanes must be here; keep what is needed again."""
    code, node = low.code, low.flow.nodes[number]
    held = low.mask_word(low.mask.chunks)
    _set(low, f"held{number}", held)
    low.barriers.append(number)
    partial = f"p{number}"
    code.branch(code.let(f"icmp eq i64 {held}, {_live_word(low)}"), f"w{number}", partial)
    code.block(partial)
    if _can_wait(low, number):
        # Others may return first, or come here: they run on, and `_held` looks again.
        code.jump(low.next_of(low.waits[number]))
    else:
        low.trap(TrapCode.DIVERGENT_BARRIER, node.stop, low.mask.chunks)
    code.block(f"w{number}")
    low.local.clear()
    here = _get(low, f"held{number}")
    low.edge(node.successors[0], low.mask_chunks(here))
    for key, types, offset in _kept(low, number):
        for type_, place, cell in _cells(low, key, types, offset):
            value = code.let(f"load {type_}, ptr {place}")
            code.line(f"store {type_} {value}, ptr {cell}, align 8")
    code.line(f"store i64 {number}, ptr %frame")
    if low.flow.loops:
        code.line(f"store i64 {_get(low, 'budget')}, ptr {_budget_place(low)}")
    waiting = _get(low, "waiting")
    first = code.let(f"icmp eq i64 {waiting}, 0")
    _set(low, "waiting", code.let(f"add i64 {waiting}, 1"))
    known = _get(low, "barrier_pc")
    other = code.let(f"icmp ne i64 {known}, {node.stop}")
    later = code.let(f"xor i1 {first}, true")
    differs = code.let(f"zext i1 {code.let(f'and i1 {later}, {other}')} to i64")
    _set(low, "unequal", code.let(f"or i64 {_get(low, 'unequal')}, {differs}"))
    _set(low, "barrier_pc", code.let(f"select i1 {first}, i64 {node.stop}, i64 {known}"))
    lane = code.call("i64", "llvm.cttz.i64", f"i64 {here}", "i1 false")
    flat = code.let(f"add i64 {code.let(f'zext i32 {low.lanes.first} to i64')}, {lane}")
    _set(low, "waiter", code.let(f"select i1 {first}, i64 {flat}, i64 {_get(low, 'waiter')}"))
    code.jump("warp_next")


def _can_wait(low: Lowering, number: int) -> bool:
    """Whether lanes may wait at a barrier while others of their warp run on.

    Not in a loop in which others are still on their way: their next trip would change the values
    of those that wait.
    """
    around = {node for loop in low.flow.loops_around(number) for node in loop.nodes}
    return not around & low.waits[number]


def _held(low: Lowering) -> None:
    """Nobody of the warp runs any more: let those that wait at a barrier stop there."""
    code = low.code
    for number in low.barriers:
        if not low.waits[number] or not _can_wait(low, number):
            continue
        held = _get(low, f"held{number}")
        waiting, whole, partial, over = (f"{stem}{number}" for stem in ("h", "w", "q", "o"))
        nobody = code.let(f"icmp eq i64 {held}, 0")
        code.branch(nobody, over, waiting)
        code.block(waiting)
        complete = code.let(f"icmp eq i64 {held}, {_live_word(low)}")
        code.branch(complete, whole, partial)
        code.block(partial)
        low.trap(TrapCode.DIVERGENT_BARRIER, low.flow.nodes[number].stop, low.mask_chunks(held))
        code.block(over)


def _resume(low: Lowering, number: int) -> None:
    """Go on behind a barrier: variables from the frame, all live lanes at the next node."""
    code = low.code
    code.block(f"resume{number}")
    for key, types, offset in _kept(low, number):
        for type_, place, cell in _cells(low, key, types, offset):
            value = code.let(f"load {type_}, ptr {cell}, align 8")
            code.line(f"store {type_} {value}, ptr {place}")
    way = low.flow.route(number, low.flow.nodes[number].successors[0])
    low.enter(way, low.mask_chunks(_live_word(low)))


def _cells(low: Lowering, key: object, types: list[str], offset: int) -> list[tuple[str, str, str]]:
    """(type, variable, place in the frame) of each piece of a kept value."""
    step = _step(low, types)
    return [
        (type_, place, low.code.let(f"getelementptr i8, ptr %frame, i64 {offset + step * at}"))
        for at, (type_, place) in enumerate(zip(types, low.variable(key, types), strict=True))
    ]


def _step(low: Lowering, types: list[str]) -> int:
    """Bytes that a piece takes: whole cache lines, one for up to 16 lanes of 32 bits."""
    bits = low.n * (64 if types[0] == register_type(RegClass.D, low.n) else 32)
    return -(-bits // 512) * 64


def _head_bytes(low: Lowering) -> int:
    return HEAD_BYTES + -(-budget.counter_bytes(low) // 64) * 64


def _kept(low: Lowering, number: int) -> list[tuple[object, list[str], int]]:
    """(variable, types, offset in the frame) of what is used behind a barrier.

    Variables have one place in the frame, whatever the barrier; a piece takes 64 bytes at most
    (a chunk of 16 i32), or 128 (16 i64), in steps of 64.
    """
    there = low.flow.nodes[number].successors[0]
    way = low.flow.route(number, there)
    kept: list[tuple[object, list[str]]] = []
    wanted: set[Value] = live_out(low.ssa)[number]
    for value in sorted(wanted, key=low.place_of):
        kept += [((value, part), types) for part, types in low.parts(value)]
    if way != there:
        for phi in low.ssa.phis.get(there, ()):
            kept += [((phi, part, "next"), types) for part, types in low.parts(phi)]
    else:
        arriving: list[Phi] = low.ssa.phis.get(there, [])
        known = {key for key, _ in kept}
        kept += [
            ((phi, part), types)
            for phi in arriving
            for part, types in low.parts(phi)
            if (phi, part) not in known
        ]
    placed = []
    for key, types in kept:
        offset = low.frame_places.get(key)
        if offset is None:
            offset = low.frame_places[key] = _head_bytes(low) + low.frame_used
            low.frame_used += _step(low, types) * len(types)
        placed.append((key, types, offset))
    low.frame_size = _head_bytes(low) + low.frame_used
    return placed
