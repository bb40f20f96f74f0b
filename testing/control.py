"""Statements of random kernels that branch: ifs, loops, gotos, returns, barriers.

Loops are counted; every other backward branch costs one unit of a fuel register. So every work-item
ends.
"""

from __future__ import annotations

from ..isa.types import RegClass
from .choices import Choices
from .computing import FLAT, compute, condition, load, mark, register, uniform_condition
from .writer import (
    ADDRESS,
    COUNTERS,
    FUEL_LEFT,
    ID,
    INPUT,
    INPUT_WORDS,
    LOCAL,
    SCRATCH,
    TEST,
    UNIFORM_COUNTERS,
    Loop,
    Writer,
)


def body(c: Choices, w: Writer, *, flat: bool = False) -> None:
    """Emit statements that do not branch, and perhaps one that does unless `flat`."""
    for _ in range(c.one_of((0, 1, 1, 2))):
        c.one_of(FLAT)(c, w)
    if flat or w.depth >= w.deepest or c.integer(0, 15) == 0:
        return
    w.depth += 1
    c.one_of((*w.branching, jump, jump) if w.loops else w.branching)(c, w)
    w.depth -= 1
    if c.integer(0, 2) == 2:
        c.one_of(FLAT)(c, w)


def if_(c: Choices, w: Writer) -> None:
    """Emit an if, perhaps with an else."""
    test = condition(c, w)
    end, other = w.label(), w.label()
    has_else = c.boolean()
    w.emit(f"cbr {test}, {other if has_else else end}")
    mark(c, w)
    body(c, w)
    if has_else:
        w.emit(f"br {end}")
        w.place(other)
        body(c, w)
    w.place(end)


def loop(c: Choices, w: Writer) -> None:
    """Emit a counted loop; the count may differ between lanes, and there may be early exits."""
    _loop(c, w, jumps=False)


def wild_loop(c: Choices, w: Writer) -> None:
    """Emit a loop that branches may also leave for outer loops, or enter in the middle."""
    _loop(c, w, jumps=True)


def _loop(c: Choices, w: Writer, *, jumps: bool) -> None:
    head, middle, next_, end = w.label(), w.label(), w.label(), w.label()
    counter = f"$s{COUNTERS + len(w.counters) % (UNIFORM_COUNTERS - COUNTERS)}"
    most = 1 if w.counters else 3
    differs = c.integer(0, 3) < 3
    if differs:
        w.emit(f"and_u32 {counter}, {c.one_of((f'$s{LOCAL}', '$s1', f'$s{ID}'))}, {most}")
    else:
        w.emit(f"mov_u32 {counter}, {c.integer(0, most)}")
    enters = jumps and c.integer(0, 2) == 2
    if enters:
        w.emit(f"cbr {condition(c, w)}, {middle}")
    w.place(head)
    w.counters.append(counter)
    if jumps:
        w.loops.append(Loop(next_, end))
    body(c, w)
    if enters:
        w.place(middle)
    # A loop that all lanes go through equally often has another exit.
    for _ in range(c.integer(0 if differs else 1, 2)):
        w.emit(f"cbr {condition(c, w)}, {end}")
        body(c, w, flat=True)
    if jumps:
        w.loops.pop()
    w.counters.pop()
    w.place(next_)
    w.emit(f"cmp_ne_u32 $c{TEST}, {counter}, 0")
    w.emit(f"sub_u32 {counter}, {counter}, 1")
    w.emit(f"cbr $c{TEST}, {head}")
    w.place(end)
    if c.integer(0, 2) == 2:
        # Values that were uniform in the loop differ after it, if lanes left at different times.
        w.emit(f"add_u32 $s0, $s0, {counter}")


