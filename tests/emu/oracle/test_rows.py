"""The oracle implements every row of the instruction table."""

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.geometry import Geometry
from simtlab.emu.memory import Memory
from simtlab.emu.oracle.alu import OPERATIONS
from simtlab.emu.oracle.oracle import run
from simtlab.emu.traps import Trap, TrapKind
from simtlab.isa.encoding import base_class, encode
from simtlab.isa.instruction import Address, Instruction, Reg
from simtlab.isa.program import Kernel, Param, Program, Symbol
from simtlab.isa.table import BY_NAME, TABLE, Format, OperandKind, Row
from simtlab.isa.types import U32, U64, RegClass, Segment

LITERALS = {OperandKind.DIM: 1, OperandKind.POS: 3, OperandKind.LEN: 4, OperandKind.CODE: 7}


def sample(row: Row) -> Instruction:
    """The row over registers that hold zero, at an address that is register 9 of its class."""
    registers = [Reg(o.type.reg, i) for i, o in enumerate(row.srcs) if o.type is not None]
    address = None
    if row.has_address:
        assert row.segment is not None
        base = None if row.segment is Segment.KERNARG else Reg(base_class(row.segment), 9)
        address = Address(row.segment, base, 0)
    return Instruction(
        row,
        Reg(row.dst.type.reg, 0) if row.dst is not None and row.dst.type is not None else None,
        tuple(registers),
        address=address,
        literals=tuple(LITERALS[o.kind] for o in row.literals),
        target=2 if row.format is Format.BRANCH else None,
    )


def only(row: Row) -> Work:
    """A kernel that executes the row once and returns; every segment has eight bytes."""
    load_base = Instruction(
        BY_NAME["ld_kernarg_u64"], Reg(RegClass.D, 9), address=Address(Segment.KERNARG, None, 0)
    )
    code = [load_base, sample(row), Instruction(BY_NAME["ret"])]
    kernel = Kernel(
        "k",
        (Param("p", U32, True, 0),),
        tuple(encode(ins, pc) for pc, ins in enumerate(code)),
        group=(Symbol("g", Segment.GROUP, U64, 1, 0),),
        private=(Symbol("v", Segment.PRIVATE, U64, 1, 0),),
    )
    readonly = (Symbol("r", Segment.READONLY, U64, 1, 0),)
    memory = Memory()
    base = memory.add(np.zeros(8, np.uint8), "p").base
    program = Program((kernel,), readonly, bytes(8))
    return Work(program, kernel, Geometry.of(1, 1), base.to_bytes(8, "little"), memory)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_every_row_runs(row):
    expected = {
        "div": None if row.type is not None and row.type.is_float else TrapKind.DIVIDE_BY_ZERO,
        "rem": TrapKind.DIVIDE_BY_ZERO,
        "trap": TrapKind.TRAP,
    }.get(row.stem)
    if expected is None:
        executed = run(only(row)).executions.tolist()
        assert executed[:2] == [1, 1]
    else:
        with pytest.raises(Trap) as caught:
            run(only(row))
        assert caught.value.record.key == (expected, 1, 0, 0)


@pytest.mark.parametrize(
    "row", [row for row in TABLE if row.name in OPERATIONS], ids=lambda row: row.name
)
def test_every_operation_gives_a_pattern_of_its_register(row):
    # Patterns with all bits set and with only the sign set find results that were not masked.
    for fill in (lambda bits: (1 << bits) - 1, lambda bits: 1 << bits - 1):
        operands = [fill(o.type.reg.bits) for o in row.srcs]
        operands += [LITERALS[o.kind] for o in row.literals]
        if row.name == "movhi_u64":
            operands.append(fill(64))
        result = OPERATIONS[row.name](*operands)
        assert type(result) is int
        assert 0 <= result < 1 << row.dst.type.reg.bits
