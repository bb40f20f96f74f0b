"""Decoded instructions, as executors, the verifier and the disassembler read them."""

from __future__ import annotations

from dataclasses import dataclass, field

from .table import Flags, Row
from .types import RegClass, Segment

WORD_BYTES = 8
"""Every instruction is one 8-byte word; a PC here counts words, a byte address is 8 times that."""


@dataclass(frozen=True, slots=True)
class Reg:
    """A register of a work-item."""

    cls: RegClass
    index: int

    def __str__(self) -> str:
        return f"${self.cls.value}{self.index}"


@dataclass(frozen=True, slots=True)
class Imm:
    """An immediate source: its bit pattern at the width of the operand's type (unsigned)."""

    bits: int


Source = Reg | Imm


@dataclass(frozen=True, slots=True)
class Address:
    """A memory operand: `base` register (or none) plus a signed byte offset.

    Global memory takes a `$d` base that holds a simulated 64-bit address. The other segments take
    an optional `$s` base; their addresses are 32-bit offsets into the segment of the workgroup
    (group), work-item (private), launch (kernarg) or program (readonly).

    `array` is the name of the array that the source adds to the address. It is known where the
    program was assembled here; it is not encoded and takes no part in equality.
    """

    segment: Segment
    base: Reg | None
    offset: int
    array: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction. Unused fields have their empty value.

    `target` and `join` are PCs in words, relative to the start of the kernel; `join` is None where
    the branch re-converges only at the virtual exit. `literals` are the operands that can only be
    constants (a dimension, a bit offset and width, a trap code), in source order.
    """

    row: Row
    dst: Reg | None = None
    srcs: tuple[Source, ...] = ()
    address: Address | None = None
    literals: tuple[int, ...] = ()
    target: int | None = None
    join: int | None = None
    subdivide: bool = False
    loop: bool = False

    @property
    def name(self) -> str:
        return self.row.name

    def reads(self) -> tuple[Reg, ...]:
        """Return the registers that the instruction reads, with its address register."""
        regs = [s for s in self.srcs if isinstance(s, Reg)]
        if self.address is not None and self.address.base is not None:
            regs.append(self.address.base)
        if self.dst is not None and Flags.READS_DST in self.row.flags:
            regs.append(self.dst)
        return tuple(regs)

    def writes(self) -> tuple[Reg, ...]:
        """Return the registers that the instruction writes."""
        return () if self.dst is None else (self.dst,)
