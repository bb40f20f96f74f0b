"""Traps of the oracle: kind, place and address, exactly."""

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.oracle.oracle import all_traps, run, trap_records
from simtlab.emu.traps import Trap, TrapKind
from simtlab.isa.types import Segment

from ..support.oracle_work import make


def record_of(work: Work):
    with pytest.raises(Trap) as caught:
        run(work)
    return caught.value.record


def access(instruction: str, register: str, value: str, cells: np.ndarray) -> Work:
    """One access at pc 2, with `register` = address of the cells (or 0 for $s) plus `value`."""
    wide = register.startswith("$d")
    start = "ld_kernarg_u64 $d10, [%cells]" if wide else "mov_u32 $s10, 0"
    add = f"add_{'u64' if wide else 'u32'} {register}, {register}, {value}"
    return make(
        f"""
        .readonly u32 T[2] = {{ 1, 2 }}
        kernel k(global u8* %cells) {{
            .group u8 shared[8]
            .private u8 own[16]
            {start}
            {add}
            {instruction}
            ret
        }}
        """,
        [cells],
    )


GLOBAL_CASES = [
    # instruction, offset from the base of a buffer of 10 bytes, trap or None, size, store
    ("ld_global_u8 $s0, [$d10]", 9, None, 1, False),
    ("ld_global_u8 $s0, [$d10]", 10, TrapKind.OUT_OF_BOUNDS, 1, False),
    ("ld_global_u8 $s0, [$d10]", -1, TrapKind.OUT_OF_BOUNDS, 1, False),
    ("ld_global_u8 $s0, [$d10+3]", 7, TrapKind.OUT_OF_BOUNDS, 1, False),
    ("ld_global_u8 $s0, [$d10-1]", 10, None, 1, False),
    ("ld_global_u32 $s0, [$d10]", 4, None, 4, False),
    ("ld_global_u32 $s0, [$d10]", 2, TrapKind.MISALIGNED, 4, False),
    ("ld_global_u32 $s0, [$d10]", 8, TrapKind.OUT_OF_BOUNDS, 4, False),  # two bytes too many
    ("ld_global_u32 $s0, [$d10]", 7, TrapKind.OUT_OF_BOUNDS, 4, False),  # and misaligned
    ("ld_global_f64 $d0, [$d10]", 1, TrapKind.MISALIGNED, 8, False),
    ("st_global_u16 $s0, [$d10]", 1, TrapKind.MISALIGNED, 2, True),
    ("st_global_u16 $s0, [$d10]", 10, TrapKind.OUT_OF_BOUNDS, 2, True),
    ("atomic_add_global_u32 [$d10], $s0", 6, TrapKind.MISALIGNED, 4, True),
    ("atomic_cas_global_u64 $d1, [$d10], $d0, $d0", 8, TrapKind.OUT_OF_BOUNDS, 8, True),
]


@pytest.mark.parametrize(("instruction", "offset", "kind", "size", "store"), GLOBAL_CASES)
def test_a_global_access_traps_at_any_byte_outside_its_buffer(
    instruction, offset, kind, size, store
):
    work = access(instruction, "$d10", str(offset), np.zeros(10, np.uint8))
    if kind is None:
        run(work)
        return
    record = record_of(work)
    assert record.key == (kind, 2, 0, 0)
    extra = 3 if "+3" in instruction else 0
    assert record.address == work.memory.buffers[0].base + offset + extra
    assert (record.segment, record.size, record.store) == (Segment.GLOBAL, size, store)


def test_address_zero_and_the_top_of_the_address_space_trap():
    for body, address in [
        ("ld_global_u8 $s0, [$d0]", 0),
        ("ld_global_u8 $s0, [$d0-1]", (1 << 64) - 1),
        ("mov_u64 $d0, -1\n ld_global_u8 $s0, [$d0+1]", 0),
    ]:
        record = record_of(make(f"kernel k() {{\n {body}\n ret\n }}"))
        assert (record.kind, record.address) == (TrapKind.OUT_OF_BOUNDS, address)


LOCAL_CASES = [
    # segment sizes: group 8, private 16, readonly 8, each rounded up to 8
    ("ld_group_u8 $s0, [$s10]", 7, None),
    ("ld_group_u8 $s0, [$s10]", 8, TrapKind.OUT_OF_BOUNDS),
    ("ld_group_u32 $s0, [$s10]", 5, TrapKind.OUT_OF_BOUNDS),
    ("ld_group_u32 $s0, [$s10]", 2, TrapKind.MISALIGNED),
    ("ld_group_u32 $s0, [$s10-4]", 8, None),
    ("ld_group_u32 $s0, [$s10-4]", 0, TrapKind.OUT_OF_BOUNDS),
    ("ld_group_u32 $s0, [$s10+4]", 0xFFFF_FFFC, TrapKind.OUT_OF_BOUNDS),  # the sum does not wrap
    ("st_group_u64 $d0, [$s10]", 4, TrapKind.OUT_OF_BOUNDS),
    ("st_private_u64 $d0, [$s10]", 4, TrapKind.MISALIGNED),
    ("st_private_u8 $s0, [$s10]", 15, None),
    ("st_private_u8 $s0, [$s10]", 16, TrapKind.OUT_OF_BOUNDS),
    ("ld_readonly_u32 $s0, [$s10]", 4, None),
    ("ld_readonly_u32 $s0, [$s10]", 8, TrapKind.OUT_OF_BOUNDS),
    ("ld_readonly_u16 $s0, [$s10]", 3, TrapKind.MISALIGNED),
    ("atomic_add_group_u32 [$s10], $s0", 6, TrapKind.OUT_OF_BOUNDS),
    ("atomic_add_group_u32 [$s10], $s0", 2, TrapKind.MISALIGNED),
]


