"""What instructions compute of constants, and load from readonly tables."""

from __future__ import annotations

from ....isa.instruction import Imm, Instruction, Reg
from ....isa.table import Flags
from ....isa.types import RegClass, Segment
from ...oracle.alu import OPERATIONS

Register = tuple[RegClass, int]
Known = dict[Register, int]
"""Registers that hold a constant, in all lanes."""


def bits_of(source: Reg | Imm, known: Known) -> int | None:
    """Return the constant that a source is."""
    return source.bits if isinstance(source, Imm) else known.get((source.cls, source.index))


def result_of(ins: Instruction, known: Known, tables: bytes) -> int | None:
    """Return the constant that an instruction computes, or loads from `tables`."""
    if ins.row.is_memory:
        return _loaded(ins, known, tables)
    operation = OPERATIONS.get(ins.row.name)
    types = (ins.row.type, ins.row.source)
    if (
        operation is None
        or any(type_ is not None and type_.is_float for type_ in types)
        or Flags.MAY_TRAP in ins.row.flags
        or Flags.READS_DST in ins.row.flags
    ):
        return None
    args = [bits_of(source, known) for source in ins.srcs]
    values = [a for a in args if a is not None]
    return operation(*values, *ins.literals) if len(values) == len(args) else None


def _loaded(ins: Instruction, known: Known, tables: bytes) -> int | None:
    """Return the constant that an instruction loads from tables."""
    row, address = ins.row, ins.address
    if not (row.is_load and row.segment is Segment.READONLY and address is not None):
        return None
    base = 0 if address.base is None else bits_of(address.base, known)
    type_ = row.type
    assert type_ is not None
    offset = -1 if base is None else base + address.offset
    if offset % type_.size or not 0 <= offset <= len(tables) - type_.size:
        return None
    word = int.from_bytes(tables[offset : offset + type_.size], "little", signed=type_.is_signed)
    return word & ((1 << type_.reg.bits) - 1)
