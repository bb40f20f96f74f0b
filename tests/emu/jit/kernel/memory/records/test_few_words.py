"""Bytes and 16-bit elements of records that are far apart: out of words that lanes gather."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.kernel.memory.records import few_words
from simtlab.emu.jit.llvm.toolchain import host_has

from .....support.oracle_work import make
from ....support.against_oracle import assert_as_oracle
from ....support.agreement import same

SIZES = {"u8": 1, "s8": 1, "u16": 2, "s16": 2}
ITEMS = 150


def kernel(type_: str, apart: int, places: list[int], *, masked: bool = False) -> str:
    """A number of all fields of each lane's record, the first one first."""
    size = SIZES[type_]
    loads = "\n".join(
        f"ld_global_{type_} $s3, [$d2+{place * size}]\n mad_u32 $s2, $s2, 31, $s3"
        for place in places
    )
    mask = "and_u32 $s4, $s0, 7\n cmp_eq_u32 $c1, $s4, 3\n cbr $c1, @done" if masked else ""
    return f"""kernel lines(u32 %n, global u8* %in, global u32* %out) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%n]
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @done
        {mask}
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%in]
        mad_u64 $d2, $d0, {apart * size}, $d1
        {loads}
        ld_kernarg_u64 $d1, [%out]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s2, [$d1]
    @done:
        ret
    }}"""


def arguments(type_: str, apart: int, elements: int) -> list[object]:
    rng = np.random.default_rng(apart)
    source = rng.integers(0, 256, elements * SIZES[type_], np.uint8)
    return [np.uint32(ITEMS), source, np.zeros(ITEMS, np.uint32)]


LINES = [
    ("u8", 19, list(range(19))),
    ("s8", 23, [0, 1, 2, 9, 8, 7, 22, 21]),
    ("u8", 300, [4, 5, 6, 7, 7]),
    ("u16", 17, [0, 1, 15, 16]),
    ("s16", 40, [8, 9, 2, 3, 5, 4]),
    ("u8", 31, [0, 1, 2]),
    ("u8", 31, [0, 8, 16, 24]),
]


@pytest.mark.parametrize(("type_", "apart", "places"), LINES)
@pytest.mark.parametrize("masked", [False, True])
def test_fields_are_those_of_the_oracle(
    type_: str, apart: int, places: list[int], masked: bool
) -> None:
    # The last record ends with the buffer.
    elements = (ITEMS - 1) * apart + max(places) + 1
    given = arguments(type_, apart, elements)
    same(kernel(type_, apart, places, masked=masked), given, items=ITEMS + 20, group_size=64)


@pytest.mark.parametrize("short", [0, 1, 19, 19 * 100])
def test_faults_are_those_of_the_oracle(short: int) -> None:
    text = kernel("u8", 19, list(range(19)))

    def work() -> Work:
        given = arguments("u8", 19, ITEMS * 19 - short)
        return make(text, given, items=ITEMS, group_size=64)

    assert assert_as_oracle(work(), work()) == bool(short)


@pytest.mark.skipif(not host_has("avx512f"), reason="words are gathered with AVX-512 only")
@pytest.mark.parametrize(
    ("type_", "apart", "places", "taken"),
    [
        ("u8", 19, list(range(19)), True),
        ("u16", 17, [0, 1, 15, 16], True),
        ("u8", 31, [0, 1, 2], False),  # a word would end after the record
        ("u8", 31, [0, 8, 16, 24], False),
    ],
)
def test_words_are_gathered_where_they_save_gathers(
    type_: str, apart: int, places: list[int], taken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    load = few_words.load
    monkeypatch.setattr(
        few_words, "load", lambda *given: made.append(len(given[1])) or load(*given)
    )
    given = arguments(type_, apart, ITEMS * apart)
    work = make(kernel(type_, apart, places), given, items=ITEMS, group_size=64)
    generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    assert set(made) == ({len(places)} if taken else set())


def test_words_have_all_elements_and_end_with_the_last_one() -> None:
    assert few_words.words_of(range(19), 1) == {
        0: [0, 1, 2, 3], 4: [4, 5, 6, 7], 8: [8, 9, 10, 11], 12: [12, 13, 14, 15], 15: [16, 17, 18]
    }  # fmt: skip
    assert few_words.words_of([7, 6, 6, 3], 2) == {3: [3], 6: [6, 7]}
