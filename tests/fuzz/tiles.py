"""Random kernels of two-dimensional workgroups and group memory, against the oracle.

Rows of a workgroup are often shorter than a warp; indices are rows, columns, and sums of both. Work
is exchanged through tiles in group memory: rows, columns, transposed, in trees. Some kernels leave
their buffers: the trap must be one of the oracle's.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import cast

import numpy as np

from simtlab.emu.geometry import Geometry
from simtlab.isa.types import RegClass
from simtlab.testing import Case, writer
from simtlab.testing.choices import Choices, Seeded
from simtlab.testing.computing import FLAT, register
from simtlab.testing.control import if_, loop, uniform_loop
from simtlab.testing.writer import ADDRESS, MEMORY, SCRATCH, TEST, Statement, Writer

from .example import Generator
from .kernels import LEVELS, Kernel, Run
from .trapping import Trapping

writer._PARAMETERS["big"] = "global u64*"

TX, TY, AX, AY, FLAT_ID, FLAT_ABS = range(50, 56)
"""Registers: column and row in the tile and in the grid, flat numbers in both."""

INDEX, PART, BIG, DISTANCE, STEP, PITCH = 56, 57, 50, 51, 58, 62

BIG_WORDS = 1 << 16
"""Enough for any index: columns of the widest grid times its row, and more."""

SHAPES = (
    (16, 16), (16, 16), (8, 8), (16, 4), (16, 2), (4, 8), (4, 4), (8, 4), (32, 4), (12, 4), (24, 4),
    (16, 2, 4), (8, 2, 4), (4, 4, 4), (64, 2), (16, 1, 3), (20, 2), (3, 8), (48, 2), (1, 16), (64,),
    (128,), (2, 32), (8, 16),
)  # fmt: skip

WIDTHS = (32, 64, 16, 7, 1)


def _geometry(c: Choices) -> Geometry:
    shape = c.one_of(SHAPES)
    items = [c.integer(1, 2) * size for size in shape]
    if c.integer(0, 4) == 0:
        items = [max(1, i - c.integer(0, s // 2)) for i, s in zip(items, shape, strict=True)]
    return Geometry.of(items=items, group_size=shape, width=c.one_of(WIDTHS))


@dataclass
class Tiles(Writer):
    """A kernel under construction; `hostile` ones may access anything."""

    hostile: bool = False
    pad: int = 0
    square: int = 0
    """Bytes of the tile in group memory."""
    partial: bool = False
    """Whether some workgroups are not whole."""

    @property
    def row(self) -> int:
        return self.geometry.group_size[0] + self.pad

    @property
    def rows(self) -> int:
        return self.geometry.group_size[1] * self.geometry.group_size[2]

    def _declarations(self, symbols: set[str]) -> list[str]:
        square = f"    .group u64 square[{max(1, -(-self.square // 8))}]"
        return [*super()._declarations(symbols), *([square] if "square" in symbols else ())]

    def _arrays(self, row_bytes: int) -> dict[str, object]:
        big = np.random.default_rng(self.seed).integers(0, 1 << 63, BIG_WORDS, np.uint64)
        return {**super()._arrays(row_bytes), "big": big}


def _index(c: Choices, w: Tiles) -> None:
    """Compute an index below 40,000, mostly one that steps or stays along a row."""
    row, column = c.one_of(((TY, TX), (AY, AX), (TY, AX), (AY, TX), (TX, TY), (AX, AY)))
    pitch = c.one_of((w.row, w.row, 16, 7, 1, 0))
    match c.integer(0, 7):
        case 7:
            pitch = _pitch(c, w)
            w.emit(f"workitemid_u32 $s{INDEX}, {c.one_of((1, 2))}")
            w.emit(f"mad_u32 $s{INDEX}, $s{INDEX}, {pitch}, $s{TY}")
            w.emit(f"mad_u32 $s{INDEX}, $s{INDEX}, {c.one_of((pitch, 9))}, $s{column}")
        case 0:
            w.emit(f"mul_u32 $s{INDEX}, $s{row}, {pitch}")
        case 1:
            w.emit(f"mov_u32 $s{INDEX}, $s{column}")
        case 2:
            w.emit(f"mul_u32 $s{INDEX}, $s{row}, {pitch}")
            w.emit(f"add_u32 $s{INDEX}, $s{INDEX}, $s{c.one_of((TX, AX))}")
        case 3:
            w.emit(f"mov_u32 $s{INDEX}, $s{c.one_of((FLAT_ID, FLAT_ABS, TY, AY))}")
        case 4:
            w.emit(f"and_u32 $s{INDEX}, {register(c, RegClass.S)}, {c.one_of((7, 15, 63))}")
            w.emit(f"add_u32 $s{INDEX}, $s{INDEX}, $s{c.one_of((TX, TY, AX))}")
        case _:
            w.emit(f"mad_u32 $s{INDEX}, $s{row}, {pitch}, $s{column}")
    match c.integer(0, 5):
        case 0:
            w.emit(f"add_u32 $s{INDEX}, $s{INDEX}, {c.one_of((1, 3, 16, 17))}")
        case 1 if w.counters:
            w.emit(f"and_u32 $s{PART}, {w.counters[-1]}, 15")
            w.emit(f"mad_u32 $s{INDEX}, $s{PART}, {c.one_of((1, w.row, 16))}, $s{INDEX}")
        case 2:
            w.emit(f"min_u32 $s{INDEX}, $s{INDEX}, {c.one_of((5, 40, 300))}")
        case 3 if c.boolean():
            how = c.one_of(("div", "rem", "shr", "or", "xor"))
            w.emit(f"{how}_u32 $s{INDEX}, $s{INDEX}, {c.one_of((1, 2, 3, 8))}")


def _pitch(c: Choices, w: Tiles) -> str:
    """Emit a pitch that all work-items of a workgroup have; return its register."""
    w.emit(f"workgroupid_u32 $s{PITCH}, {c.one_of((0, 1))}")
    w.emit(f"add_u32 $s{PITCH}, $s{PITCH}, {c.one_of((7, 16, w.row))}")
    return f"$s{PITCH}"


TYPES = (("u32", 4), ("u32", 4), ("f32", 4), ("s32", 4), ("u8", 1), ("s16", 2), ("u64", 8))


def _register(c: Choices, size: int) -> str:
    return register(c, RegClass.D if size == 8 else RegClass.S)


def _address(c: Choices, w: Tiles, size: int, base: str) -> str:
    """Return the address of the element with the number in INDEX."""
    sign = c.one_of(("u", "u", "s"))
    w.emit(f"cvt_u64_{sign}32 $d{ADDRESS}, $s{INDEX}")
    if c.boolean():
        w.emit(f"mad_u64 $d{ADDRESS}, $d{ADDRESS}, {size}, {base}")
    else:
        w.emit(f"shl_u64 $d{ADDRESS}, $d{ADDRESS}, {size.bit_length() - 1}")
        w.emit(f"add_u64 $d{ADDRESS}, {base}, $d{ADDRESS}")
    return f"[$d{ADDRESS}]"


def read(c: Choices, w: Tiles) -> None:
    """Emit a load from `big`."""
    type_, size = c.one_of(TYPES)
    if c.integer(0, 5) == 0:
        row, column = c.one_of(((TY, TX), (AY, AX), (AY, TX)))
        w.emit(f"cvt_u64_u32 $d{ADDRESS}, $s{row}")
        w.emit(f"cvt_u64_u32 $d{DISTANCE}, $s{column}")
        w.emit(f"mad_u64 $d{ADDRESS}, $d{ADDRESS}, {w.row}, $d{DISTANCE}")
        w.emit(f"mad_u64 $d{ADDRESS}, $d{ADDRESS}, {size}, $d{BIG}")
        w.emit(f"ld_global_{type_} {_register(c, size)}, [$d{ADDRESS}]")
        return
    _index(c, w)
    if w.hostile and c.integer(0, 2) == 0:
        far = c.one_of(
            (BIG_WORDS * 8 // size - 9, BIG_WORDS * 8 // size - 300, 0xFFFFFFF0, 0xFFFFFFFF)
        )
        w.emit(f"add_u32 $s{INDEX}, $s{INDEX}, {far}")
    w.emit(f"ld_global_{type_} {_register(c, size)}, {_address(c, w, size, f'$d{BIG}')}")


def write(c: Choices, w: Tiles) -> None:
    """Emit a store to the work-item's own element of `memory`, by row and column."""
    type_, size = c.one_of(TYPES)
    x = w.geometry.items[0]
    if w.geometry.items[2] > 1:
        w.emit(f"mov_u32 $s{INDEX}, $s{FLAT_ABS}")
    else:
        w.emit(f"mad_u32 $s{INDEX}, $s{AY}, {x}, $s{AX}")
    place = _address(c, w, size, f"$d{MEMORY}")
    offset = w.memory.offset(size, "tile")
    w.emit(f"st_global_{type_} {_register(c, size)}, {place[:-1]}+{offset}]")