def chase(c: Choices, w: Writer) -> None:
    """Emit, after a branch, a walk along links of the input that lanes leave one by one."""
    head, end = w.label(), w.label()
    counter = f"$s{COUNTERS + len(w.counters) % (UNIFORM_COUNTERS - COUNTERS)}"
    w.emit(f"cbr {condition(c, w)}, {end}")
    w.emit(f"mov_u32 {counter}, {c.integer(1, 6)}")
    w.place(head)
    w.emit(f"and_u32 $s{SCRATCH}, $s1, {INPUT_WORDS - 1}")
    w.emit(f"cvt_u64_u32 $d{ADDRESS}, $s{SCRATCH}")
    w.emit(f"mad_u64 $d{ADDRESS}, $d{ADDRESS}, 4, $d{INPUT}")
    w.emit(f"ld_global_u32 $s1, [$d{ADDRESS}]")
    for _ in range(c.integer(0, 2)):
        c.one_of((mark, compute))(c, w)
    w.emit(f"cmp_lt_u32 $c{TEST}, $s1, {c.one_of((0x40000000, 0x80000000)):#x}")
    w.emit(f"cbr $c{TEST}, {end}")
    w.emit(f"sub_u32 {counter}, {counter}, 1")
    w.emit(f"cmp_ne_u32 $c{TEST}, {counter}, 0")
    w.emit(f"cbr $c{TEST}, {head}")
    w.place(end)


def jump(c: Choices, w: Writer) -> None:
    """Emit a break or continue of any enclosing loop."""
    loop = w.loops[-1 - c.integer(0, len(w.loops) - 1)]
    w.emit(f"cbr {condition(c, w)}, {c.one_of((loop.end, loop.next))}")


def return_(c: Choices, w: Writer) -> None:
    """Emit a return of some work-items."""
    stay = w.label()
    w.emit(f"cbr {condition(c, w)}, {stay}")
    w.emit("ret")
    w.place(stay)


def far(c: Choices, w: Writer) -> None:
    """Emit an if whose body is after the end of the kernel, from where it jumps back."""
    away, back = w.label(), w.label()
    w.emit(f"cbr {condition(c, w)}, {away}")
    w.place(back)
    near, w.lines = w.lines, []
    w.place(away)
    mark(c, w)
    body(c, w)
    w.emit(f"br {back}")
    w.far += w.lines
    w.lines = near


def _spend(w: Writer, out: str) -> None:
    """Take a unit of fuel; a work-item without any leaves."""
    w.emit(f"cmp_eq_u32 $c{TEST}, $s{FUEL_LEFT}, 0")
    w.emit(f"cbr $c{TEST}, {out}")
    w.emit(f"sub_u32 $s{FUEL_LEFT}, $s{FUEL_LEFT}, 1")


def goto_blocks(c: Choices, w: Writer) -> None:
    """Emit blocks that branch to any other, forwards and backwards, conditionally or not."""
    blocks(c, w, backward=True)


def blocks(c: Choices, w: Writer, *, backward: bool) -> None:
    """Emit blocks that branch to others, only forwards unless `backward`."""
    n = c.integer(2, 6)
    places = [w.label() for _ in range(n + 1)]
    end = places[-1]
    for here in range(n):
        w.place(places[here])
        body(c, w, flat=True)
        if c.integer(0, 2) == 0:
            continue
        target = c.integer(0 if backward else here + 1, n)
        if target <= here:
            _spend(w, end)
        if c.integer(0, 5):
            w.emit(f"cbr {condition(c, w)}, {places[target]}")
        else:
            w.emit(f"br {places[target]}")
    w.place(end)


# --- barriers


def exchange(c: Choices, w: Writer) -> None:
    """Emit an exchange: a write of the own element, a barrier, a read of a neighbour's."""
    size = c.one_of((4, 8, 1, 2))
    cls = RegClass.D if size == 8 else RegClass.S
    w.emit(f"mul_u32 $s{SCRATCH}, $s{LOCAL}, {size}")
    w.emit(f"st_group_u{size * 8} {register(c, cls)}, [swap+$s{SCRATCH}]")
    w.emit("barrier")
    w.emit(f"xor_u32 $s{SCRATCH}, $s{LOCAL}, {c.one_of((1, 2, 5))}")
    w.emit(f"and_u32 $s{SCRATCH}, $s{SCRATCH}, {w.tile.n - 1}")
    w.emit(f"mul_u32 $s{SCRATCH}, $s{SCRATCH}, {size}")
    w.emit(f"ld_group_u{size * 8} {register(c, cls)}, [swap+$s{SCRATCH}]")
    w.emit("barrier")


