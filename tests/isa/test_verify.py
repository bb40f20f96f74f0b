from dataclasses import replace

import pytest

from simtlab.isa import (
    BY_NAME,
    Address,
    Instruction,
    Kernel,
    Location,
    ObjectFileError,
    Param,
    Program,
    Reg,
    RegClass,
    Segment,
    Symbol,
    verify,
)
from simtlab.isa.encoding import encode
from simtlab.isa.program import layout_params, layout_symbols
from simtlab.isa.types import B1, F32, U8, U32

RET = Instruction(BY_NAME["ret"])
NOP = Instruction(BY_NAME["nop"])


def kernel(*code: Instruction, **fields) -> Kernel:
    code = code or (RET,)
    return Kernel("k", (), tuple(encode(i, pc) for pc, i in enumerate(code)), **fields)


def found(program: Program | Kernel) -> list[tuple[str, str]]:
    """Codes and messages of all violations."""
    if isinstance(program, Kernel):
        program = Program((program,))
    try:
        verify(program)
    except ObjectFileError as error:
        return [(d.code, d.message) for d in error.diagnostics]
    return []


def load(row: str, segment: Segment, offset: int, base: Reg | None = None) -> Instruction:
    return Instruction(BY_NAME[row], Reg(RegClass.S, 0), address=Address(segment, base, offset))


def test_the_smallest_program_is_one_ret():
    assert found(kernel()) == []


def test_a_program_needs_a_kernel():
    assert found(Program(())) == [("SIM220", "the program has no kernel")]


def test_two_kernels_need_two_names():
    assert found(Program((kernel(), kernel()))) == [("SIM221", "two kernels have the name 'k'")]


def test_two_parameters_need_two_names():
    params = layout_params([("a", U32, False), ("a", F32, True)])
    assert found(replace(kernel(), params=params)) == [
        ("SIM221", "two kernel k parameters have the name 'a'")
    ]


def test_two_labels_need_two_names():
    assert found(kernel(labels=(("a", 0), ("a", 0)))) == [
        ("SIM221", "two kernel k labels have the name 'a'")
    ]


def test_arrays_need_different_names_across_all_segments():
    group = layout_symbols(Segment.GROUP, [("a", U32, 1)])
    private = layout_symbols(Segment.PRIVATE, [("a", U32, 1), ("t", U8, 1)])
    readonly = layout_symbols(Segment.READONLY, [("t", U32, 2)])
    program = Program((kernel(group=group, private=private),), readonly, bytes(8))
    assert found(program) == [
        ("SIM221", "two kernel k arrays have the name 'a'"),
        ("SIM221", "two kernel k arrays have the name 't'"),
    ]


@pytest.mark.parametrize("name", ["kernel", "global", "inf", "nan"])
def test_words_of_the_language_name_no_kernel_and_no_array(name):
    message = ("SIM221", f"{name!r} is a word of the language, not a name")
    assert found(replace(kernel(), name=name)) == [message]
    assert found(kernel(group=layout_symbols(Segment.GROUP, [(name, U32, 1)]))) == [message]
    params = layout_params([(name, U32, False)])
    assert found(replace(kernel(labels=((name, 0),)), params=params)) == []


@pytest.mark.parametrize(
    ("segment", "most"),
    [(Segment.GROUP, 1 << 20), (Segment.PRIVATE, 1 << 16)],
)
def test_a_segment_has_a_largest_size(segment, most):
    def sized(count: int) -> Kernel:
        return kernel(**{segment.value: layout_symbols(segment, [("a", U8, count)])})

    assert found(sized(most)) == []
    assert found(sized(most + 1)) == [
        ("SIM222", f"kernel k has {most + 1} bytes of {segment} memory; at most {most} are allowed")
    ]


def test_the_readonly_segment_has_a_largest_size():
    readonly = layout_symbols(Segment.READONLY, [("a", U8, (1 << 22) + 8)])
    assert found(Program((kernel(),), readonly, bytes((1 << 22) + 8))) == [
        ("SIM222", "the program has 4194312 bytes of readonly memory; at most 4194304 are allowed")
    ]


def test_readonly_bytes_that_belong_to_no_array_are_zero():
    readonly = layout_symbols(Segment.READONLY, [("a", U8, 3), ("b", U32, 1)])
    data = bytes([1, 2, 3, 0, 4, 5, 6, 7])
    assert found(Program((kernel(),), readonly, data)) == []
    assert found(Program((kernel(),), readonly, data[:3] + b"\1" + data[4:])) == [
        ("SIM222", "the readonly data has bytes that belong to no array")
    ]


