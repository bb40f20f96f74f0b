"""The passes together: what sources become."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simtlab.asm.assemble import PASSES, assemble
from simtlab.isa.encoding import decode
from simtlab.isa.errors import SourceError, UsageError
from simtlab.isa.instruction import Address, Imm, Instruction, Reg
from simtlab.isa.objectfile import dumps, loads
from simtlab.isa.program import Kernel
from simtlab.isa.table import BY_NAME
from simtlab.isa.types import RegClass, Segment

PROGRAMS = Path(__file__).resolve().parents[2] / "programs"

SAXPY = """
// y[i] = a * x[i] + y[i]
kernel saxpy(f32 %a, u32 %n, global f32* %x, global f32* %y) {
    workitemabsid_u32  $s0, 0
    ld_kernarg_u32     $s1, [%n]
    cmp_ge_u32         $c0, $s0, $s1
    cbr                $c0, @done          // joins at @done: found by the assembler
    ld_kernarg_u64     $d0, [%x]
    ld_kernarg_u64     $d1, [%y]
    cvt_u64_u32        $d2, $s0
    mad_u64            $d0, $d2, 4, $d0
    mad_u64            $d1, $d2, 4, $d1
    ld_global_f32      $s2, [$d0]
    ld_global_f32      $s3, [$d1]
    ld_kernarg_f32     $s4, [%a]
    fma_f32            $s3, $s4, $s2, $s3
    st_global_f32      $s3, [$d1]
@done:
    ret
}
"""


def s(index: int) -> Reg:
    return Reg(RegClass.S, index)


def d(index: int) -> Reg:
    return Reg(RegClass.D, index)


def c(index: int) -> Reg:
    return Reg(RegClass.C, index)


def kernel(*lines: str, before: str = "") -> Kernel:
    """A kernel with these lines, a ret, and two parameters."""
    body = "".join(f"    {line}\n" for line in lines)
    source = f"{before}kernel k(u32 %n, global f32* %x) {{\n{body}    ret\n}}\n"
    return assemble(source).kernels[0]


def first(line: str, *declarations: str, before: str = "") -> Instruction:
    return kernel(*declarations, line, before=before).instructions[0]


def test_saxpy_is_what_it_says() -> None:
    program = assemble(SAXPY)
    (saxpy,) = program.kernels
    assert saxpy.signature == "kernel saxpy(f32 %a, u32 %n, global f32* %x, global f32* %y)"
    assert saxpy.labels == (("done", 14),)
    branch = saxpy.instructions[3]
    assert branch == Instruction(
        BY_NAME["cbr"], srcs=(c(0),), target=14, join=14, subdivide=True, loop=False
    )
    assert saxpy.instructions[7] == Instruction(
        BY_NAME["mad_u64"], dst=d(0), srcs=(d(2), Imm(4), d(0))
    )
    assert program.span(saxpy, 12) is not None
    assert str(program.span(saxpy, 12)) == "<text>:16:5"


def test_the_words_decode_to_what_they_were_made_from() -> None:
    for path in sorted(PROGRAMS.glob("**/*.sasm")):
        for made in assemble(path).kernels:
            decoded = tuple(decode(word, pc) for pc, word in enumerate(made.words))
            assert decoded == made.instructions, path.name


def test_an_assembled_program_is_what_its_object_file_holds() -> None:
    for path in sorted(PROGRAMS.glob("**/*.sasm")):
        program = assemble(path)
        assert loads(dumps(program)) == program


@pytest.mark.parametrize(
    ("line", "segment", "base", "offset"),
    [
        ("ld_global_f32 $s0, [$d0]", Segment.GLOBAL, d(0), 0),
        ("ld_global_f32 $s0, [$d0+8]", Segment.GLOBAL, d(0), 8),
        ("ld_global_f32 $s0, [$d63 - 8]", Segment.GLOBAL, d(63), -8),
        ("ld_global_f32 $s0, [$d0+N*4]", Segment.GLOBAL, d(0), 20),
        ("ld_global_f32 $s0, [$d0+(N<<2)-N]", Segment.GLOBAL, d(0), 15),
        ("ld_global_f32 $s0, [8+$d0]", Segment.GLOBAL, d(0), 8),
        ("ld_kernarg_u32 $s0, [%n]", Segment.KERNARG, None, 0),
        ("ld_kernarg_u64 $d0, [%x]", Segment.KERNARG, None, 8),
        ("ld_kernarg_u32 $s0, [%x+4]", Segment.KERNARG, None, 12),
        ("ld_kernarg_u32 $s0, [%n+0]", Segment.KERNARG, None, 0),
        ("ld_kernarg_s32 $s0, [%n]", Segment.KERNARG, None, 0),
        ("ld_group_f32 $s0, [tile]", Segment.GROUP, None, 4),
        ("ld_group_f32 $s0, [tile+4]", Segment.GROUP, None, 8),
        ("ld_group_f32 $s0, [tile+$s1]", Segment.GROUP, s(1), 4),
        ("ld_group_f32 $s0, [tile+$s1+4]", Segment.GROUP, s(1), 8),
        ("ld_group_f32 $s0, [$s1+tile-4]", Segment.GROUP, s(1), 0),
        ("ld_group_f32 $s0, [$s1]", Segment.GROUP, s(1), 0),
        ("ld_group_f32 $s0, [$s1+4]", Segment.GROUP, s(1), 4),
        ("ld_group_u8 $s0, [3]", Segment.GROUP, None, 3),
        ("ld_private_u8 $s0, [mine+15]", Segment.PRIVATE, None, 15),
        ("ld_readonly_u16 $s0, [T+2]", Segment.READONLY, None, 2),
        ("lda_group_u32 $s0, [tile+15]", Segment.GROUP, None, 19),
    ],
)
def test_an_address_is_a_base_and_an_offset(
    line: str, segment: Segment, base: Reg | None, offset: int
) -> None:
    arrays = (".group u8 flag[1]", ".group f32 tile[4]", ".private u8 mine[16]")
    before = ".const N = 5\n.readonly u16 T[2] = { 1, 2 }\n"
    assert first(line, *arrays, before=before).address == Address(segment, base, offset)


def test_operands_come_in_the_order_of_the_row() -> None:
    assert first("st_global_f32 $s1, [$d0]").srcs == (s(1),)
    assert first("atomic_cas_global_u32 $s1, [$d0], $s2, $s3").dst == s(1)
    assert first("atomic_cas_global_u32 [$d0], $s2, $s3").srcs == (s(2), s(3))
    assert first("atomic_cas_global_u32 [$d0], $s2, $s3").dst is None
    assert first("bitinsert_u32 $s0, $s1, $s2, 3, (2+2)").literals == (3, 4)
    assert first("trap").literals == (0,)
    assert first("trap 65535").literals == (65535,)
    assert first("select_f32 $s0, $c1, 1.5, $s2").srcs == (c(1), Imm(0x3FC0_0000), s(2))
    assert first("activelanemask_u64 $d0, $c1").srcs == (c(1),)


def test_an_immediate_is_kept_at_the_width_of_its_operand() -> None:
    assert first("add_u64 $d0, $d0, -1").srcs[1] == Imm(0xFFFF_FFFF_FFFF_FFFF)
    assert first("add_u64 $d0, $d0, 0xffffffffffffffff").srcs[1] == Imm(0xFFFF_FFFF_FFFF_FFFF)
    assert first("add_f64 $d0, $d0, 1.5").srcs[1] == Imm(0x3FF8_0000_0000_0000)
    assert first("shl_u64 $d0, $d0, 63").srcs[1] == Imm(63)
    assert first("mov_b1 $c0, 1").srcs == (Imm(1),)
    assert first("cvt_f32_s8 $s0, -1").srcs == (Imm(0xFF),)


def test_mov_u64_of_a_wide_value_is_two_instructions_with_one_place() -> None:
    made = kernel("@here:", "mov_u64 $d5, 0x123456789abcdef0", "br @here")
    assert made.instructions[0] == Instruction(
        BY_NAME["mov_u64"], dst=d(5), srcs=(Imm(0xFFFF_FFFF_9ABC_DEF0),)
    )
    assert made.instructions[1] == Instruction(
        BY_NAME["movhi_u64"], dst=d(5), srcs=(Imm(0x1234_5678),)
    )
    assert made.locations[0] == made.locations[1]
    assert made.instructions[2].target == 0


def test_arrays_are_laid_out_in_order_with_natural_alignment() -> None:
    made = kernel(
        ".group u8 a[3]",
        ".group f64 b[1]",
        ".private u16 c[1]",
        ".private u32 d[N]",
        before=".const N = 2*2\n",
    )
    assert [(x.name, x.offset, x.count) for x in made.group] == [("a", 0, 3), ("b", 8, 1)]
    assert [(x.name, x.offset, x.count) for x in made.private] == [("c", 0, 1), ("d", 4, 4)]


def test_readonly_elements_are_little_endian_and_missing_ones_zero() -> None:
    program = assemble(
        ".const BIG = 0x1234\n"
        ".readonly u8 a[] = { 1, 'b', 0xff }\n"
        ".readonly u16 b[3] = {\n    BIG, // the first\n    -1,\n}\n"
        ".readonly f32 c[1] = { 1.5 }\n"
        ".readonly f64 d[1] = { 0.1 }\n" + SAXPY
    )
    assert [(x.name, x.offset, x.count) for x in program.readonly] == [
        ("a", 0, 3),
        ("b", 4, 3),
        ("c", 12, 1),
        ("d", 16, 1),
    ]
    assert program.readonly_data.hex(" ", 4) == (
        "0162ff00 3412ffff 00000000 0000c03f 9a999999 9999b93f"
    )


def test_a_long_list_of_elements_is_that_of_its_parts() -> None:
    elements = [f"({i}+1)*2" if i % 3 else f"-{i}" for i in range(1, 400)]
    expected = [(i + 1) * 2 if i % 3 else -i for i in range(1, 400)]
    for end in ("", ","):
        table = f".readonly s32 T[400] = {{\n{', '.join(elements)}{end}\n}}\n"
        data = assemble(table + SAXPY).readonly_data
        assert [
            int.from_bytes(data[i : i + 4], "little", signed=True) for i in range(0, 1600, 4)
        ] == [
            *expected,
            0,
        ]


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ("1 2", "SIM103"),
        ("1,,2", "SIM102"),
        ("1.5", "SIM115"),
        ("1, $s0", "SIM102"),
    ],
)
def test_a_mistake_in_a_long_list_is_found_at_its_place(wrong: str, code: str) -> None:
    lines = "".join(f"    {i},\n" for i in range(400))
    with pytest.raises(SourceError) as caught:
        assemble(f".readonly u32 T[] = {{\n{lines}    {wrong}\n}}\n{SAXPY}")
    assert [(d.code, d.span.line) for d in caught.value.diagnostics if d.span] == [(code, 402)]


def test_a_head_may_go_over_several_lines() -> None:
    source = "kernel k(\n    u32 %a, // one\n    global f32* %b\n)\n{\n    ret\n}\n"
    assert assemble(source).kernels[0].signature == "kernel k(u32 %a, global f32* %b)"


def test_branches_name_labels_byte_addresses_joins_and_flags() -> None:
    made = kernel(
        "@top:",
        "cbr $c0, @0x18, none, nosubdivide, loop",
        "cbr $c1, @0x10, @0x18, subdivide",
        "br @top, noloop",
    )
    one, two, three = made.instructions[:3]
    assert (one.target, one.join, one.subdivide, one.loop) == (3, None, False, True)
    assert (two.target, two.join, two.subdivide) == (2, 3, True)
    assert (three.target, three.loop) == (0, False)


def test_a_location_holds_for_the_next_instruction_only() -> None:
    program = assemble(
        'kernel k() {\n    nop\n    .loc "a.sasm" 7 9\n@here:\n    nop\n    nop\n    ret\n}\n'
    )
    places = [(program.files[p.file], p.line, p.column) for p in program.kernels[0].locations]
    assert places == [
        ("<text>", 2, 5),
        ("a.sasm", 7, 9),
        ("<text>", 6, 5),
        ("<text>", 7, 5),
    ]


def test_files_are_numbered_as_the_code_names_them_even_after_stripping() -> None:
    source = 'kernel k() {\n    .loc "gone.sasm" 1 1\n    reconverge\n    ret\n}\n'
    assert assemble(source).files == ("gone.sasm", "<text>")
    stripped = assemble(source, markers="none")
    assert stripped.files == ("<text>",)
    assert loads(dumps(stripped)) == stripped


def test_markers_are_put_in_or_taken_out() -> None:
    names = [ins.name for ins in assemble(SAXPY, markers="explicit").kernels[0].instructions]
    assert names.count("reconverge") == 1
    assert names[-2:] == ["reconverge", "ret"]
    again = SAXPY.replace("    ret", "    reconverge\n    ret")
    assert assemble(again, markers="none").kernels[0].words == assemble(SAXPY).kernels[0].words


def test_the_subdivide_limit_is_baked_into_the_branches() -> None:
    def flags(limit: int) -> bool:
        return assemble(SAXPY, subdivide_limit=limit).kernels[0].instructions[3].subdivide

    assert [flags(0), flags(1)] == [False, True]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: assemble(SAXPY, markers="explict"),  # pyright: ignore[reportArgumentType]
            "error[SIM501]: markers must be one of auto, explicit, none, not 'explict'\n"
            " = help: did you mean `explicit`?",
        ),
        (
            lambda: assemble(SAXPY, subdivide_limit=-1),
            "error[SIM501]: subdivide_limit must be a whole number of instructions, not -1",
        ),
        (
            lambda: assemble(SAXPY, dump={"join": print}),
            "error[SIM501]: unknown pass 'join' to dump\n = help: did you mean `joins`?",
        ),
    ],
)
def test_an_option_that_does_not_exist_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        call()
    assert str(caught.value) == message


def test_every_pass_can_be_shown() -> None:
    shown: dict[str, str] = {}
    assemble(SAXPY, dump={name: lambda text, n=name: shown.update({n: text}) for name in PASSES})
    assert tuple(shown) == PASSES
    assert shown["parse"].split("\n")[1] == "<text>:4:5: instruction workitemabsid_u32 $s0 0"
    assert "cbr $c0, @0x0070, join auto, subdivide auto, loop auto" in shown["resolve"]
    assert "B0    0x00..0x18  cbr        -> B1 B2" in shown["flow"]
    assert "cbr $c0, @0x0070, join @0x0070, subdivide yes, loop no" in shown["joins"]
    assert shown["encode"].split("\n")[:2] == ["kernel saxpy", "0x0000  00000000000001be"]


def test_a_pass_is_shown_even_where_the_source_has_errors() -> None:
    shown: list[str] = []
    with pytest.raises(SourceError):
        assemble("kernel k() {\n    nop $s0\n    ret\n}\n", dump={"resolve": shown.append})
    assert "ret" in shown[0]


def test_assembling_leaves_the_garbage_collector_as_it_was() -> None:
    for is_on in (True, False):
        (gc.enable if is_on else gc.disable)()
        try:
            assemble(SAXPY)
            assert gc.isenabled() is is_on
        finally:
            gc.enable()


def test_equal_lines_in_two_kernels_mean_what_each_kernel_declares() -> None:
    program = assemble(
        "kernel a(u32 %m, u32 %n) {\n    ld_kernarg_u32 $s0, [%n]\n    ret\n}\n"
        "kernel b(u32 %n, u32 %m) {\n    ld_kernarg_u32 $s0, [%n]\n    ret\n}\n"
    )
    offsets = [
        k.instructions[0].address.offset for k in program.kernels if k.instructions[0].address
    ]
    assert offsets == [4, 0]


@given(st.sampled_from((" ", "\t", "  \t ")), st.booleans())
def test_spaces_and_comments_change_nothing(space: str, comment: bool) -> None:
    text = SAXPY.replace("    ", space).replace(", ", f"{space},{space}")
    text = text.replace("\n", f"{space}// note, $s0 [%q]\n" if comment else f"{space}\n")
    assert assemble(text).kernels[0].words == assemble(SAXPY).kernels[0].words


def test_the_assembler_does_without_numpy() -> None:
    code = (
        "import sys, simtlab.asm.assemble as a; a.assemble('kernel k() {\\n    ret\\n}\\n');"
        "sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
