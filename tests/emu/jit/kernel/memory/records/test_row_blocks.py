"""Loops in which each lane walks through a row: what blocks of rows hold, and when."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.kernel.memory.records import row_blocks
from simtlab.emu.jit.llvm.toolchain import host_has

from .....support.oracle_work import make
from ....support.against_oracle import assert_as_oracle

SIDES = {
    "one": """and_u32 $s10, $s9, 1
        cmp_eq_u32 $c2, $s10, 0
        cbr $c2, @next
        mad_u32 $s8, $s8, 5, $s4
    @next:""",
    "two": """cmp_lt_u32 $c2, $s9, 100
        cbr $c2, @small
        mad_u32 $s8, $s8, 5, $s4
        br @next
    @small:
        and_u32 $s10, $s9, 3
        cmp_eq_u32 $c2, $s10, 0
        cbr $c2, @next
        xor_u32 $s8, $s8, $s9
    @next:""",
    "a store": """cmp_lt_u32 $c2, $s9, 100
        cbr $c2, @next
        st_global_u32 $s9, [$d6+4]
    @next:""",
}
"""What an iteration does after its load, in some lanes."""

BYTES = {"u8": 1, "s16": 2, "u32": 4, "f64": 8}
ITEMS = 70

STORES = {
    "nothing": "",
    "elsewhere": "add_u64 $d7, $d6, 4\n st_global_u32 $s9, [$d7]",
    "ahead in the row": """ld_kernarg_u64 $d7, [%rows]
        cvt_u64_u32 $d8, $s3
        add_u32 $s10, $s4, 2
        cvt_u64_u32 $d9, $s10
        add_u64 $d8, $d8, $d9
        mad_u64 $d7, $d8, {size}, $d7
        st_global_{type_} {data}, [$d7-{size}]""",
    "by a pointer of another buffer": """ld_kernarg_u64 $d7, [%out]
        ld_kernarg_u64 $d8, [%between]
        add_u64 $d7, $d7, $d8
        cvt_u64_u32 $d8, $s3
        add_u32 $s10, $s4, 1
        cvt_u64_u32 $d9, $s10
        add_u64 $d8, $d8, $d9
        mad_u64 $d7, $d8, {size}, $d7
        st_global_{type_} {data}, [$d7]""",
}
"""What the loop stores in each iteration."""


def kernel(type_: str, stores: str = "nothing", leave: str = "", header: bool = False) -> str:
    size = BYTES[type_]
    data = "$d10" if size == 8 else "$s9"
    total = "cvt_u32_u64 $s9, $d10" if size == 8 else "nop"
    extra = STORES[stores].format(size=size, type_=type_, data=data)
    test = "cmp_ge_u32 $c1, $s4, $s2\n cbr $c1, @store"
    again = "br @loop" if header else "cmp_lt_u32 $c1, $s4, $s2\n cbr $c1, @loop"
    return f"""kernel walk(u32 %row, u32 %length, u64 %between, global u8* %rows,
                           global u32* %out) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%row]
        ld_kernarg_u32 $s2, [%length]
        ld_kernarg_u64 $d5, [%rows]
        ld_kernarg_u64 $d6, [%out]
        cvt_u64_u32 $d7, $s0
        mad_u64 $d6, $d7, 8, $d6
        mul_u32 $s3, $s0, $s1
        mov_u32 $s4, 0
    @loop:
        {test if header else ""}
        add_u32 $s5, $s3, $s4
        cvt_u64_u32 $d7, $s5
        mad_u64 $d7, $d7, {size}, $d5
        ld_global_{type_} {data}, [$d7]
        {total}
        mad_u32 $s8, $s8, 31, $s9
        {extra}
        {leave}
        add_u32 $s4, $s4, 1
        {again}
    @store:
        st_global_u32 $s8, [$d6]
        ret
    }}"""


def check(text: str, type_: str, row: int, length: int, short: int = 0) -> bool:
    size = BYTES[type_]

    def work() -> Work:
        rng = np.random.default_rng(row)
        rows = rng.integers(0, 256, (ITEMS * row + 4 - short) * size, np.uint8)
        out = np.zeros(2 * ITEMS, np.uint32)
        given = [np.uint32(row), np.uint32(length), np.uint64(0), rows, out]
        made = make(text, given, items=ITEMS, group_size=64)
        first, second = (buffer.base for buffer in made.memory.buffers[:2])
        given[2] = np.uint64((first - second) % (1 << 64))
        return make(text, given, items=ITEMS, group_size=64)

    return assert_as_oracle(work(), work())


@pytest.mark.parametrize("type_", BYTES)
@pytest.mark.parametrize("header", [False, True])
def test_rows_of_any_length(type_: str, header: bool) -> None:
    for length in (1, 7, 8, 9, 15, 16, 17, 40):
        assert not check(kernel(type_, header=header), type_, 40, length)


@pytest.mark.parametrize("step", [4, 3, -4])
def test_counters_may_step_by_any_number(step: int) -> None:
    """As offsets into a private array do, which a loop fills from a row."""
    first, last = ("0", "$s2") if step > 0 else ("$s2", "0")
    text = kernel("u32")
    for old, new in {
        "mov_u32 $s4, 0": f"mul_u32 $s2, $s2, {abs(step)}\n mov_u32 $s4, {first}\n"
        "cvt_u64_u32 $d9, $s3\n mad_u64 $d9, $d9, 4, $d5",
        "ld_global_u32 $s9, [$d7]": "ld_global_u32 $s9, [$d9]\n add_u64 $d9, $d9, 4",
        "add_u32 $s4, $s4, 1": f"add_s32 $s4, $s4, {step}",
        "cmp_lt_u32 $c1, $s4, $s2": f"cmp_{'lt' if step > 0 else 'gt'}_s32 $c1, $s4, {last}",
    }.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    for length in (1, 15, 16, 17, 40):
        assert not check(text, "u32", 40, length)


@pytest.mark.parametrize("type_", ["u8", "u32"])
def test_lanes_may_leave_early(type_: str) -> None:
    leave = "and_u32 $s6, $s9, 31\n cmp_eq_u32 $c2, $s6, 3\n cbr $c2, @store"
    assert not check(kernel(type_, leave=leave), type_, 40, 40)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("type_", ["u8", "u32", "f64"])
def test_lanes_may_part_after_the_load(type_: str, header: bool, side: str) -> None:
    text = kernel(type_, leave=SIDES[side], header=header)
    for length in (1, 15, 16, 17, 40):
        assert not check(text, type_, 40, length)
    assert check(text, type_, 40, 40, short=60)


def parted(text: str) -> str:
    """Let lanes part before the load, by what they have loaded, and meet at it again."""
    sides = "and_u32 $s10, $s8, 1\n cmp_eq_u32 $c2, $s10, 1\n cbr $c2, @met\n add_u32 $s8, $s8, 5\n"
    assert text.count("add_u32 $s5, $s3") == 1
    return text.replace("add_u32 $s5, $s3", f"{sides} @met:\n add_u32 $s5, $s3")


@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("type_", ["u8", "u32", "f64"])
def test_lanes_may_part_before_the_load(type_: str, header: bool) -> None:
    text = parted(kernel(type_, header=header))
    for length in (1, 15, 16, 17, 40):
        assert not check(text, type_, 40, length)
    assert check(text, type_, 40, 40, short=60)


@pytest.mark.parametrize("stores", STORES)
@pytest.mark.parametrize("type_", ["u8", "f64"])
def test_what_the_loop_stores_is_loaded(type_: str, stores: str) -> None:
    assert not check(kernel(type_, stores), type_, 40, 33)


@pytest.mark.parametrize("short", [5, 30, 60, 2000])
def test_faults_are_those_of_the_oracle(short: int) -> None:
    assert check(kernel("u32"), "u32", 40, 40, short)


@pytest.mark.skipif(not host_has("avx512f"), reason="blocks are transposed with AVX-512 only")
@pytest.mark.parametrize(
    ("stores", "expected"), [("nothing", True), ("elsewhere", True), ("ahead in the row", False)]
)
def test_rows_are_loaded_in_blocks(
    stores: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not if the loop stores to the same buffer: the test before it would never hold."""
    made: list[object] = []
    load = row_blocks.load
    monkeypatch.setattr(row_blocks, "load", lambda *args: made.append(args) or load(*args))
    given = [np.uint32(40), np.uint32(40), np.uint64(0), np.zeros(9999, np.uint8)]
    text = kernel("u32", stores)
    work = make(text, [*given, np.zeros(2 * ITEMS, np.uint32)], items=64, group_size=64)
    generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    assert bool(made) == expected


