"""Accesses of random kernels of tiles, by rows and columns of workgroups and of the grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simtlab.isa.types import RegClass
from simtlab.testing import writer
from simtlab.testing.choices import Choices
from simtlab.testing.computing import FLAT, register
from simtlab.testing.writer import ADDRESS, MEMORY, SCRATCH, TEST, Writer

writer._PARAMETERS["big"] = "global u64*"

TX, TY, AX, AY, FLAT_ID, FLAT_ABS = range(50, 56)
"""Registers: column and row in the tile and in the grid, flat numbers in both."""

INDEX, PART, BIG, DISTANCE, STEP, PITCH = 56, 57, 50, 51, 58, 62

BIG_WORDS = 1 << 16
"""Enough for any index: columns of the widest grid times its row, and more."""

TYPES = (("u32", 4), ("u32", 4), ("f32", 4), ("s32", 4), ("u8", 1), ("s16", 2), ("u64", 8))


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


def index(c: Choices, w: Tiles) -> None:
    """Compute an index below 40,000, mostly one that steps or stays along a row."""
    row, column = c.one_of(((TY, TX), (AY, AX), (TY, AX), (AY, TX), (TX, TY), (AX, AY)))
    pitch = c.one_of((w.row, w.row, 16, 7, 1, 0))
    match c.integer(0, 7):
        case 7:
            pitch = pitch_of(c, w)
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


def pitch_of(c: Choices, w: Tiles) -> str:
    """Emit a pitch that all work-items of a workgroup have; return its register."""
    w.emit(f"workgroupid_u32 $s{PITCH}, {c.one_of((0, 1))}")
    w.emit(f"add_u32 $s{PITCH}, $s{PITCH}, {c.one_of((7, 16, w.row))}")
    return f"$s{PITCH}"


def register_of(c: Choices, size: int) -> str:
    return register(c, RegClass.D if size == 8 else RegClass.S)


def address(c: Choices, w: Tiles, size: int, base: str) -> str:
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
        w.emit(f"ld_global_{type_} {register_of(c, size)}, [$d{ADDRESS}]")
        return
    index(c, w)
    if w.hostile and c.integer(0, 2) == 0:
        far = c.one_of(
            (BIG_WORDS * 8 // size - 9, BIG_WORDS * 8 // size - 300, 0xFFFFFFF0, 0xFFFFFFFF)
        )
        w.emit(f"add_u32 $s{INDEX}, $s{INDEX}, {far}")
    w.emit(f"ld_global_{type_} {register_of(c, size)}, {address(c, w, size, f'$d{BIG}')}")


def write(c: Choices, w: Tiles) -> None:
    """Emit a store to the work-item's own element of `memory`, by row and column."""
    type_, size = c.one_of(TYPES)
    x = w.geometry.items[0]
    if w.geometry.items[2] > 1:
        w.emit(f"mov_u32 $s{INDEX}, $s{FLAT_ABS}")
    else:
        w.emit(f"mad_u32 $s{INDEX}, $s{AY}, {x}, $s{AX}")
    place = address(c, w, size, f"$d{MEMORY}")
    offset = w.memory.offset(size, "tile")
    w.emit(f"st_global_{type_} {register_of(c, size)}, {place[:-1]}+{offset}]")


def group_read(c: Choices, w: Tiles) -> None:
    """Emit a load from the tile, which no work-item writes meanwhile or has written."""
    type_, size = c.one_of(TYPES)
    limit = max(1, w.square // size)
    index(c, w)
    if not w.hostile:
        w.emit(f"rem_u32 $s{INDEX}, $s{INDEX}, {limit}" if c.boolean() else
               f"min_u32 $s{INDEX}, $s{INDEX}, {limit - 1}")  # fmt: skip
    w.emit(f"shl_u32 $s{SCRATCH}, $s{INDEX}, {size.bit_length() - 1}")
    w.emit(f"ld_group_{type_} {register_of(c, size)}, [square+$s{SCRATCH}]")


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