def group_read(c: Choices, w: Tiles) -> None:
    """Emit a load from the tile, which no work-item writes meanwhile or has written."""
    type_, size = c.one_of(TYPES)
    limit = max(1, w.square // size)
    _index(c, w)
    if not w.hostile:
        w.emit(f"rem_u32 $s{INDEX}, $s{INDEX}, {limit}" if c.boolean() else
               f"min_u32 $s{INDEX}, $s{INDEX}, {limit - 1}")  # fmt: skip
    w.emit(f"shl_u32 $s{SCRATCH}, $s{INDEX}, {size.bit_length() - 1}")
    w.emit(f"ld_group_{type_} {_register(c, size)}, [square+$s{SCRATCH}]")


def retake(c: Choices, w: Tiles) -> None:
    """Emit a copy of an identity into a working register, or an op on one."""
    source = c.one_of((TX, TY, AX, AY, FLAT_ID))
    how = c.one_of(("mov_u32 {0}, {1}", "add_u32 {0}, {0}, {1}", "mad_u32 {0}, {1}, 16, {0}",
                    "shl_u32 {0}, {1}, 2", "cvt_f32_u32 {0}, {1}", "add_f32 {0}, {0}, {1}",
                    "shr_u32 {0}, {1}, 1", "and_u32 {0}, {1}, 3"))  # fmt: skip
    w.emit(how.format(register(c, RegClass.S), f"$s{source}"))


def row_branch(c: Choices, w: Tiles) -> None:
    """Emit an if by row or column."""
    end = w.label()
    source, bound = c.one_of((TY, TX, AY, AX, FLAT_ID)), c.one_of((1, 2, 3, 5, 8, 15))
    w.emit(f"cmp_{c.one_of(('lt', 'ge', 'eq'))}_u32 $c{TEST}, $s{source}, {bound}")
    w.emit(f"cbr $c{TEST}, {end}")
    for _ in range(c.integer(1, 2)):
        c.one_of((read, retake, write, *FLAT))(c, w)
    w.place(end)


def counted(c: Choices, w: Tiles) -> None:
    """Emit a loop whose number of iterations is known, or is that of the row."""
    head, end = w.label(), w.label()
    counter = f"$s{20 + len(w.counters) % 10}"
    begin, step, trips = c.one_of((0, 0, 1, 5)), c.one_of((1, 1, 2, 4)), c.integer(1, 6)
    shape = c.integer(0, 4)
    w.emit(f"mov_u32 {counter}, {begin}")
    bound = str(begin + step * trips)
    if shape == 0:
        w.emit(f"and_u32 $s{STEP}, $s{TY}, 3")
        w.emit(f"add_u32 $s{STEP}, $s{STEP}, {begin + 1}")
        bound = f"$s{STEP}"
    w.place(head)
    w.counters.append(counter)
    if shape == 1:  # the test comes first
        w.emit(f"cmp_ge_u32 $c{TEST}, {counter}, {bound}")
        w.emit(f"cbr $c{TEST}, {end}")
    inner = (read, group_read, retake, write, row_branch, *FLAT, *([if_] if shape else []))
    if shape > 2 and c.boolean() and w.depth < 2:
        inner = (*inner, counted, counted)
    w.depth += 1
    for _ in range(c.integer(1, 2)):
        c.one_of(inner)(c, w)
    w.depth -= 1
    w.counters.pop()
    w.emit(f"add_u32 {counter}, {counter}, {step}")
    if shape == 1:
        w.emit(f"br {head}")
    elif shape == 4 and begin == 0 and c.boolean():
        w.emit(f"cmp_ne_u32 $c{TEST}, {counter}, {bound}")
        w.emit(f"cbr $c{TEST}, {head}")
    else:
        test = c.one_of(("cmp_lt_u32", "cmp_lt_s32"))
        w.emit(f"{test} $c{TEST}, {counter}, {bound}")
        w.emit(f"cbr $c{TEST}, {head}")
    w.place(end)


def exchange(c: Choices, w: Tiles) -> None:
    """Emit an exchange through the tile: own element, barrier, others' elements, barrier."""
    type_, size = c.one_of((("u32", 4), ("f32", 4), ("u8", 1), ("u64", 8), ("s16", 2)))
    w.square = max(w.square, w.row * w.rows * size)
    fetch = _register(c, size)
    w.emit("barrier")  # others may still read the tile
    w.emit(f"mad_u32 $s{INDEX}, $s{TY}, {w.row}, $s{TX}")
    w.emit(f"mul_u32 $s{INDEX}, $s{INDEX}, {size}")
    w.emit(f"st_group_{type_} {_register(c, size)}, [square+$s{INDEX}]")
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
        w.emit(f"ld_group_{type_} {_register(c, size)}, [square+$s{INDEX}]")
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


def strides(c: Choices, w: Tiles) -> None:
    """Emit a loop in which a workgroup strides through some elements: lanes leave it in turn."""
    head, counter = w.label(), f"$s{20 + len(w.counters) % 10}"
    step = c.one_of((16, 8, w.geometry.group_size[0], 40))
    w.emit(f"mov_u32 {counter}, $s{c.one_of((TX, TX, TY, FLAT_ID))}")
    w.place(head)
    w.counters.append(counter)
    for _ in range(c.integer(1, 2)):
        inner = (read, group_read, retake, row_branch, *FLAT)
        c.one_of((*inner, strides, strides) if len(w.counters) < 2 else inner)(c, w)
    w.counters.pop()
    w.emit(f"add_u32 {counter}, {counter}, {step}")
    test = c.one_of(("cmp_lt_u32", "cmp_lt_s32", "cmp_le_u32"))
    w.emit(f"{test} $c{TEST}, {counter}, {c.integer(1, 3 * step)}")
    w.emit(f"cbr $c{TEST}, {head}")


def row_places(c: Choices, w: Tiles) -> None:
    """Emit stores by one work-item of each row to the row's place, and loads by the others."""
    type_, size = c.one_of((("u32", 4), ("f32", 4), ("u8", 1), ("u64", 8), ("s16", 2)))
    w.square = max(w.square, w.rows * size)
    end, x = w.label(), w.geometry.group_size[0]
    w.emit("barrier")
    w.emit(f"mul_u32 $s{INDEX}, $s{TY}, {size}")
    w.emit(f"cmp_ne_u32 $c{TEST}, $s{TX}, {c.one_of((0, 0, x - 1, x // 2))}")
    w.emit(f"cbr $c{TEST}, {end}")
    w.emit(f"st_group_{type_} {_register(c, size)}, [square+$s{INDEX}]")
    w.place(end)
    w.emit("barrier")
    w.emit(f"ld_group_{type_} {_register(c, size)}, [square+$s{INDEX}]")
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
        apart = _pitch(c, w)
        w.emit(f"div_u32 $s{INDEX}, $s{PART}, 4")
        w.emit(f"rem_u32 $s{PART}, $s{PART}, 4")
        w.emit(f"mad_u32 $s{INDEX}, $s{INDEX}, {apart}, $s{PART}")
        w.emit(f"mad_u32 $s{INDEX}, $s{INDEX}, {apart}, {part}")
    else:
        w.emit(f"workgroupid_u32 $s{INDEX}, {c.one_of((0, 1))}")
        w.emit(f"mad_u32 $s{INDEX}, $s{INDEX}, {c.one_of((0, 1, 16))}, $s{PART}")
        w.emit(f"mad_u32 $s{INDEX}, $s{INDEX}, {c.one_of((pitch, 64, 7))}, {part}")
    place = _address(c, w, 4, f"$d{BIG}")
    w.emit(f"ld_global_u32 $s1, {place}")
    w.emit(f"shl_u32 $s{PART}, {counter}, 2")
    w.emit(f"st_group_u32 $s1, [square+$s{PART}]")
    w.emit(f"add_u32 {counter}, {counter}, {items}")
    w.emit(f"cmp_lt_u32 $c{TEST}, {counter}, {total}")
    w.emit(f"cbr $c{TEST}, {head}")
    w.place(end)
    w.emit("barrier")
    neighbours(c, w, pitch)


def stencil(c: Choices, w: Tiles) -> None:
    """Emit exchanges with neighbours alone, once or in a loop; loads may come from stores."""
    counter = f"$s{30 + len(w.uniform)}"
    trips, head = c.one_of((1, 1, 2, 3)), w.label()
    exchanges = c.one_of(((halo,), (halo,), (flat_tile,), (halo, flat_tile)))
    w.emit(f"mov_u32 {counter}, 0")
    w.place(head)
    for _ in range(c.integer(1, 3)):
        c.one_of((read, retake, write, *FLAT))(c, w)
        c.one_of(exchanges)(c, w)
        write(c, w)
    w.emit(f"add_u32 {counter}, {counter}, 1")
    w.emit(f"cmp_lt_u32 $c{TEST}, {counter}, {trips}")
    w.emit(f"cbr $c{TEST}, {head}")


def rounds(c: Choices, w: Tiles) -> None:
    """Emit a loop with exchanges."""
    head, counter = w.label(), f"$s{30 + len(w.uniform)}"
    w.emit(f"mov_u32 {counter}, {c.integer(0, 3)}")
    w.place(head)
    w.uniform.append(counter)
    w.counters.append(counter)
    for _ in range(c.integer(0, 2)):
        c.one_of((read, retake, counted, row_branch, *FLAT))(c, w)
    c.one_of((exchange, exchange, tree))(c, w)
    w.counters.pop()
    w.uniform.pop()
    w.emit(f"add_u32 {counter}, {counter}, 1")
    w.emit(f"cmp_lt_u32 $c{TEST}, {counter}, {c.integer(1, 4)}")
    w.emit(f"cbr $c{TEST}, {head}")


def make(rng: random.Random) -> tuple[Case, bool]:
    """Return a kernel with its launch, and whether it may trap."""
    c = Seeded(rng)
    geometry = _geometry(c)
    hostile = c.integer(0, 5) == 0
    w = Tiles(geometry, c.integer(0, 99), hostile=hostile, pad=c.one_of((0, 0, 0, 1, 2)), square=64)
    w.partial = any(i % g for i, g in zip(geometry.items, geometry.group_size, strict=True))
    branching = (if_, loop, read, read, write, counted, row_branch)
    w.branching = cast("tuple[Statement, ...]", branching)  # they write tiles
    w.emit(f"workitemid_u32 $s{TX}, 0")
    w.emit(f"workitemid_u32 $s{TY}, 1")
    if geometry.group_size[2] > 1:
        w.emit(f"workitemid_u32 $s{PART}, 2")
        w.emit(f"mad_u32 $s{TY}, $s{PART}, {geometry.group_size[1]}, $s{TY}")
    w.emit(f"workitemabsid_u32 $s{AX}, 0")
    w.emit(f"workitemabsid_u32 $s{AY}, 1")
    w.emit(f"workitemflatid_u32 $s{FLAT_ID}")
    w.emit(f"workitemflatabsid_u32 $s{FLAT_ABS}")
    w.emit(f"ld_kernarg_u64 $d{BIG}, [%big]")
    w.emit(f"ld_kernarg_u64 $d{MEMORY}, [%memory]")
    plain = (read, read, write, retake, counted, row_branch, if_, loop, *FLAT)
    if not hostile and not w.partial and c.integer(0, 3) == 0:
        stencil(c, w)
        return w.case(), hostile
    for _ in range(c.integer(1, 4)):
        c.one_of(plain)(c, w)
        if not hostile and c.boolean():
            c.one_of((exchange, tree, rounds, lambda c, w: uniform_loop(c, w, branches=False)))(
                c, w
            )
    if c.integer(0, 2) == 0:
        strides(c, w)
    if not hostile and c.integer(0, 2) == 0:
        row_places(c, w)
    return w.case(), hostile


def draw(rng: random.Random) -> Kernel:
    """A kernel with a run of native code as it is, and one forced to another width."""
    case, hostile = make(rng)
    width, level, many = case.geometry.width, rng.choice(LEVELS), rng.random() < 0.5
    runs = [Run("jit", width=width, level=level, poisoned=rng.random() < 0.5, many=many)]
    if rng.random() < 0.6:
        other = rng.choice((1, 7, 16, 32, 64))
        runs.append(Run("jit", width=other, forced=True, level=rng.choice(LEVELS),
                        poisoned=rng.random() < 0.5))  # fmt: skip
    return (Trapping if hostile else Kernel)(case, runs, str(case))


GENERATOR = Generator("tiles", lambda scratch, rng: draw, 120.0, 4.0)
