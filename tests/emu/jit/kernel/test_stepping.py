"""Loops of one lane whose accesses are tested once, before the loop, against the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from simtlab.emu.engine import Work
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of

from ....quick import examples
from ...support.oracle_work import make
from ..support.against_oracle import assert_as_oracle

ITEMS = 48
ELEMENTS = 200
RESULTS = ELEMENTS + 8
"""Where the work-items store what they have found: behind all that a loop may store to."""
TOP = 0xFFFF_FFFF

AT_THE_END = """
    @top:
        {access}
        add_u32 $s2, $s2, 1
        cmp_lt_u32 $c0, $s2, $s3
        cbr $c0, @top"""

AT_THE_HEADER = """
    @top:
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @out
        {access}
        add_u32 $s2, $s2, 1
        br @top"""

# A load that the next address depends on, so that lanes run the loop one by one.
LOAD = """
        cvt_u64_u32 $d5, $s2
        mad_u64 $d6, $d5, {step}, $d2
        ld_global_u32 $s5, [$d6{offset:+d}]
        cvt_u64_u32 $d7, $s5
        mad_u64 $d7, $d7, 4, $d3
        ld_global_u32 $s6, [$d7]
        mad_u32 $s4, $s4, 3, $s6"""

STORE = (
    LOAD
    + """
        mad_u64 $d6, $d5, 4, $d4
        st_global_u32 $s6, [$d6]"""
)


def work_of(loop: str, access: str, begin: list[int], end: list[int], **how: int) -> Work:
    """A launch whose work-item i walks from begin[i] to end[i], both taken in turn."""
    access = access.format(step=how.get("step", 4), offset=how.get("offset", 0))
    text = f"""
    kernel walk(global u32* %bounds, global u32* %at, global u32* %x, global u32* %out) {{
        workitemflatabsid_u32 $s0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%bounds]
        ld_kernarg_u64 $d2, [%at]
        ld_kernarg_u64 $d3, [%x]
        ld_kernarg_u64 $d4, [%out]
        mad_u64 $d1, $d0, 8, $d1
        ld_global_u32 $s2, [$d1]
        ld_global_u32 $s3, [$d1+4]
        mov_u32 $s4, 1
        and_u32 $s7, $s0, 7
        cmp_eq_u32 $c0, $s7, 5
        cbr $c0, @out
        {loop.format(access=access)}
    @out:
        mad_u64 $d4, $d0, 4, $d4
        st_global_u32 $s4, [$d4+{4 * RESULTS}]
        ret
    }}"""
    bounds = np.array([(begin[i % len(begin)], end[i % len(end)]) for i in range(ITEMS)], np.uint32)
    rng = np.random.default_rng(11)
    at = rng.integers(0, 64, ELEMENTS, np.uint32)
    x = rng.integers(0, 1000, 64, np.uint32)
    out = np.zeros(RESULTS + ITEMS, np.uint32)
    args = [bounds.ravel(), at, x, out]
    return make(text, args, items=ITEMS, group_size=ITEMS, budget=1 << 12)


def assert_same(*what: object, **how: int) -> None:
    """The oracle's memory, or one of its traps."""
    work, expected = (work_of(*what, **how) for _ in "ab")  # pyright: ignore[reportArgumentType]
    assert "unchecked" in generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    assert_as_oracle(work, expected)


@pytest.fixture(autouse=True, params=["alone", "12"])
def loops(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", request.param)


@pytest.mark.parametrize("loop", [AT_THE_END, AT_THE_HEADER])
@pytest.mark.parametrize("access", [LOAD, STORE])
@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ([0, 5, 190], [ELEMENTS, 9, 200]),
        ([0, 5, 190], [ELEMENTS + 1, 9, 200]),  # one past the end
        ([3, 199, 0], [4, 200, 1]),
        ([7, 9, 0], [7, 3, 0]),  # nothing to do, or one element if the end is tested last
        ([199, 200, 0], [5, 6, 7]),
        ([TOP, 0, 3], [3, 4, 5]),  # the first is far outside
        ([0, 1, 2], [TOP, 5, 6]),
        ([0, 1, 2], [0, 5, 6]),  # below 0 is nothing
    ],
)
def test_a_range_inside_or_not(loop: str, access: str, begin: list[int], end: list[int]) -> None:
    assert_same(loop, access, begin, end)


@pytest.mark.parametrize("end", [199, 200, 201])
@pytest.mark.parametrize("how", [
    {"offset": 4}, {"offset": -4}, {"offset": 2}, {"step": 8}, {"step": 8, "offset": 4},
])  # fmt: skip
def test_rows_that_begin_elsewhere(how: dict[str, int], end: int) -> None:
    assert_same(AT_THE_END, LOAD, [end // 2 - 4, 1, 60], [end // (how.get("step", 4) // 4)], **how)


_NUMBERS = st.one_of(
    st.integers(0, ELEMENTS),
    st.sampled_from([ELEMENTS + 1, TOP, TOP - 1, 1 << 31, 1 << 30, (1 << 30) + 1]),
)


@examples(
    20,
    80,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    begin=st.lists(st.integers(0, ELEMENTS) | _NUMBERS, min_size=1, max_size=7),
    end=st.lists(_NUMBERS, min_size=1, max_size=5),
    loop=st.sampled_from([AT_THE_END, AT_THE_HEADER]),
    offset=st.sampled_from([0, 0, 4, -4, 8]),
)
def test_any_ranges(begin: list[int], end: list[int], loop: str, offset: int) -> None:
    assert_same(loop, STORE, begin, end, offset=offset)


def test_only_loops_with_an_index_to_a_bound_have_two_versions() -> None:
    plain = AT_THE_END.replace("$s2, 1\n", "$s2, $s5\n")
    kernel = work_of(plain, LOAD, [0], [9]).kernel
    facts = facts_of(kernel, Geometry((ITEMS, 1, 1), (ITEMS, 1, 1), 32))
    assert "unchecked" not in generate(kernel, 0, facts)
