from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simtlab
from simtlab.asm.assemble import assemble
from simtlab.asm.disassemble import disassemble
from simtlab.asm.flow.cfg import build
from simtlab.asm.flow.dominators import post_dominators
from simtlab.asm.flow.joins import is_post_dominator
from simtlab.asm.literals import value_text
from simtlab.asm.load import load
from simtlab.isa import (
    BY_NAME,
    TABLE,
    Address,
    Flags,
    Imm,
    Instruction,
    Kernel,
    Location,
    Program,
    Reg,
    RegClass,
    Row,
    Segment,
    dumps,
    verify,
)
from simtlab.isa.encoding import encode
from simtlab.isa.program import layout_params, layout_symbols
from simtlab.isa.types import F32, F64, S8, S32, S64, U8, U32, U64

from ..isa.support.forms import forms
from ..isa.support.programs import programs

RET = Instruction(BY_NAME["ret"])


def program(*code: Instruction, **fields) -> Program:
    """One kernel, each of whose instructions comes from a line of its own."""
    words = tuple(encode(ins, pc) for pc, ins in enumerate(code))
    places = tuple(Location(0, pc + 1, 5) for pc in range(len(code)))
    kernel = Kernel("k", fields.pop("params", ()), words, locations=places)
    for name in ("group", "private", "labels"):
        kernel = replace(kernel, **{name: fields.pop(name, ())})
    return Program((kernel,), files=("k.sasm",), **fields)


def body(program: Program) -> list[str]:
    """The lines of the one kernel without its first and last, without their indentation."""
    return [line.strip() for line in disassemble(program, loc=False).splitlines()[1:-1]]


def assert_exact(program: Program) -> None:
    verify(program)
    text = disassemble(program)
    again = assemble(text)
    assert dumps(again) == dumps(program), text
    assert disassemble(again) == text


@pytest.mark.parametrize("row", TABLE, ids=[row.name for row in TABLE])
def test_every_form_of_every_row_assembles_to_the_same_bytes(row: Row):
    def fits(ins: Instruction) -> bool:
        address = ins.address
        return not address or address.base is not None or 0 <= address.offset <= 4

    code = [
        replace(ins, target=None if ins.target is None else pc % 3, join=None)
        for pc, ins in enumerate(filter(fits, forms(row)))
        if not (ins.address and ins.address.base is None and ins.address.offset % _width(row))
    ]
    segment = {s: layout_symbols(s, [("a", U64, 2)]) for s in Segment}
    assert_exact(
        program(
            *code,
            RET,
            RET,
            RET,
            params=layout_params([("p", U32, False), ("q", F64, True)]),
            group=segment[Segment.GROUP],
            private=layout_symbols(Segment.PRIVATE, [("b", U32, 2)]),
            readonly=layout_symbols(Segment.READONLY, [("c", S8, 7)]),
            readonly_data=bytes(8),
        )
    )


def _width(row: Row) -> int:
    assert row.type is not None
    return row.type.size if row.is_memory else 1


@settings(max_examples=150, deadline=None)
@given(programs(), st.data())
def test_any_program_assembles_to_the_same_bytes(program, data):
    kernels = []
    for kernel in program.kernels:
        code = list(kernel.instructions)
        cfg = build(code)
        tree = post_dominators(cfg)
        for pc, ins in enumerate(code):
            if ins.row.is_conditional:
                legal = [j for j in range(len(code)) if is_post_dominator(cfg, tree, pc, j)]
                code[pc] = replace(ins, join=data.draw(st.sampled_from([None, *legal])))
        words = tuple(encode(ins, pc) for pc, ins in enumerate(code))
        kernels.append(replace(kernel, words=words))
    program = replace(program, kernels=tuple(kernels))
    assert load(dumps(program)) == program
    assert_exact(program)


def test_the_text_is_aligned_and_has_joins_and_flags():
    source = """
.readonly u8 primes[8] = { 2, 3, 5 }

kernel k(f32 %a, u32 %n, global f32* %x) {
    .group f32 tile[4]
    .private u32 stack[2]

    workitemabsid_u32  $s0, 0
@head:
    ld_kernarg_u32     $s1, [%n]
    cmp_ge_u32         $c0, $s0, $s1
    cbr                $c0, @done, @done, subdivide, loop
    ld_group_f32       $s2, [tile+$s0+4]
    st_private_f32     $s2, [stack+4]
    lda_readonly_u32   $s3, [primes+2]
    ld_global_f32      $s2, [$d0-8]
    fma_f32            $s2, $s2, 0.1, $s2
    add_f64            $d1, $d1, -0.0
    bitinsert_u32      $s0, $s0, $s1, 3, 5
    br                 @head, loop
@done:
@end:
    barrier
    trap               7
}
"""
    assert disassemble(assemble(source), loc=False) == source.lstrip()