def uniform_loop(c: Choices, w: Writer, *, branches: bool) -> None:
    """Emit a loop that all work-items run equally often, so that it may have barriers."""
    head = w.label()
    counter = f"$s{UNIFORM_COUNTERS + len(w.uniform)}"
    w.emit(f"mov_u32 {counter}, {c.integer(1, 2 if w.uniform else 3)}")
    w.place(head)
    # No work-item may leave this loop before the others.
    outer, w.loops = w.loops, []
    w.uniform.append(counter)
    w.counters.append(counter)
    _synchronising(c, w, branches=branches)
    w.counters.pop()
    w.uniform.pop()
    w.loops = outer
    w.emit(f"sub_u32 {counter}, {counter}, 1")
    w.emit(f"cmp_ne_u32 $c{TEST}, {counter}, 0")
    w.emit(f"cbr $c{TEST}, {head}")


def meeting_loop(c: Choices, w: Writer) -> None:
    """Emit a loop of accesses in some of whose trips all work-items meet at a barrier.

    Lanes may run ahead into other trips, merge there, and part again at the branch (DWS-16).
    """
    head, next_trip = w.label(), w.label()
    counter = f"$s{UNIFORM_COUNTERS + len(w.uniform)}"
    w.emit(f"mov_u32 {counter}, {c.integer(4, 13)}")
    w.place(head)
    outer, w.loops = w.loops, []
    w.uniform.append(counter)
    w.depth += 1
    for _ in range(c.integer(1, 2)):
        load(c, w)
    c.one_of(w.branching)(c, w)
    w.depth -= 1
    w.uniform.pop()
    w.loops = outer
    w.emit(f"and_u32 $s{SCRATCH}, {counter}, {c.one_of((1, 3, 3))}")
    w.emit(f"cmp_ne_u32 $c{TEST}, $s{SCRATCH}, {c.integer(0, 1)}")
    w.emit(f"cbr $c{TEST}, {next_trip}")
    if c.boolean():
        exchange(c, w)
    else:
        w.emit("barrier")
    w.place(next_trip)
    w.emit(f"sub_u32 {counter}, {counter}, 1")
    w.emit(f"cmp_ne_u32 $c{TEST}, {counter}, 0")
    w.emit(f"cbr $c{TEST}, {head}")


def uniform_if(c: Choices, w: Writer) -> None:
    """Emit an if on which all work-items of a workgroup agree, with barriers in it."""
    end, other = w.label(), w.label()
    w.emit(f"cbr {uniform_condition(c, w)}, {other}")
    _synchronising(c, w, branches=True)
    w.emit(f"br {end}")
    w.place(other)
    if c.boolean():
        _synchronising(c, w, branches=True)
    w.place(end)


def _synchronising(c: Choices, w: Writer, *, branches: bool) -> None:
    w.depth += 1
    for _ in range(c.integer(0, 1)):
        c.one_of(FLAT)(c, w)
    c.one_of(w.branching)(c, w)
    if w.depth < w.deepest - 1 and c.boolean():
        if branches and c.boolean():
            uniform_if(c, w)
        else:
            uniform_loop(c, w, branches=branches)
    else:
        exchange(c, w)
    w.depth -= 1


def group_atomics(w: Writer) -> None:
    """Emit a barrier, after which work-item 0 adds the results of atomics to its own row."""
    end = w.label()
    w.emit("barrier")
    w.emit(f"cmp_ne_u32 $c{TEST}, $s{LOCAL}, 0")
    w.emit(f"cbr $c{TEST}, {end}")
    for place in sorted(w.counts):
        w.emit(f"ld_group_u64 $d{ADDRESS}, [counts+{place}]")
        w.emit(f"add_u64 $d0, $d0, $d{ADDRESS}")
    w.place(end)
