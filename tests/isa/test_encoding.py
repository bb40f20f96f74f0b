from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simtlab.isa import (
    BY_NAME,
    TABLE,
    Address,
    Format,
    Imm,
    Instruction,
    OperandKind,
    Reg,
    RegClass,
    Row,
    Segment,
)
from simtlab.isa.encoding import (
    BRANCH_REACH,
    NO_JOIN,
    DecodingError,
    EncodingError,
    decode,
    encode,
    immediate_field,
    immediate_value,
)
from simtlab.isa.types import BITS64, F64, U64

from .support.forms import forms, instructions


def s(index: int) -> Reg:
    return Reg(RegClass.S, index)


def d(index: int) -> Reg:
    return Reg(RegClass.D, index)


def c(index: int) -> Reg:
    return Reg(RegClass.C, index)


every_row = pytest.mark.parametrize("row", TABLE, ids=[row.name for row in TABLE])


@every_row
def test_every_form_of_a_row_decodes_to_itself(row: Row):
    for ins in forms(row):
        word = encode(ins, 1)
        assert 0 <= word <= BITS64
        assert decode(word, 1) == ins


@settings(max_examples=1000, deadline=None)
@given(st.sampled_from(TABLE).flatmap(lambda row: instructions(row, 100)), st.integers(0, 99))
def test_any_instruction_decodes_to_itself(ins, pc):
    assert decode(encode(ins, pc), pc) == ins


@settings(max_examples=1000, deadline=None)
@given(st.sampled_from(TABLE), st.integers(0, (1 << 54) - 1), st.integers(0, (1 << 54) - 1))
def test_a_word_that_decodes_encodes_to_itself(row, rest, mask):
    word = row.number | (rest & mask) << 10
    try:
        ins = decode(word, 7)
    except DecodingError:
        return
    assert encode(ins, 7) == word


def bits_in_use(row: Row) -> int:
    """The bits in which two words of this row can differ, from its operands alone."""
    used = 0

    def field(position: int, bits: int) -> None:
        nonlocal used
        used |= ((1 << bits) - 1) << position

    n, kinds = len(row.srcs), [o.kind for o in row.literals]
    if row.format is Format.ALU:
        field(10, 6 if row.dst else 0)
        field(16, 6 if n >= 1 else 0)
        field(22, 6 if n >= 2 else 0)
        positions = [i for i, o in enumerate(row.srcs, 1) if o.kind is OperandKind.SRC]
        if positions:
            for position in positions:
                used |= position << 28
            widest = max(
                min(32, o.type.bits) for o in row.srcs if o.kind is OperandKind.SRC and o.type
            )
            field(30, widest)
        field(30, 6 if n == 3 else 0)
        if kinds == [OperandKind.DIM]:
            field(30, 2)
        elif kinds == [OperandKind.CODE]:
            field(30, 16)
        elif kinds:
            assert row.type is not None
            field(30, row.type.bits.bit_length() - 1)
            field(38, row.type.bits.bit_length())
    elif row.format is Format.MEMORY:
        registers = n - row.is_store
        field(10, 6)
        field(16, 6 if row.segment is not Segment.KERNARG else 0)
        field(22, 6 if registers >= 1 else 0)
        field(28, 6 if registers >= 2 else 0)
        field(34, 24)
        field(58, 0 if row.segment in (Segment.GLOBAL, Segment.KERNARG) else 1)
        field(59, 1 if row.is_atomic else 0)
    else:
        field(10, 6 if row.is_conditional else 0)
        field(16 if row.is_conditional else 17, 2 if row.is_conditional else 1)
        field(20, 22)
        field(42, 22 if row.is_conditional else 0)
    return used


@every_row
def test_the_bits_in_which_the_forms_of_a_row_differ_are_those_of_its_operands(row: Row):
    words = [encode(ins, 1) for ins in forms(row)]
    different = 0
    for word in words:
        different |= word ^ words[0]
    assert f"{different:064b}" == f"{bits_in_use(row):064b}"


@every_row
def test_every_bit_that_a_row_does_not_use_has_one_value(row: Row):
    unused = [bit for bit in range(10, 64) if not bits_in_use(row) >> bit & 1]
    for ins in forms(row):
        word = encode(ins, 1)
        for bit in unused:
            with pytest.raises(DecodingError):
                decode(word ^ 1 << bit, 1)


@pytest.mark.parametrize("number", [len(TABLE), 1023])
def test_an_opcode_outside_the_table_is_refused(number):
    with pytest.raises(DecodingError, match=f"^.*word 3: opcode {number} is not in the instr"):
        decode(number, 3)