@pytest.mark.skipif(not host_has("avx512f"), reason="blocks are transposed with AVX-512 only")
@pytest.mark.parametrize("header", [False, True])
def test_rows_of_loops_with_sides_are_loaded_in_blocks(
    header: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If lanes part before the load or after it; not if some pass it by."""
    made: list[object] = []
    load = row_blocks.load
    monkeypatch.setattr(row_blocks, "load", lambda *args: made.append(args) or load(*args))
    given = [np.uint32(40), np.uint32(40), np.uint64(0), np.zeros(9999, np.uint8)]

    def generated(text: str) -> bool:
        made.clear()
        work = make(text, [*given, np.zeros(2 * ITEMS, np.uint32)], items=64, group_size=64)
        generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
        return bool(made)

    text = kernel("u32", leave=SIDES["two"] + "\n@passed:", header=header)
    assert generated(text)
    assert generated(parted(kernel("u32", header=header)))
    passes = "and_u32 $s10, $s8, 1\n cmp_eq_u32 $c2, $s10, 1\n cbr $c2, @passed\n"
    assert not generated(text.replace("add_u32 $s5, $s3", passes + "add_u32 $s5, $s3"))


@pytest.mark.parametrize(("length", "expected"), [(15, False), (16, True)])
def test_loops_known_to_be_short_have_no_blocks(
    length: int, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []
    load = row_blocks.load
    monkeypatch.setattr(row_blocks, "load", lambda *args: made.append(args) or load(*args))
    text = kernel("u32").replace("ld_kernarg_u32 $s2, [%length]", f"mov_u32 $s2, {length}")
    assert not check(text, "u32", 40, length)
    given = [np.uint32(40), np.uint32(40), np.uint64(0), np.zeros(9999, np.uint8)]
    work = make(text, [*given, np.zeros(2 * ITEMS, np.uint32)], items=64, group_size=64)
    made.clear()
    generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    assert bool(made) == (expected and host_has("avx512f"))
