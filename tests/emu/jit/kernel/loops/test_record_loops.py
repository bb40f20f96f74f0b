"""Short loops over the fields of records, which have a copy for each iteration."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.recent import Recent

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle
from ...support.agreement import same

FIELDS, RECORDS, ITEMS = 3, 40, 70

LOOP = """
        mov_u32 $s7, 0
    @field:
        {address}
        ld_global_u32 $s8, [$d7]
        ld_global_u32 $s9, [$d7+{after}]
        mad_u32 $s6, $s6, 31, $s8
        xor_u32 $s6, $s6, $s9
        add_u32 $s7, $s7, 1
        cmp_lt_u32 $c0, $s7, {fields}
        cbr $c0, @field"""

ADDRESSES = {
    "a pointer that steps": "mov_u64 $d7, $d6\n add_u64 $d6, $d6, 4",
    "an index": """mad_u32 $s10, $s4, 3, $s7
        cvt_u64_u32 $d7, $s10
        mad_u64 $d7, $d7, 4, $d2""",
}


def kernel(address: str, fields: int = FIELDS, after: int = 4) -> str:
    """Each work-item sums up the records of which it has a list of its own."""
    loop = LOOP.format(address=ADDRESSES[address], fields=fields, after=after)
    return f"""kernel k(global u32* %list, global u32* %records, global u32* %out) {{
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%list]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s2, [$d1]            // entry
        ld_global_u32 $s3, [$d1+4]          // end
        ld_kernarg_u64 $d1, [%list]
        ld_kernarg_u64 $d2, [%records]
    @entry:
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @done
        cvt_u64_u32 $d3, $s2
        mad_u64 $d3, $d3, 4, $d1
        ld_global_u32 $s4, [$d3]            // record
        cvt_u64_u32 $d6, $s4
        mad_u64 $d6, $d6, 12, $d2
        {loop}
        add_u32 $s2, $s2, 1
        br @entry
    @done:
        ld_kernarg_u64 $d1, [%out]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s6, [$d1]
        ret
    }}"""


def lists(last: int = RECORDS - 2) -> list[np.ndarray]:
    """Where each work-item's list begins and ends, then the lists; records; room for sums."""
    rng = np.random.default_rng(8)
    ends = ITEMS + 1 + np.append(0, np.cumsum(rng.integers(0, 5, ITEMS)))
    entries = rng.integers(0, RECORDS - 1, ends[-1] - ITEMS - 1)
    entries[len(entries) // 2] = last
    records = rng.integers(0, 1 << 32, FIELDS * RECORDS, np.uint32)
    out = np.zeros(ITEMS, np.uint32)
    return [np.append(ends, entries).astype(np.uint32), records, out]


@pytest.fixture(params=["alone", "9"])
def loops(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """How sparse loops run, in code that no cache gets or has."""
    monkeypatch.setenv("SIMTLAB_LOOPS", request.param)
    monkeypatch.setattr(code, "_COMPILED", Recent())
    monkeypatch.setenv(FOLDER_VARIABLE, "/dev/null")


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize("address", ADDRESSES)
def test_words_of_records_are_loaded(address: str) -> None:
    same(kernel(address), lists(), items=ITEMS, group_size=ITEMS)


@pytest.mark.usefixtures("loops")
def test_the_first_word_that_is_outside_faults() -> None:
    """The last record's second word is inside, what follows its last one is not."""
    works = [
        make(kernel("a pointer that steps"), lists(RECORDS - 1), items=ITEMS, group_size=ITEMS)
        for _ in range(2)
    ]
    assert assert_as_oracle(*works)


@pytest.mark.parametrize(
    ("fields", "after", "remain"), [(FIELDS, 4, 1), (8, 4, 1), (9, 4, 2), (1, 400, 1)]
)
def test_only_short_loops_are_copied(fields: int, after: int, remain: int) -> None:
    (made,) = assemble(kernel("an index", fields, after)).kernels
    assert len(analyse(made).flow.loops) == remain


STORES = """kernel k(global u32* %x, global u32* %y) {{
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s2, [$d1]
        ld_kernarg_u64 $d2, [%y]
        mad_u64 $d2, $d0, {apart}, $d2
        mov_u32 $s3, 0
    @field:
        and_u32 $s4, $s2, 15
        {skip}
        st_global_u32 $s4, [$d2]
    @next:
        shr_u32 $s2, $s2, 4
        add_u64 $d2, $d2, 4
        add_u32 $s3, $s3, 1
        cmp_lt_u32 $c0, $s3, 8
        cbr $c0, @field
        ret
    }}"""


@pytest.mark.parametrize("skip", ["", "cmp_eq_u32 $c1, $s4, 3\n cbr $c1, @next"])
@pytest.mark.parametrize(("apart", "group"), [(32, 64), (36, 7), (32, 16), (64, 32)])
def test_words_of_records_are_stored(apart: int, group: int, skip: str) -> None:
    """The last word of the last record may be the last one of y, or outside."""
    text = STORES.format(apart=apart, skip=skip)
    x = np.random.default_rng(5).integers(0, 1 << 32, ITEMS, np.uint32)
    words = (ITEMS - 1) * apart // 4 + 8
    x[-1] = 0  # no field of the last record is left out
    same(text, [x, np.zeros(words, np.uint32)], items=ITEMS, group_size=group)
    works = [
        make(text, [x.copy(), np.zeros(words - 1, np.uint32)], items=ITEMS, group_size=group)
        for _ in range(2)
    ]
    assert assert_as_oracle(*works)
