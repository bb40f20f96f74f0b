"""Statements that a workgroup runs together: flags, tables, one work-item alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .launches import KEPT

if TYPE_CHECKING:
    from .groups import Group

LEFT, TABLE, PLACE, FOUND = (f"$s{number}" for number in (36, 37, 38, 39))
LOCAL = "$s1"


def agree(g: Group) -> None:
    """Emit rounds until no work-item sets the flag, which several may set."""
    head, kept = g.label(), g.label()
    total, other = g.value(), g.value()
    one, zero = g.rng.choice(((1, 0), (7, 0), (0, 3)))
    g.emit(f"and_u32 {LEFT}, {total}, {g.rng.choice((1, 3, 7))}", kept=True)
    g.lines.append(f"{head}: {KEPT}")
    g.emit(f"mov_u32 {FOUND}, {zero}", kept=True)
    g.emit(f"st_group_u32 {FOUND}, [flag]", kept=True)
    g.barrier()
    g.emit(f"cmp_eq_u32 $c1, {LEFT}, 0", kept=True)
    g.emit(f"cbr $c1, {kept}", kept=True)
    g.emit(f"sub_u32 {LEFT}, {LEFT}, 1", kept=True)
    g.emit(f"mad_u32 {other}, {other}, 3, {total}")
    g.emit(f"mov_u32 {FOUND}, {one}", kept=True)
    g.emit(f"st_group_u32 {FOUND}, [flag]", kept=True)
    g.lines.append(f"{kept}: {KEPT}")
    g.barrier()
    g.emit(f"ld_group_u32 {FOUND}, [flag]", kept=True)
    g.barrier()
    g.emit(f"cmp_eq_u32 $c1, {FOUND}, {one}", kept=True)
    g.emit(f"cbr $c1, {head}", kept=True)


def fill(g: Group) -> None:
    """Emit a table that the workgroup fills in turns, and a search in it that memory decides."""
    head, look = g.label(), g.label()
    size = g.rng.choice((1, 2, 4, 4))
    step = 1 << (g.size - 1).bit_length() if g.chance(0.7) else g.size
    count = max(1, g.size * g.rng.randint(1, 3) - g.rng.randrange(3))
    total, kind = g.value(), f"u{8 * size}"
    g.emit(f"mov_u32 {TABLE}, {LOCAL}", kept=True)
    g.lines.append(f"{head}: {KEPT}")
    g.emit(f"mul_u32 {PLACE}, {TABLE}, {size}", kept=True)
    g.emit(f"mad_u32 {total}, {total}, 5, {TABLE}")
    g.emit(f"st_group_{kind} {total}, [data+{PLACE}]", kept=True)
    g.emit(f"add_u32 {TABLE}, {TABLE}, {step}", kept=True)
    g.emit(f"cmp_lt_u32 $c1, {TABLE}, {count}", kept=True)
    g.emit(f"cbr $c1, {head}", kept=True)
    g.barrier()
    g.emit(f"and_u32 {LEFT}, {g.value()}, 7", kept=True)
    g.emit(f"mov_u32 {TABLE}, {g.any()}", kept=True)
    g.lines.append(f"{look}: {KEPT}")
    g.emit(f"rem_u32 {TABLE}, {TABLE}, {count}", kept=True)
    g.emit(f"mul_u32 {PLACE}, {TABLE}, {size}", kept=True)
    g.emit(f"ld_group_{kind} {FOUND}, [data+{PLACE}]", kept=True)
    g.emit(f"add_u32 {TABLE}, {TABLE}, {FOUND}", kept=True)
    g.emit(f"mad_u32 {g.value()}, {g.value()}, 3, {FOUND}")
    g.emit(f"and_u32 {FOUND}, {FOUND}, 3", kept=True)
    g.emit(f"sub_u32 {LEFT}, {LEFT}, {FOUND}", kept=True)
    g.emit(f"sub_u32 {LEFT}, {LEFT}, 1", kept=True)
    g.emit(f"cmp_gt_s32 $c1, {LEFT}, 0", kept=True)
    g.emit(f"cbr $c1, {look}", kept=True)
    g.barrier()


def single(g: Group) -> None:
    """Emit what one work-item does at places of its choice, and a branch on what it has stored."""
    other, end = g.label(), g.label()
    who = g.rng.choice((0, 0, 1, g.size - 1))
    total = g.value()
    g.emit(f"cmp_ne_u32 $c1, {LOCAL}, {who}", kept=True)
    g.emit(f"cbr $c1, {other}", kept=True)
    for _ in range(g.rng.randint(1, 3)):
        g.emit(f"rem_u32 {PLACE}, {g.value()}, {max(1, g.size)}", kept=True)
        g.emit(f"mul_u32 {PLACE}, {PLACE}, 4", kept=True)
        if g.chance(0.5):
            g.emit(f"ld_group_u32 {FOUND}, [data+{PLACE}]", kept=True)
            g.emit(f"mad_u32 {total}, {total}, 7, {FOUND}")
        else:
            g.emit(f"st_group_u32 {g.value()}, [data+{PLACE}]", kept=True)
    g.lines.append(f"{other}: {KEPT}")
    g.barrier()
    g.emit(f"rem_u32 {PLACE}, {g.value()}, {max(1, g.size)}", kept=True)
    g.emit(f"mul_u32 {PLACE}, {PLACE}, 4", kept=True)
    g.emit(f"ld_group_u32 {FOUND}, [data+{PLACE}]", kept=True)
    g.emit(f"cmp_lt_s32 $c1, {FOUND}, {g.value()}", kept=True)
    g.emit(f"cbr $c1, {end}", kept=True)
    g.emit(f"mad_u32 {total}, {total}, 11, {FOUND}")
    g.lines.append(f"{end}: {KEPT}")
    g.barrier()
