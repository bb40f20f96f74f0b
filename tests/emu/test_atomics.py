"""Atomics: every row on every engine, in the order of the lanes, against plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simtlab
from simtlab.emu.engine import engine_names
from simtlab.emu.schemes import SCHEMES
from simtlab.isa.table import BY_NAME, TABLE, Row
from simtlab.isa.types import Type

ROWS = [row.name for row in TABLE if row.is_atomic]
ENGINES = engine_names()
CELLS = 8

each_engine = pytest.mark.parametrize("engine", ENGINES)
each_row = pytest.mark.parametrize("name", ROWS)


def wrap(value: int, type_: Type) -> int:
    """`value` modulo the width, in the range of the type."""
    value &= (1 << type_.bits) - 1
    return value - (1 << type_.bits) if type_.is_signed and value >> (type_.bits - 1) else value


def new_value(stem: str, old: int, a: int, b: int) -> int:
    match stem.removeprefix("atomic_"):
        case "add":
            return old + a
        case "sub":
            return old - a
        case "min":
            return min(old, a)
        case "max":
            return max(old, a)
        case "and":
            return old & a
        case "or":
            return old | a
        case "xor":
            return old ^ a
        case "exch":
            return a
        case "cas":
            return b if old == a else old
    raise AssertionError(stem)


def in_order(
    row: Row, cells: Sequence[int], index: Sequence[int], a: Sequence[int], b: Sequence[int]
) -> tuple[list[int], list[int]]:
    """(cells afterwards, old value of each lane) when lane acts after lane."""
    assert row.type is not None
    after, old = list(cells), []
    for lane, place in enumerate(index):
        old.append(after[place])
        after[place] = wrap(new_value(row.stem, after[place], a[lane], b[lane]), row.type)
    return after, old


@cache
def function(name: str, wants_old: bool) -> simtlab.KernelFunction:
    """Every work-item does one atomic on cells[index[i]] with a[i] and b[i]."""
    row = BY_NAME[name]
    assert row.type is not None
    assert row.segment is not None
    t, size = row.type, row.type.size
    r = "$d" if size == 8 else "$s"
    is_group = row.segment.value == "group"
    destination = f"{r}20, " if wants_old else ""
    sources = f"{r}21, {r}22" if row.stem == "atomic_cas" else f"{r}21"
    copy_in = f"""
        cmp_ge_u32 $c0, $s0, {CELLS}
        cbr $c0, @ready
        mad_u64 $d2, $d0, {size}, $d10
        ld_global_{t} {r}23, [$d2]
        mul_u32 $s1, $s0, {size}
        st_group_{t} {r}23, [shared+$s1]
    @ready:
        barrier"""
    copy_out = f"""
        barrier
        cbr $c0, @end
        ld_group_{t} {r}23, [shared+$s1]
        st_global_{t} {r}23, [$d2]
    @end:"""
    (kernel,) = simtlab.assemble(
        f"""
        kernel act(global {t}* %cells, global u32* %index, global {t}* %a, global {t}* %b,
                   global {t}* %old) {{
            .group {t} shared[{CELLS}]
            workitemflatid_u32 $s0
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d10, [%cells]
            ld_kernarg_u64 $d11, [%index]
            ld_kernarg_u64 $d12, [%a]
            ld_kernarg_u64 $d13, [%b]
            ld_kernarg_u64 $d14, [%old]
            {copy_in if is_group else ""}
            mad_u64 $d1, $d0, {size}, $d12
            ld_global_{t} {r}21, [$d1]
            mad_u64 $d1, $d0, {size}, $d13
            ld_global_{t} {r}22, [$d1]
            mad_u64 $d1, $d0, 4, $d11
            ld_global_u32 $s2, [$d1]
            mul_u32 $s2, $s2, {size}
            cvt_u64_u32 $d1, $s2
            add_u64 $d1, $d1, $d10
            {name} {destination}{"[shared+$s2]" if is_group else "[$d1]"}, {sources}
            mad_u64 $d1, $d0, {size}, $d14
            st_global_{t} {r}20, [$d1]
            {copy_out if is_group else ""}
            ret
        }}
        """
    )
    return kernel


def check(
    name: str,
    engine: str,
    cells: Sequence[int],
    index: Sequence[int],
    a: Sequence[int],
    b: Sequence[int],
    *,
    wants_old: bool = True,
) -> None:
    """One workgroup, which is one warp, does what plain Python does lane after lane."""
    row = BY_NAME[name]
    assert row.type is not None
    dtype = row.type.numpy
    values = [np.array(v, dtype) for v in (cells, a, b)]
    old = np.zeros(len(index), dtype)
    launch = function(name, wants_old).launch(
        items=len(index), group_size=64, warp=64, engine=engine
    )
    launch(values[0], np.array(index, np.uint32), values[1], values[2], old)
    after, before = in_order(row, cells, index, a, b)
    assert values[0].tolist() == after
    assert old.tolist() == (before if wants_old else [0] * len(index))


def edges(type_: Type) -> list[int]:
    low = -(1 << (type_.bits - 1)) if type_.is_signed else 0
    return [low, low + 1, 0, 1, 2, 3, low + (1 << type_.bits) - 1]


@each_engine
@each_row
def test_every_atomic_returns_the_old_value_and_leaves_the_new_one(name: str, engine: str) -> None:
    type_ = BY_NAME[name].type
    assert type_ is not None
    rng = np.random.default_rng(7)
    known = edges(type_)
    index = rng.integers(0, CELLS, 64).tolist()
    cells, a, b = (
        [known[i] for i in rng.integers(0, len(known), n)] for n in (CELLS, 64, 64)
    )  # fmt: skip
    check(name, engine, cells, index, a, b)
    check(name, engine, cells, index, a, b, wants_old=False)


@each_engine
@each_row
def test_lanes_on_one_address_act_in_ascending_order(name: str, engine: str) -> None:
    n = 33
    a = [(lane * 5) % 7 for lane in range(n)]
    b = [(lane * 3) % 7 for lane in range(n)]
    check(name, engine, [3] * CELLS, [5] * n, a, b)


@st.composite
def uses(draw: st.DrawFn) -> tuple[str, list[int], list[int], list[int], list[int], bool]:
    name = draw(st.sampled_from(ROWS))
    type_ = BY_NAME[name].type
    assert type_ is not None
    lanes = draw(st.integers(CELLS, 64))
    # Few distinct values, so that cas meets its comparand; few distinct places, so that lanes meet.
    value = st.one_of(st.sampled_from(edges(type_)), st.integers(0, 3))
    places = st.integers(0, draw(st.integers(0, CELLS - 1)))
    return (
        name,
        draw(st.lists(value, min_size=CELLS, max_size=CELLS)),
        draw(st.lists(places, min_size=lanes, max_size=lanes)),
        draw(st.lists(value, min_size=lanes, max_size=lanes)),
        draw(st.lists(value, min_size=lanes, max_size=lanes)),
        draw(st.booleans()),
    )


@given(uses())
def test_any_pattern_of_addresses_gives_what_lane_after_lane_gives(
    use: tuple[str, list[int], list[int], list[int], list[int], bool],
) -> None:
    name, cells, index, a, b, wants_old = use
    for engine in ENGINES:
        check(name, engine, cells, index, a, b, wants_old=wants_old)


TICKETS = """
    kernel tickets(global u32* %next, global u32* %mine) {
        workitemflatabsid_u32 $s0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%next]
        ld_kernarg_u64 $d2, [%mine]
        mad_u64 $d2, $d0, 4, $d2
        mov_u32 $s1, 1
        and_u32 $s2, $s0, 4
        cvt_b1_u32 $c0, $s2
        cbr $c0, @second
        atomic_add_global_u32 $s3, [$d1], $s1
        br @store
    @second:
        atomic_add_global_u32 $s3, [$d1], $s1
    @store:
        st_global_u32 $s3, [$d2]
        ret
    }