def test_the_place_of_every_instruction_stands_in_front_of_it():
    places = (Location(0, 3, 5), Location(1, 7, 1))
    kernel = replace(program(RET, RET).kernels[0], locations=places)
    assert disassemble(Program((kernel,), files=("a.sasm", "b c.sinc"))) == (
        'kernel k() {\n    .loc "a.sasm" 3 5\n    ret\n    .loc "b c.sinc" 7 1\n    ret\n}\n'
    )


def test_a_target_without_a_label_is_a_byte_address():
    cbr = Instruction(BY_NAME["cbr"], srcs=(Reg(RegClass.C, 1),), target=2, join=3)
    assert body(program(cbr, RET, RET, RET, labels=(("end", 3),))) == [
        "cbr  $c1, @0x10, @end, nosubdivide, noloop",
        "ret",
        "ret",
        "@end:",
        "ret",
    ]


def test_of_several_labels_a_branch_names_the_first():
    br = Instruction(BY_NAME["br"], target=0)
    assert body(program(br, labels=(("b", 0), ("a", 0)))) == ["@b:", "@a:", "br  @b, noloop"]


def test_a_label_behind_the_last_instruction_is_kept():
    assert body(program(RET, labels=(("end", 1),))) == ["ret", "@end:"]


def argument(row: str, offset: int) -> str:
    params = layout_params([("a", U8, False), ("n", U32, False), ("x", F32, True)])
    ins = Instruction(
        BY_NAME[row], Reg(RegClass.S, 0), address=Address(Segment.KERNARG, None, offset)
    )
    line = body(program(ins, RET, params=params))[0]
    return line.split(", ")[1]


@pytest.mark.parametrize(
    ("row", "offset", "text"),
    [
        ("ld_kernarg_u32", 4, "[%n]"),
        ("ld_kernarg_s32", 4, "[%n]"),
        ("ld_kernarg_f32", 4, "[%n+0]"),
        ("ld_kernarg_u8", 4, "[%n+0]"),
        ("ld_kernarg_u8", 5, "[%n+1]"),
        ("ld_kernarg_u8", 2, "[2]"),
        ("ld_kernarg_u32", 12, "[%x+4]"),
    ],
)
def test_a_kernel_argument_is_named_also_where_it_is_read_in_pieces(row, offset, text):
    assert argument(row, offset) == text


@pytest.mark.parametrize(
    ("base", "offset", "text"),
    [
        (None, 0, "[a]"),
        (None, 8, "[b]"),
        (None, 12, "[b+4]"),
        (None, 6, "[6]"),
        (5, 0, "[a+$s5]"),
        (5, 12, "[b+$s5+4]"),
        (5, 16, "[$s5+16]"),
        (5, -4, "[$s5-4]"),
    ],
)
def test_an_address_names_the_array_that_contains_its_offset(base, offset, text):
    group = layout_symbols(Segment.GROUP, [("a", U8, 5), ("b", U64, 1)])
    register = None if base is None else Reg(RegClass.S, base)
    ins = Instruction(
        BY_NAME["ld_group_u8"], Reg(RegClass.S, 0), address=Address(Segment.GROUP, register, offset)
    )
    assert body(program(ins, RET, group=group))[-2] == f"ld_group_u8  $s0, {text}"


