"""Exchanges of random kernels through tiles in group memory: rows, columns, trees, borders."""

from __future__ import annotations

from simtlab.isa.types import RegClass
from simtlab.testing.choices import Choices
from simtlab.testing.computing import FLAT, register
from simtlab.testing.writer import TEST

from .tile_accesses import (
    BIG,
    FLAT_ID,
    INDEX,
    PART,
    STEP,
    TX,
    TY,
    Tiles,
    address,
    group_read,
    pitch_of,
    read,
    register_of,
    retake,
)


def exchange(c: Choices, w: Tiles) -> None:
    """Emit an exchange through the tile: own element, barrier, others' elements, barrier."""
    type_, size = c.one_of((("u32", 4), ("f32", 4), ("u8", 1), ("u64", 8), ("s16", 2)))
    w.square = max(w.square, w.row * w.rows * size)
    fetch = register_of(c, size)
    w.emit("barrier")  # others may still read the tile
    w.emit(f"mad_u32 $s{INDEX}, $s{TY}, {w.row}, $s{TX}")
    w.emit(f"mul_u32 $s{INDEX}, $s{INDEX}, {size}")
    w.emit(f"st_group_{type_} {register_of(c, size)}, [square+$s{INDEX}]")
    w.emit("barrier")
    head, counter = w.label(), f"$s{20 + len(w.counters) % 10}"
    x = w.geometry.group_size[0]
    trips = min(x, w.rows)
    # In a partial workgroup, others' elements are zero or an earlier exchange's.
    if c.boolean():
        w.emit(f"mov_u32 {counter}, 0")
        w.place(head)
        w.emit(f"mad_u32 $s{INDEX}, $s{TY}, {w.row}, {counter}")
        w.emit(f"mul_u32 $s{INDEX}, $s{INDEX}, {size}")
        w.emit(f"ld_group_{type_} {fetch}, [square+$s{INDEX}]")
        w.emit(f"mad_u32 $s{INDEX}, {counter}, {w.row}, $s{TX}")
        w.emit(f"mul_u32 $s{INDEX}, $s{INDEX}, {size}")
        w.emit(f"ld_group_{type_} {register_of(c, size)}, [square+$s{INDEX}]")
        w.emit("mad_u32 $s0, $s0, 7, $s1")
        if c.boolean():
            w.counters.append(counter)
            c.one_of((group_read, retake, *FLAT))(c, w)
            w.counters.pop()
        w.emit(f"add_u32 {counter}, {counter}, 1")
        w.emit(f"cmp_lt_{c.one_of('us')}32 $c{TEST}, {counter}, {trips}")
        w.emit(f"cbr $c{TEST}, {head}")
    else:
        w.emit(f"min_u32 $s{PART}, $s{TX}, {w.rows - 1}")
        w.emit(f"min_u32 $s{INDEX}, $s{TY}, {x - 1}")
        w.emit(f"mad_u32 $s{INDEX}, $s{PART}, {w.row}, $s{INDEX}")
        w.emit(f"mul_u32 $s{INDEX}, $s{INDEX}, {size}")
        w.emit(f"ld_group_{type_} {fetch}, [square+$s{INDEX}]")
    w.emit("barrier")


def tree(c: Choices, w: Tiles) -> None:
    """Emit a sum in a tree."""
    items = w.row * w.rows if not w.pad else 0
    head, idle, half = w.label(), w.label(), f"$s{STEP + 1}"
    if items & (items - 1) or items < 2 or w.partial:
        exchange(c, w)
        return
    w.square = max(w.square, items * 4)
    w.emit("barrier")
    w.emit(f"shl_u32 $s{INDEX}, $s{FLAT_ID}, 2")
    w.emit(f"st_group_u32 $s0, [square+$s{INDEX}]")
    w.emit(f"mov_u32 {half}, {items // 2}")
    w.place(head)
    w.emit("barrier")
    w.emit(f"cmp_ge_u32 $c{TEST}, $s{FLAT_ID}, {half}")
    w.emit(f"cbr $c{TEST}, {idle}")
    w.emit(f"add_u32 $s{PART}, $s{FLAT_ID}, {half}")
    w.emit(f"shl_u32 $s{PART}, $s{PART}, 2")
    w.emit(f"ld_group_u32 $s1, [square+$s{PART}]")
    w.emit("mad_u32 $s0, $s0, 3, $s1")
    w.emit(f"st_group_u32 $s0, [square+$s{INDEX}]")
    w.place(idle)
    w.emit(f"shr_u32 {half}, {half}, 1")
    w.emit(f"cmp_ne_u32 $c{TEST}, {half}, 0")
    w.emit(f"cbr $c{TEST}, {head}")
    w.emit("barrier")