@pytest.mark.parametrize(
    ("ins", "message"),
    [
        (
            Instruction(BY_NAME["add_u32"], s(0), (Imm(1), Imm(2))),
            "only one source of an instruction may be an immediate",
        ),
        (
            Instruction(BY_NAME["add_f64"], d(0), (d(0), Imm(1))),
            "an f64 immediate must have a zero lower half",
        ),
        (
            Instruction(BY_NAME["add_u64"], d(0), (d(0), Imm(0x80000000))),
            "a 64-bit immediate must be a sign-extended 32-bit value",
        ),
        (
            Instruction(
                BY_NAME["ld_global_u32"], s(0), address=Address(Segment.GLOBAL, d(0), 1 << 23)
            ),
            "the address offset 8388608 does not fit in 24 bits, signed",
        ),
        (
            Instruction(BY_NAME["br"], target=BRANCH_REACH + 3),
            "the target lies 2097152 words away; at most 2097151 are possible",
        ),
        (
            Instruction(BY_NAME["cbr"], srcs=(c(0),), target=0, join=-BRANCH_REACH),
            "the re-convergence point lies -2097153 words away; at most 2097151 are possible",
        ),
    ],
)
def test_what_does_not_fit_into_a_word_is_refused(ins, message):
    with pytest.raises(EncodingError) as error:
        encode(ins, 1)
    assert str(error.value) == message


def test_the_most_negative_join_means_none():
    cbr = Instruction(BY_NAME["cbr"], srcs=(c(3),), target=9)
    assert encode(cbr, 4) >> 42 == NO_JOIN & ((1 << 22) - 1)
    assert decode(encode(cbr, 4), 4).join is None


def test_targets_count_words_from_the_next_instruction():
    word = encode(Instruction(BY_NAME["br"], target=5), 4)
    assert word == BY_NAME["br"].number
    assert decode(word, 7).target == 8


def test_a_jump_has_no_subdivide_flag():
    word = encode(Instruction(BY_NAME["br"], target=5), 4)
    with pytest.raises(DecodingError, match="bits that must be zero are set"):
        decode(word | 1 << 16, 4)


def test_the_fields_of_a_word_lie_where_the_documentation_says():
    mad = Instruction(BY_NAME["mad_u32"], s(1), (s(2), s(3), s(4)))
    assert encode(mad, 0) == mad.row.number | 1 << 10 | 2 << 16 | 3 << 22 | 4 << 30
    mad = replace(mad, srcs=(s(2), Imm(0xFFFFFFFF), s(4)))
    assert encode(mad, 0) == (
        mad.row.number | 1 << 10 | 2 << 16 | 4 << 22 | 2 << 28 | 0xFFFFFFFF << 30
    )
    load = Instruction(BY_NAME["ld_group_u32"], s(5), address=Address(Segment.GROUP, s(6), -4))
    assert encode(load, 0) == (
        load.row.number | 5 << 10 | 6 << 16 | (-4 & 0xFFFFFF) << 34 | 1 << 58
    )
    cas = Instruction(
        BY_NAME["atomic_cas_global_u64"],
        None,
        (d(7), d(8)),
        Address(Segment.GLOBAL, d(9), 16),
    )
    assert encode(cas, 0) == (
        cas.row.number | 9 << 16 | 7 << 22 | 8 << 28 | 16 << 34 | 1 << 58 | 1 << 59
    )
    cbr = Instruction(BY_NAME["cbr"], srcs=(c(10),), target=3, join=5, subdivide=True, loop=True)
    assert encode(cbr, 0) == cbr.row.number | 10 << 10 | 3 << 16 | 2 << 20 | 4 << 42


@pytest.mark.parametrize(
    ("bits", "type_", "field"),
    [(BITS64, U64, 0xFFFFFFFF), (1, U64, 1), (0x3FF0000000000000, F64, 0x3FF00000)],
)
def test_a_64_bit_immediate_has_a_32_bit_field(bits, type_, field):
    assert immediate_field(bits, type_) == field
    assert immediate_value(field, type_) == bits


@pytest.mark.parametrize(
    ("name", "literals", "message"),
    [
        ("workitemid_u32", (3,), "the dimension must be 0, 1 or 2, not 3"),
        ("trap", (65536,), "the trap code must be from 0 to 65535, not 65536"),
        (
            "bitextract_u32",
            (30, 3),
            "bits 30 to 32 are not a field of a 32-bit value: position + length must be at most 32",
        ),
    ],
)
def test_literals_outside_their_range_are_refused(name, literals, message):
    word = encode(next(forms(BY_NAME[name])), 0) & ~(0xFFFFFFFF << 30)
    field = literals[0] if len(literals) == 1 else literals[0] | literals[1] << 8
    with pytest.raises(DecodingError) as error:
        decode(word | field << 30, 0)
    assert error.value.first.message == f"word 0 ({name}): {message}"