"""

WAYS = [("oracle", "stack"), *(("interp", scheme) for scheme in SCHEMES)]


@pytest.mark.parametrize(("engine", "scheme"), WAYS)
@pytest.mark.parametrize("width", [1, 7, 32])
def test_no_ticket_is_drawn_twice_in_whatever_order(engine: str, scheme: str, width: int) -> None:
    n = 150
    counter, mine = np.zeros(1, np.uint32), np.zeros(n, np.uint32)
    (tickets,) = simtlab.assemble(TICKETS)
    tickets.launch(items=n, group_size=40, warp=width, engine=engine, scheme=scheme)(counter, mine)
    assert counter.tolist() == [n]
    assert sorted(mine.tolist()) == list(range(n))
    first_of_warp = np.arange(n) % 40 % width == 0
    for path in (0, 4):
        # Inside a warp, the lanes of a path draw in ascending order.
        on_path = (np.arange(n) & 4) == path
        ascending = np.diff(mine[on_path].astype(np.int64)) > 0
        starts = np.add.reduceat(first_of_warp, np.flatnonzero(on_path))[1:] > 0
        assert (ascending | starts).all()


TWO_ARRAYS = """
    kernel spread(global u32* %even, global u32* %odd, global u32* %old) {
        workitemflatabsid_u32 $s0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%even]
        ld_kernarg_u64 $d2, [%odd]
        ld_kernarg_u64 $d3, [%old]
        and_u32 $s1, $s0, 1
        cvt_b1_u32 $c0, $s1
        select_u64 $d1, $c0, $d2, $d1
        mad_u64 $d3, $d0, 4, $d3
        atomic_add_global_u32 $s2, [$d1], $s0
        st_global_u32 $s2, [$d3]
        ld_global_u32 $s3, [$d1+4]
        add_u32 $s3, $s3, 100
        st_global_u32 $s3, [$d1+8]
        ret
    }
"""


@each_engine
def test_the_lanes_of_one_instruction_may_reach_into_several_arrays(engine: str) -> None:
    even, odd = np.array([0, 5, 0], np.uint32), np.array([1000, 6, 0], np.uint32)
    old = np.zeros(8, np.uint32)
    (spread,) = simtlab.assemble(TWO_ARRAYS)
    spread.launch(items=8, engine=engine)(even, odd, old)
    assert even.tolist() == [0 + 2 + 4 + 6, 5, 105]
    assert odd.tolist() == [1000 + 1 + 3 + 5 + 7, 6, 106]
    assert old.tolist() == [0, 1000, 0, 1001, 2, 1004, 6, 1009]
