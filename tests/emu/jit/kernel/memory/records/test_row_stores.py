"""Loops in which each lane writes a row: what is in memory, and when."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.kernel.memory.records import row_stores
from simtlab.emu.jit.llvm.toolchain import host_has

from .....support.oracle_work import make
from ....support.against_oracle import assert_as_oracle

BYTES = {"u8": 1, "s16": 2, "u32": 4, "f64": 8}
ITEMS = 70

WITHIN = """xor_u32 $s12, $s5, $s1
        xor_u32 $s12, $s12, $s1
        cvt_u64_u32 $d8, $s12
        mad_u64 $d8, $d8, {size}, $d5
        add_u64 $d8, $d8, $d10
        {access}_global_{type_} {other}, [$d8-{size}]"""
"""An access of the element before the present one, by a pointer of another buffer.

It is not known to walk along a row.
"""

EXTRAS = {
    "nothing": "",
    "loads by a pointer of another buffer": WITHIN.replace("{access}", "ld"),
    "stores by a pointer of another buffer": WITHIN.replace("{access}", "st"),
    "loads the next element": "ld_global_{type_} {other}, [$d6+{size}]",
}

BEFORE = {
    "nothing": "",
    "loads the element": "ld_global_{type_} {other}, [$d7]\n {again}",
    "loads the next element": "ld_global_{type_} {other}, [$d7+{size}]\n {again}",
}
"""What comes before the store, of what is in memory already."""


def kernel(
    type_: str, extra: str = "nothing", header: bool = False, before: str = "nothing"
) -> str:
    size = BYTES[type_]
    names = {"size": size, "type_": type_, "other": "$d11" if size == 8 else "$s11"}
    names["again"] = f"add_{'f64' if size == 8 else 'u32'} {names['other']}, {names['other']}, 3"
    names["again"] += ".0" if size == 8 else ""
    data = "cvt_f64_u32 $d11, $s8" if size == 8 else "mov_u32 $s11, $s8"
    total = "cvt_u32_f64 $s10, $d11" if size == 8 else "mov_u32 $s10, $s11"
    test = "cmp_ge_u32 $c1, $s4, $s2\n cbr $c1, @end"
    again = "br @loop" if header else "cmp_lt_u32 $c1, $s4, $s2\n cbr $c1, @loop"
    return f"""kernel write(u32 %row, u32 %length, u64 %between, global u8* %in,
                            global u8* %out) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%row]
        ld_kernarg_u32 $s2, [%length]
        ld_kernarg_u64 $d10, [%between]
        ld_kernarg_u64 $d5, [%in]
        ld_kernarg_u64 $d6, [%out]
        mul_u32 $s3, $s0, $s1
        add_u32 $s3, $s3, 2
        mov_u32 $s4, 0
        mov_u32 $s8, $s0
        mov_u32 $s11, 0
    @loop:
        {test if header else ""}
        add_u32 $s5, $s3, $s4
        cvt_u64_u32 $d7, $s5
        mad_u64 $d7, $d7, {size}, $d6
        mad_u32 $s8, $s8, 31, $s5
        {data}
        {BEFORE[before].format(**names)}
        st_global_{type_} {names["other"]}, [$d7]
        {EXTRAS[extra].format(**names)}
        {total}
        xor_u32 $s8, $s8, $s10
        add_u32 $s4, $s4, 1
        {again}
    @end:
        ret
    }}"""


def parted(text: str, side: str = "") -> str:
    """Let lanes part before the store, by what they store, and meet at it again."""
    return text.replace(
        "mad_u32 $s8, $s8, 31, $s5",
        f"""mad_u32 $s8, $s8, 31, $s5
        and_u32 $s13, $s8, 3
        cmp_ne_u32 $c3, $s13, 1
        cbr $c3, @met
        {side}
        add_u32 $s8, $s8, 77
    @met:""",
    )


def passed_by(text: str) -> str:
    """Let some lanes pass the store by."""
    store = "st_global_u32 $s11, [$d7]"
    skip = "and_u32 $s13, $s8, 3\n cmp_eq_u32 $c3, $s13, 1\n cbr $c3, @past"
    return text.replace(store, f"{skip}\n {store}\n @past:")


def check(text: str, type_: str, row: int, length: int, short: int = 0, items: int = ITEMS) -> bool:
    size = BYTES[type_]

    def work() -> Work:
        count = ITEMS * row + 60 - short
        out = np.arange(count, dtype=np.float64 if size == 8 else f"u{size}").view(np.uint8)
        given = [np.uint32(row), np.uint32(length), np.uint64(0), np.zeros(64, np.uint8), out]
        made = make(text, given, items=items, group_size=min(items, 64), width=32)
        first, second = (buffer.base for buffer in made.memory.buffers[:2])
        given[2] = np.uint64((second - first) % (1 << 64))
        return make(text, given, items=items, group_size=min(items, 64), width=32)

    return assert_as_oracle(work(), work())


@pytest.mark.parametrize("type_", BYTES)
@pytest.mark.parametrize("header", [False, True])
def test_rows_of_any_length(type_: str, header: bool) -> None:
    for length in (1, 7, 8, 9, 15, 16, 17, 40):
        assert not check(kernel(type_, header=header), type_, 40, length)


@pytest.mark.parametrize("type_", BYTES)
@pytest.mark.parametrize("header", [False, True])
def test_lanes_may_part_before_the_store(type_: str, header: bool) -> None:
    for length in (7, 16, 17, 40):
        assert not check(parted(kernel(type_, header=header)), type_, 40, length)


@pytest.mark.parametrize("access", ["ld", "st"])
def test_a_side_sees_what_was_stored(access: str) -> None:
    side = WITHIN.format(size=4, type_="u32", access=access, other="$s11")
    text = parted(kernel("u32"), f"{side}\n add_u32 $s8, $s8, $s11")
    assert not check(text, "u32", 40, 37, items=64)


def test_some_lanes_may_pass_the_store_by() -> None:
    assert not check(passed_by(kernel("u32")), "u32", 40, 37)


def test_a_counter_may_step_by_any_number() -> None:
    text = kernel("u32").replace("add_u32 $s4, $s4, 1", "add_u32 $s4, $s4, 4")
    text = text.replace("mov_u32 $s4, 0", "mul_u32 $s2, $s2, 4\n mov_u32 $s4, 0")
    text = text.replace("mov_u32 $s11, 0", "cvt_u64_u32 $d7, $s3\n mad_u64 $d9, $d7, 4, $d6")
    text = text.replace("$s11, [$d7]", "$s11, [$d9]\n add_u64 $d9, $d9, 4")
    for length in (1, 16, 17, 40):
        assert not check(text, "u32", 40, length)


def test_rows_of_a_known_length() -> None:
    text = kernel("u32").replace("ld_kernarg_u32 $s2, [%length]", "mov_u32 $s2, 37")
    assert not check(text, "u32", 40, 37)


@pytest.mark.parametrize("row", [0, 8, 15, 39])
def test_rows_of_a_warp_may_overlap(row: int) -> None:
    assert not check(kernel("u32"), "u32", row, 40, items=16)


@pytest.mark.parametrize("type_", ["u8", "f64"])
def test_lanes_that_do_not_run_store_nothing(type_: str) -> None:
    some = "and_u32 $s9, $s0, 5\n cmp_eq_u32 $c2, $s9, 4\n cbr $c2, @end\n @loop:"
    text = kernel(type_, "loads by a pointer of another buffer").replace("@loop:", some)
    assert not check(text, type_, 40, 37)


@pytest.mark.parametrize("extra", EXTRAS)
@pytest.mark.parametrize("type_", ["u32", "f64"])
def test_other_accesses_see_what_was_stored(type_: str, extra: str) -> None:
    assert not check(kernel(type_, extra), type_, 40, 37, items=64)


@pytest.mark.parametrize("type_", BYTES)
@pytest.mark.parametrize("before", BEFORE)
def test_rows_may_be_changed_in_place(type_: str, before: str) -> None:
    for length in (17, 37):
        assert not check(kernel(type_, before=before), type_, 40, length)


@pytest.mark.parametrize("short", [30, 60, 2000])
def test_faults_are_those_of_the_oracle(short: int) -> None:
    assert check(kernel("u32"), "u32", 40, 90, short)


@pytest.mark.skipif(not host_has("avx512f"), reason="blocks are transposed with AVX-512 only")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((kernel("u32", extra), extra != "loads the next element") for extra in EXTRAS),
        (parted(kernel("u32")), True),
        (parted(kernel("u8", header=True)), True),
        (passed_by(kernel("u32")), False),
        (kernel("u32", before="loads the element"), True),
        (kernel("u32", before="loads the next element"), False),
    ],
)
def test_rows_are_stored_in_blocks(
    text: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []
    store = row_stores.store
    monkeypatch.setattr(row_stores, "store", lambda *args: made.append(args) or store(*args))
    given = [np.uint32(40), np.uint32(40), np.uint64(0), *[np.zeros(9999, np.uint8)] * 2]
    work = make(text, given, items=64, group_size=64)
    generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    assert bool(made) == expected