@pytest.mark.parametrize(("type_", "count"), [(B1, 1), (U32, 0)])
def test_an_array_has_elements_of_a_memory_type(type_, count):
    symbol = Symbol("a", Segment.GROUP, type_, count, 0)
    assert found(kernel(group=(symbol,))) == [
        ("SIM223", f"kernel k: array a has the impossible size {count} x {type_}")
    ]


def test_a_parameter_is_no_single_bit():
    assert found(replace(kernel(), params=(Param("a", B1, False, 0),))) == [
        ("SIM224", "kernel k: parameter %a cannot be of type b1")
    ]


def test_a_kernel_has_at_most_256_parameters():
    params = layout_params([(f"p{i}", U8, False) for i in range(257)])
    assert found(replace(kernel(), params=params)) == [
        ("SIM224", "kernel k has more than 256 parameters")
    ]


@pytest.mark.parametrize("labels", [(("a", 1), ("b", 0)), (("a", 2),)])
def test_labels_ascend_and_lie_in_the_code_or_right_after_it(labels):
    assert found(kernel(labels=labels)) == [
        ("SIM225", "kernel k: its labels are out of order or outside the code")
    ]


def test_a_label_may_follow_the_last_instruction():
    assert found(kernel(labels=(("end", 1),))) == []


def test_a_kernel_needs_an_instruction():
    assert found(replace(kernel(), words=())) == [("SIM226", "kernel k has no instruction")]


def test_words_that_are_no_instruction_are_named():
    assert found(replace(kernel(), words=(1023,))) == [
        ("SIM210", "kernel k: word 0: opcode 1023 is not in the instruction table")
    ]


def test_a_target_outside_the_kernel_is_named_with_its_place():
    code = (Instruction(BY_NAME["br"], target=5), RET)
    places = (Location(0, 7, 3), Location(0, 8, 3))
    program = Program((kernel(*code, locations=places),), files=("a.sasm",))
    with pytest.raises(ObjectFileError) as error:
        verify(program)
    assert str(error.value) == (
        "error[SIM227]: kernel k, word 0 (br): its target 5 is outside the kernel\n --> a.sasm:7:3"
    )


def test_a_join_outside_the_kernel_is_named():
    cbr = Instruction(BY_NAME["cbr"], srcs=(Reg(RegClass.C, 0),), target=1, join=2)
    assert found(kernel(cbr, RET)) == [
        ("SIM227", "kernel k, word 0 (cbr): its re-convergence point 2 is outside the kernel")
    ]


def test_a_static_address_lies_in_its_segment():
    group = layout_symbols(Segment.GROUP, [("a", U32, 2)])
    inside = load("ld_group_u32", Segment.GROUP, 4)
    outside = load("ld_group_u32", Segment.GROUP, 8)
    negative = load("ld_group_u32", Segment.GROUP, -4)
    assert found(kernel(inside, RET, group=group)) == []
    assert found(kernel(outside, negative, RET, group=group)) == [
        (
            "SIM227",
            "kernel k, word 0 (ld_group_u32): bytes 8 to 11 are outside the 8 bytes of group "
            "memory",
        ),
        (
            "SIM227",
            "kernel k, word 1 (ld_group_u32): bytes -4 to -1 are outside the 8 bytes of group "
            "memory",
        ),
    ]


def test_a_static_address_is_aligned():
    group = layout_symbols(Segment.GROUP, [("a", U32, 2)])
    assert found(kernel(load("ld_group_u32", Segment.GROUP, 2), RET, group=group)) == [
        (
            "SIM227",
            "kernel k, word 0 (ld_group_u32): the group address 2 is not a multiple of 4",
        )
    ]


def test_an_address_with_a_register_is_checked_when_it_runs():
    code = (load("ld_group_u32", Segment.GROUP, 1000, Reg(RegClass.S, 0)), RET)
    assert found(kernel(*code)) == []


def test_falling_off_the_end_is_an_error():
    cbr = Instruction(BY_NAME["cbr"], srcs=(Reg(RegClass.C, 0),), target=0)
    for last in (NOP, cbr):
        assert found(kernel(RET, last)) == [
            ("SIM228", f"kernel k falls off its end: its last instruction is {last.name}")
        ]


@pytest.mark.parametrize("last", [RET, Instruction(BY_NAME["br"], target=0)])
def test_a_kernel_ends_with_an_instruction_that_nothing_follows(last):
    assert found(kernel(NOP, last)) == []


def test_at_most_twenty_violations_are_reported():
    far = Instruction(BY_NAME["br"], target=1000)
    assert len(found(kernel(*[far] * 30, RET))) == 20