@pytest.mark.parametrize(("instruction", "offset", "kind"), LOCAL_CASES)
def test_an_offset_traps_outside_its_segment(instruction, offset, kind):
    work = access(instruction, "$s10", str(offset), np.zeros(1, np.uint8))
    if kind is None:
        run(work)
        return
    record = record_of(work)
    assert record.key == (kind, 2, 0, 0)
    extra = int(instruction.split("$s10")[1].split("]")[0] or 0)
    assert record.address == offset + extra
    assert record.segment is not None
    assert f"_{record.segment}_" in instruction


def test_a_freed_buffer_traps_as_freed_before_misaligned():
    work = access("ld_global_u32 $s0, [$d10]", "$d10", "2", np.zeros(16, np.uint8))
    work.memory.free(work.memory.buffers[0])
    assert record_of(work).key == (TrapKind.FREED, 2, 0, 0)
    over_the_end = access("ld_global_u32 $s0, [$d10]", "$d10", "14", np.zeros(16, np.uint8))
    over_the_end.memory.free(over_the_end.memory.buffers[0])
    assert record_of(over_the_end).kind is TrapKind.OUT_OF_BOUNDS


@pytest.mark.parametrize(
    ("instruction", "offset", "kind"),
    [
        ("st_global_u32 $s0, [$d10]", 0, TrapKind.READ_ONLY),
        ("st_global_u32 $s0, [$d10]", 2, TrapKind.MISALIGNED),
        ("atomic_max_global_u32 $s0, [$d10], $s0", 0, TrapKind.READ_ONLY),
        ("ld_global_u32 $s0, [$d10]", 0, None),
    ],
)
def test_a_read_only_buffer_takes_no_store_and_no_atomic(instruction, offset, kind):
    cells = np.full(8, 7, np.uint8)
    work = access(instruction, "$d10", str(offset), cells)
    work.memory.buffers[0].writable = False
    if kind is None:
        run(work)
    else:
        assert record_of(work).key == (kind, 2, 0, 0)
    assert cells.tolist() == [7] * 8


@pytest.mark.parametrize("name", ["div_u32", "div_s64", "rem_s32", "rem_u64"])
def test_division_by_zero_traps_and_keeps_the_work_item_at_its_instruction(name):
    reg = "$d" if name.endswith("64") else "$s"
    text = f"kernel k() {{\n nop\n {name} {reg}0, {reg}1, {reg}2\n ret\n }}"
    assert record_of(make(text)).key == (TrapKind.DIVIDE_BY_ZERO, 1, 0, 0)


def test_float_division_by_zero_does_not_trap():
    run(make("kernel k() {\n div_f32 $s0, $s1, $s2\n ret\n }"))


def test_a_trap_instruction_tells_its_code():
    record = record_of(make("kernel k() {\n nop\n trap 513\n }"))
    assert (record.key, record.code) == ((TrapKind.TRAP, 1, 0, 0), 513)


ODD_TRAP = """
    kernel k(global u32* %out) {
        workitemflatabsid_u32 $s0
        and_u32 $s1, $s0, 1
        cvt_b1_u32 $c0, $s1
        cbr $c0, @odd
        ld_kernarg_u64 $d0, [%out]
        cvt_u64_u32 $d1, $s0
        mad_u64 $d0, $d1, 4, $d0
        st_global_u32 $s0, [$d0]
        ret
    @odd:
        trap 1
    }
"""


def test_all_traps_continues_after_each_and_leaves_memory_alone():
    out = np.full(6, 99, np.uint32)
    work = make(ODD_TRAP, [out], items=6, group_size=4)
    expected = {(TrapKind.TRAP, 9, g, i) for g, i in [(0, 1), (0, 3), (1, 1)]}
    assert all_traps(work) == expected
    assert out.tolist() == [99] * 6


def test_a_run_reports_a_trap_of_the_set_and_names_the_work_item():
    out = np.zeros(6, np.uint32)
    work = make(ODD_TRAP, [out], items=6, group_size=4)
    record = record_of(work)
    assert record.key == (TrapKind.TRAP, 9, 0, 1)
    with pytest.raises(Trap, match="work-item 1 \\(workgroup 0, warp 0, lane 1\\)"):
        run(work)


def test_after_a_trap_the_workgroup_continues_to_the_next_barrier_and_no_further():
    text = """
        kernel k() {
            workitemflatid_u32 $s0
            cmp_eq_u32 $c0, $s0, 0
            cbr $c0, @first
            cmp_eq_u32 $c0, $s0, 2
            cbr $c0, @third
            barrier
            trap 1
        @first:
            trap 2
        @third:
            trap 3
        }
    """
    records = trap_records(make(text, items=4))
    assert [(r.code, r.local) for r in records] == [(2, 0), (3, 2)]


def test_a_trap_does_not_hide_a_divergent_barrier():
    text = """
        kernel k() {
            workitemflatid_u32 $s0
            cmp_eq_u32 $c0, $s0, 0
            cbr $c0, @first
            cmp_eq_u32 $c0, $s0, 1
            cbr $c0, @second
            barrier
        @second:
            ret
        @first:
            trap
        }
    """
    assert all_traps(make(text, items=4)) == {
        (TrapKind.TRAP, 7, 0, 0),
        (TrapKind.DIVERGENT_BARRIER, 5, 0, 2),
        (TrapKind.DIVERGENT_BARRIER, 5, 0, 3),
    }