def row_places(c: Choices, w: Tiles) -> None:
    """Emit stores by one work-item of each row to the row's place, and loads by the others."""
    type_, size = c.one_of((("u32", 4), ("f32", 4), ("u8", 1), ("u64", 8), ("s16", 2)))
    w.square = max(w.square, w.rows * size)
    end, x = w.label(), w.geometry.group_size[0]
    w.emit("barrier")
    w.emit(f"mul_u32 $s{INDEX}, $s{TY}, {size}")
    w.emit(f"cmp_ne_u32 $c{TEST}, $s{TX}, {c.one_of((0, 0, x - 1, x // 2))}")
    w.emit(f"cbr $c{TEST}, {end}")
    w.emit(f"st_group_{type_} {register_of(c, size)}, [square+$s{INDEX}]")
    w.place(end)
    w.emit("barrier")
    w.emit(f"ld_group_{type_} {register_of(c, size)}, [square+$s{INDEX}]")
    w.emit("barrier")


def halo(c: Choices, w: Tiles) -> None:
    """Emit an exchange with neighbours: a tile with a border, stored by conditions, then loaded."""
    x, pitch = w.geometry.group_size[0], w.row + 2
    w.square = max(w.square, pitch * (w.rows + 2) * 4)
    own = 4 * (pitch + 1)
    w.emit("barrier")
    w.emit(f"mad_u32 $s{INDEX}, $s{TY}, {pitch}, $s{TX}")
    w.emit(f"shl_u32 $s{INDEX}, $s{INDEX}, 2")
    w.emit(f"st_group_u32 {register(c, RegClass.S)}, [square+$s{INDEX}+{own}]")
    edges = ((TX, 0, -4), (TX, x - 1, 4), (TY, 0, -4 * pitch), (TY, w.rows - 1, 4 * pitch))
    for source, bound, apart in edges[: c.integer(0, 4)]:
        end = w.label()
        w.emit(f"cmp_ne_u32 $c{TEST}, $s{source}, {bound}")
        w.emit(f"cbr $c{TEST}, {end}")
        if c.integer(0, 3) == 0:
            read(c, w)
            w.emit(f"mad_u32 $s{INDEX}, $s{TY}, {pitch}, $s{TX}")
            w.emit(f"shl_u32 $s{INDEX}, $s{INDEX}, 2")
        w.emit(f"st_group_u32 {register(c, RegClass.S)}, [square+$s{INDEX}+{own + apart}]")
        w.place(end)
    w.emit("barrier")
    neighbours(c, w, pitch)


def neighbours(c: Choices, w: Tiles, pitch: int) -> None:
    """Emit loads around a work-item's place in a tile with a border, and a barrier."""
    near = (0, 4, 8, 4 * pitch, 4 * pitch + 4, 4 * pitch + 8, 8 * pitch + 4)
    w.emit(f"mad_u32 $s{INDEX}, $s{TY}, {pitch}, $s{TX}")
    w.emit(f"shl_u32 $s{INDEX}, $s{INDEX}, 2")
    for _ in range(c.integer(1, 4)):
        w.emit(f"ld_group_u32 $s1, [square+$s{INDEX}+{c.one_of(near)}]")
        w.emit(f"mad_u32 {register(c, RegClass.S)}, $s0, 5, $s1")
    w.emit("barrier")


def flat_tile(c: Choices, w: Tiles) -> None:
    """Emit a copy of a tile with a border, number by number, and an exchange with neighbours."""
    pitch, items = w.row + 2, w.geometry.group_size[0] * w.rows
    total = pitch * (w.rows + 2)
    w.square = max(w.square, total * 4)
    head, end, counter, part = w.label(), w.label(), f"$s{STEP + 1}", f"$s{STEP + 2}"
    w.emit("barrier")
    w.emit(f"mov_u32 {counter}, $s{FLAT_ID}")
    if items > total:
        w.emit(f"cmp_ge_u32 $c{TEST}, {counter}, {total}")
        w.emit(f"cbr $c{TEST}, {end}")
    w.place(head)
    w.emit(f"div_u32 $s{PART}, {counter}, {pitch}")
    w.emit(f"rem_u32 {part}, {counter}, {pitch}")
    if c.integer(0, 2) == 0:
        apart = pitch_of(c, w)
        w.emit(f"div_u32 $s{INDEX}, $s{PART}, 4")
        w.emit(f"rem_u32 $s{PART}, $s{PART}, 4")
        w.emit(f"mad_u32 $s{INDEX}, $s{INDEX}, {apart}, $s{PART}")
        w.emit(f"mad_u32 $s{INDEX}, $s{INDEX}, {apart}, {part}")
    else:
        w.emit(f"workgroupid_u32 $s{INDEX}, {c.one_of((0, 1))}")
        w.emit(f"mad_u32 $s{INDEX}, $s{INDEX}, {c.one_of((0, 1, 16))}, $s{PART}")
        w.emit(f"mad_u32 $s{INDEX}, $s{INDEX}, {c.one_of((pitch, 64, 7))}, {part}")
    place = address(c, w, 4, f"$d{BIG}")
    w.emit(f"ld_global_u32 $s1, {place}")
    w.emit(f"shl_u32 $s{PART}, {counter}, 2")
    w.emit(f"st_group_u32 $s1, [square+$s{PART}]")
    w.emit(f"add_u32 {counter}, {counter}, {items}")
    w.emit(f"cmp_lt_u32 $c{TEST}, {counter}, {total}")
    w.emit(f"cbr $c{TEST}, {head}")
    w.place(end)
    w.emit("barrier")
    neighbours(c, w, pitch)