@pytest.mark.parametrize(
    ("bits", "type_", "text"),
    [
        (0, U32, "0"),
        (65535, U32, "65535"),
        (65536, U32, "0x10000"),
        (0xFFFFFFFF, S32, "-1"),
        (0x80000000, S32, "-2147483648"),
        (0xFF, S8, "-1"),
        (0xFFFFFFFFFFFFFFFF, S64, "-1"),
        (0xFFFFFFFFFFFFFFFF, U64, "0xffffffffffffffff"),
        (0x3F800000, F32, "1.0"),
        (0x3DCCCCCD, F32, "0.1"),
        (0x80000000, F32, "-0.0"),
        (0x00000001, F32, "1e-45"),
        (0x7F7FFFFF, F32, "3.4028235e+38"),
        (0x4B800000, F32, "16777216.0"),
        (0x7F800000, F32, "inf"),
        (0xFF800000, F32, "-inf"),
        (0x7FC00000, F32, "nan"),
        (0xFFC00000, F32, "0fffc00000"),
        (0x7F800001, F32, "0f7f800001"),
        (0x3FF0000000000000, F64, "1.0"),
        (0x3FB999999999999A, F64, "0.1"),
        (0x7FF8000000000000, F64, "nan"),
        (0x7FF8000100000000, F64, "0d7ff8000100000000"),
        (0x8000000000000000, F64, "-0.0"),
    ],
)
def test_literals_are_short_and_exact(bits, type_, text):
    assert value_text(bits, type_) == text


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=20))
def test_every_f32_bit_pattern_survives_as_an_element_of_an_array(patterns):
    data = b"".join(bits.to_bytes(4, "little") for bits in patterns)
    data += bytes(len(data) % 8)
    arrays = layout_symbols(Segment.READONLY, [("t", F32, len(patterns))])
    assert_exact(program(RET, readonly=arrays, readonly_data=data))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=10))
def test_every_f64_bit_pattern_survives_as_an_element_of_an_array(patterns):
    data = b"".join(bits.to_bytes(8, "little") for bits in patterns)
    arrays = layout_symbols(Segment.READONLY, [("t", F64, len(patterns))])
    assert_exact(program(RET, readonly=arrays, readonly_data=data))


def test_an_immediate_of_64_bits_disassembles_as_the_two_instructions_it_is():
    source = "kernel k() {\n    mov_u64  $d3, 0x123456789abcdef0\n    ret\n}\n"
    assert body(assemble(source)) == [
        "mov_u64    $d3, 0xffffffff9abcdef0",
        "movhi_u64  $d3, 0x12345678",
        "ret",
    ]


def test_no_instruction_but_a_branch_prints_a_flag():
    for row in TABLE:
        if Flags.BRANCH not in row.flags:
            assert "loop" not in disassemble(program(next(forms(row)), RET)), row


def test_an_f64_immediate_prints_as_the_f64_it_stands_for():
    ins = Instruction(
        BY_NAME["add_f64"], Reg(RegClass.D, 0), (Reg(RegClass.D, 0), Imm(0x3FF8000000000000))
    )
    assert body(program(ins, RET))[0] == "add_f64  $d0, $d0, 1.5"


@pytest.mark.parametrize("markers", ["auto", "none", "explicit"])
def test_the_programs_that_come_with_simtlab_assemble_to_the_same_bytes(markers):
    sources = sorted((Path(simtlab.__file__).parent / "programs").rglob("*.sasm"))
    assert sources
    for source in sources:
        program = assemble(source, markers=markers)
        assert load(dumps(program)) == program
        assert_exact(program)


def test_markers_come_and_go_without_a_trace():
    """Whoever strips what was inserted has the program that never had markers."""
    for source in (Path(simtlab.__file__).parent / "programs").rglob("*.sasm"):
        explicit = disassemble(assemble(source, markers="explicit"), loc=False)
        plain = disassemble(assemble(source, markers="none"), loc=False)
        again = disassemble(assemble(explicit, markers="none"), loc=False)
        assert again == plain


def test_files_stay_in_the_order_of_first_use_when_markers_move_in_front():
    source = """
kernel k() {
    .loc "a.sinc" 1 1
    br @mid
@join:
    .loc "b.sinc" 1 1
    ret
@mid:
    .loc "c.sinc" 1 1
    cbr $c0, @join
    .loc "d.sinc" 1 1
    br @join
}
"""
    assert assemble(source, markers="none").files == ("a.sinc", "b.sinc", "c.sinc", "d.sinc")
    explicit = assemble(source, markers="explicit")
    assert explicit.files == ("a.sinc", "c.sinc", "b.sinc", "d.sinc")
    assert load(dumps(explicit)) == explicit


def test_an_access_over_the_end_of_an_array_is_printed_without_its_name() -> None:
    """The assembler refuses it under that name, and the text must assemble."""
    source = "kernel k() {\n    .group u32 a[2]\n    .group u64 b[2]\n"
    source += "    ld_group_u64 $d0, [$s0+4]\n    ld_group_u32 $s1, [$s0+4]\n    ret\n}\n"
    program = assemble(source)
    text = disassemble(program, loc=False)
    assert "ld_group_u64  $d0, [$s0+4]" in text
    assert "ld_group_u32  $s1, [a+$s0+4]" in text
    assert assemble(text).kernels[0].words == program.kernels[0].words
