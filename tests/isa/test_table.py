import re
from pathlib import Path

from simtlab.isa import BY_NAME, TABLE, Flags, Format, OperandKind, Unit
from simtlab.isa.types import B1, SMALL

OPCODES = Path(__file__).with_name("opcodes.txt")


def test_opcode_numbers_are_those_of_the_checked_in_listing():
    """Append new rows to the listing; a changed line breaks every object file there is."""
    listing = "".join(f"{row.name}={row.number}\n" for row in TABLE)
    assert OPCODES.read_text() == listing


def test_the_number_of_a_row_is_its_index():
    assert [row.number for row in TABLE] == list(range(len(TABLE)))


def test_the_table_fits_into_ten_bits_of_opcode():
    assert len(TABLE) <= 1 << 10


def test_names_are_unique():
    assert len(BY_NAME) == len(TABLE)


def test_a_pair_of_stem_types_and_segment_has_one_row():
    assert len({(r.stem, r.type, r.source, r.segment) for r in TABLE}) == len(TABLE)


def test_a_row_has_a_mnemonic_a_meaning_and_a_sentence():
    for row in TABLE:
        assert re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", row.name), row
        assert row.doc.endswith("."), row
        assert row.doc[0].isupper(), row
        assert row.means or row.stem in ("reconverge", "nop"), row


def test_a_row_has_at_most_one_destination_one_address_and_one_join():
    for row in TABLE:
        kinds = [o.kind for o in row.operands]
        for kind in (OperandKind.DST, OperandKind.MEM, OperandKind.TARGET, OperandKind.JOIN):
            assert kinds.count(kind) <= 1, row
        assert len(row.srcs) <= 3, row


def test_register_operands_have_a_type_and_the_others_none():
    for row in TABLE:
        for operand in row.operands:
            is_register = operand.kind in (OperandKind.DST, OperandKind.SRC, OperandKind.REG)
            assert (operand.type is not None) == is_register, row
            assert operand.describe(), row


def test_flags_follow_from_the_operands():
    for row in TABLE:
        kinds = {o.kind for o in row.operands}
        assert (OperandKind.TARGET in kinds) == row.is_branch == (row.format is Format.BRANCH), row
        assert (OperandKind.JOIN in kinds) == row.is_conditional, row
        assert (OperandKind.MEM in kinds) == row.has_address == (row.format is Format.MEMORY), row
        assert row.has_address == (row.segment is not None), row
        if row.is_memory:
            assert Flags.MAY_TRAP not in row.flags, row
        if Flags.ENDS in row.flags:
            assert row.unit is Unit.CONTROL, row
        if row.is_conditional:
            assert Flags.ENDS not in row.flags, row
        if Flags.READS_DST in row.flags:
            assert row.dst is not None, row


def test_literals_and_immediates_share_the_word_so_a_row_has_one_or_the_other():
    for row in TABLE:
        assert not (row.literals and any(o.kind is OperandKind.SRC for o in row.operands)), row


def test_two_sources_that_commute_have_one_type():
    for row in TABLE:
        if Flags.COMMUTES in row.flags:
            first, second = row.srcs
            assert first == second, row


def test_small_types_stand_in_memory_and_conversions_only():
    for row in TABLE:
        if row.type in SMALL or row.source in SMALL:
            assert row.stem in ("cvt", "ld", "st", "lda"), row


def test_memory_never_holds_single_bits():
    for row in TABLE:
        if row.has_address:
            assert row.type is not B1, row


def test_a_load_a_store_and_an_atomic_are_told_apart():
    for row in TABLE:
        assert row.is_load + row.is_store + row.is_atomic == row.is_memory


def test_every_unit_has_a_row():
    assert {row.unit for row in TABLE} == set(Unit)
