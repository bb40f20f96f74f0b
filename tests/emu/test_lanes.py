"""Who a work-item is, what its warp tells it, and how many instructions it has executed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import simtlab
from simtlab.emu.engine import engine_names
from simtlab.emu.schemes import SCHEMES
from simtlab.isa.table import TABLE, Flags, OperandKind, Unit

IDENTITY = [
    (row.name, dim)
    for row in TABLE
    if row.unit is Unit.ID and Flags.CROSS_LANE not in row.flags and row.stem != "clock"
    for dim in (range(3) if any(o.kind is OperandKind.DIM for o in row.operands) else [None])
]
ENGINES = engine_names()


def everything() -> simtlab.KernelFunction:
    """Stores every identity of a work-item in its own row."""
    n = len(IDENTITY)
    lines = [
        f"{name} $s1{'' if dim is None else f', {dim}'}\nst_global_u32 $s1, [$d1+{4 * i}]"
        for i, (name, dim) in enumerate(IDENTITY)
    ]
    (kernel,) = simtlab.assemble(
        f"""
        kernel who(global u32* %out) {{
            workitemflatabsid_u32 $s0
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d1, [%out]
            mad_u64 $d1, $d0, {4 * n}, $d1
        """
        + "\n".join(lines)
        + "\nret\n}\n"
    )
    return kernel


WHO = everything()

SHAPES = [
    ((1,), (1,)),
    ((10,), (4,)),
    ((70,), (33,)),
    ((9,), (300,)),
    ((7, 5), (3, 2)),
    ((1, 40), (4, 16)),
    ((5, 4, 3), (2, 3, 2)),
    ((3, 3, 7), (3, 1, 2)),
]


def identities(engine: str, items: tuple[int, ...], group: tuple[int, ...], width: int):
    out = np.zeros((int(np.prod(items)), len(IDENTITY)), np.uint32)
    WHO.launch(items=items, group_size=group, warp=width, engine=engine)(out)
    return {key: out[:, i].tolist() for i, key in enumerate(IDENTITY)}


@pytest.mark.parametrize("engine", [e for e in ENGINES if e != "oracle"])
@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize(("items", "group"), SHAPES)
def test_every_work_item_has_the_identity_that_the_oracle_gives(
    items: tuple[int, ...], group: tuple[int, ...], width: int, engine: str
) -> None:
    assert identities(engine, items, group, width) == identities("oracle", items, group, width)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_grid_of_seven_by_five_in_workgroups_of_three_by_two(engine: str) -> None:
    who = identities(engine, (7, 5), (3, 2), 4)
    # The work-item (6, 4): alone in the last workgroup of both dimensions.
    last = {name + ("" if dim is None else str(dim)): v[34] for (name, dim), v in who.items()}
    assert last == {
        "workitemid_u320": 0, "workitemid_u321": 0, "workitemid_u322": 0,
        "workgroupid_u320": 2, "workgroupid_u321": 2, "workgroupid_u322": 0,
        "workgroupsize_u320": 3, "workgroupsize_u321": 2, "workgroupsize_u322": 1,
        "currentworkgroupsize_u320": 1, "currentworkgroupsize_u321": 1,
        "currentworkgroupsize_u322": 1,
        "gridsize_u320": 7, "gridsize_u321": 5, "gridsize_u322": 1,
        "gridgroups_u320": 3, "gridgroups_u321": 3, "gridgroups_u322": 1,
        "workitemabsid_u320": 6, "workitemabsid_u321": 4, "workitemabsid_u322": 0,
        "workitemflatid_u32": 0, "workitemflatabsid_u32": 34,
        "laneid_u32": 0, "waveid_u32": 0, "wavesize_u32": 4,
    }  # fmt: skip
    # The work-item (5, 3): flat local id 5 of a whole workgroup, so the second lane of its warp.
    other = {key: v[5 + 7 * 3] for key, v in who.items()}
    assert other["workitemflatid_u32", None] == 5
    assert (other["waveid_u32", None], other["laneid_u32", None]) == (1, 1)


@pytest.mark.parametrize("items", [(5000,), (40, 50, 3)])
def test_identity_does_not_depend_on_how_many_workgroups_are_resident(
    items: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    group = (24,) if len(items) == 1 else (3, 4, 2)
    whole = identities("interp", items, group, 16)
    monkeypatch.setattr("simtlab.emu.interp.interpreter.BATCH_LANES", 100)
    assert identities("interp", items, group, 16) == whole


# --- cross-lane operations

CROSS = 7
"""u64 values that a work-item records at a time."""

RECORD = """
    activelaneid_u32 $s20
    activelanecount_u32 $s21, $c5
    activelanemask_u64 $d20, $c5
    activelaneany_b1 $c20, $c5
    activelaneall_b1 $c21, $c5
    activelanepermute_u32 $s22, $s10, $s11
    activelanepermute_u64 $d21, $d10, $s11
    cvt_u64_u32 $d22, $s20
    st_global_u64 $d22, [$d1]
    cvt_u64_u32 $d22, $s21
    st_global_u64 $d22, [$d1+8]
    st_global_u64 $d20, [$d1+16]
    cvt_u64_b1 $d22, $c20
    st_global_u64 $d22, [$d1+24]
    cvt_u64_b1 $d22, $c21
    st_global_u64 $d22, [$d1+32]
    cvt_u64_u32 $d22, $s22
    st_global_u64 $d22, [$d1+40]
    st_global_u64 $d21, [$d1+48]
"""

# Every lane has true where its number is below 4, the value 10 * lane (and a wide one), and asks
# the lane two above it.
START = f"""
    laneid_u32 $s0
    workitemflatabsid_u32 $s1
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u64 $d1, [%out]
    mad_u64 $d1, $d0, {CROSS * 8}, $d1
    cmp_lt_u32 $c5, $s0, 4
    mul_u32 $s10, $s0, 10
    cvt_u64_u32 $d10, $s10
    shl_u64 $d10, $d10, 40
    add_u32 $s11, $s0, 2
"""


def recorded(lane: int, active: set[int], width: int) -> list[int]:
    """What a lane records when the lanes of `active` issue together."""
    true = {other for other in active if other < 4}
    source = (lane + 2) % width
    value = 10 * source if source in active else 0
    return [
        sum(other < lane for other in active),
        len(true),
        sum(1 << other for other in true),
        int(bool(true)),
        int(true == active),
        value,
        value << 40,
    ]


def record(body: str, items: int, width: int, engine: str, scheme: str) -> list[list[int]]:
    (kernel,) = simtlab.assemble(f"kernel k(global u64* %out) {{ {START} {body} \n ret\n}}")
    out = np.zeros((items, CROSS), np.uint64)
    kernel.launch(items=items, group_size=items, warp=width, engine=engine, scheme=scheme)(out)
    return out.tolist()


BRANCH = f"""
    and_u32 $s2, $s0, 1
    cvt_b1_u32 $c0, $s2
    cbr $c0, @odd
    {RECORD}
    br @join
@odd:
    {RECORD}
@join:
    nop
"""

schemes = pytest.mark.parametrize("scheme", SCHEMES)


@schemes
@pytest.mark.parametrize(("items", "width"), [(8, 8), (6, 8), (7, 7), (64, 64), (1, 32), (13, 16)])
def test_cross_lane_operations_work_over_the_lanes_of_one_side(
    items: int, width: int, scheme: str
) -> None:
    for body, sides in ((RECORD, 1), (BRANCH, 2)):
        active = {side: {x for x in range(items) if x % sides == side} for side in range(sides)}
        expected = [recorded(lane, active[lane % sides], width) for lane in range(items)]
        assert record(body, items, width, "interp", scheme) == expected


@pytest.mark.parametrize("items", [8, 20])
def test_warps_do_not_see_each_other(items: int) -> None:
    got = record(RECORD, items, 4, "interp", "stack")
    assert got == [recorded(lane % 4, set(range(4)), 4) for lane in range(items)]


@pytest.mark.parametrize("body", [RECORD, BRANCH])
def test_in_the_oracle_every_work_item_is_alone(body: str) -> None:
    got = record(body, 8, 8, "oracle", "stack")
    assert got == [recorded(lane, {lane}, 8) for lane in range(8)]


# Lanes 0-3 jump to @tail, lanes 4-7 get there through a second branch; the post-dominator is @end.
SHORT_CIRCUIT = f"""
    cbr $c5, @tail
    nop
    cmp_ge_u32 $c1, $s0, 0
    cbr $c1, @tail
    br @end
@tail:
    {RECORD}
@end:
    nop
"""


@pytest.mark.parametrize(
    ("scheme", "meet"),
    [("stack", False), ("ipdom-explicit", False), ("ppc", True), ("ppc-explicit", False),
     ("per-thread", True)],
)  # fmt: skip
def test_which_lanes_issue_together_at_a_shared_tail_depends_on_the_scheme(
    scheme: str, meet: bool
) -> None:
    halves = (set(range(4)), set(range(4, 8)))
    expected = [
        recorded(lane, set(range(8)) if meet else halves[lane // 4], 8) for lane in range(8)
    ]
    assert record(SHORT_CIRCUIT, 8, 8, "interp", scheme) == expected


# --- clock

CLOCK = """
    kernel k(global u64* %out) {
        clock_u64 $d9
        workitemflatabsid_u32 $s1
        cvt_u64_u32 $d0, $s1
        ld_kernarg_u64 $d1, [%out]
        mad_u64 $d1, $d0, 24, $d1
        st_global_u64 $d9, [$d1]
        and_u32 $s2, $s1, 7
    @loop:
        cmp_eq_u32 $c0, $s2, 0
        cbr $c0, @done
        sub_u32 $s2, $s2, 1
        clock_u64 $d10
        br @loop
    @done:
        clock_u64 $d11
        nop
        st_global_u64 $d10, [$d1+8]
        barrier
        st_global_u64 $d11, [$d1+16]
        ret
    }
"""

WAYS: list[tuple[str, str, dict[str, bool]]] = [
    ("oracle", "stack", {}),
    ("interp", "stack", {}),
    ("interp", "ppc", {}),
    ("interp", "ppc", {"cascade": False}),
    ("interp", "per-thread", {}),
]


@pytest.mark.parametrize(("engine", "scheme", "knobs"), WAYS)
@pytest.mark.parametrize("width", [1, 5, 8])
def test_the_clock_counts_the_work_items_own_instructions(
    engine: str, scheme: str, knobs: dict[str, bool], width: int
) -> None:
    # The literal reading of PPC merges a level per instruction: too late for this barrier.
    text = CLOCK.replace("barrier", "memfence") if knobs else CLOCK
    (kernel,) = simtlab.assemble(text)
    out = np.zeros((20, 3), np.uint64)
    kernel.launch(
        items=20, group_size=10, warp=width, engine=engine, scheme=scheme, knobs=knobs
    )(out)  # fmt: skip
    trips = np.arange(20) % 8
    last_in_loop = np.where(trips > 0, 7 + 5 * (trips - 1) + 3, 0)
    behind = 7 + 5 * trips + 2
    assert out.tolist() == np.stack([0 * trips, last_in_loop, behind], axis=1).tolist()


def test_clock_differs_by_the_instructions_in_between() -> None:
    between: list[Callable[[int], str]] = [lambda i: "nop", lambda i: f"mov_u32 $s{i}, {i}"]
    for make in between:
        body = "\n".join(make(i) for i in range(10))
        (k,) = simtlab.assemble(
            f"kernel k(global u64* %out) {{\n clock_u64 $d9\n {body}\n clock_u64 $d10\n"
            " sub_u64 $d10, $d10, $d9\n ld_kernarg_u64 $d1, [%out]\n"
            " st_global_u64 $d10, [$d1]\n ret\n}"
        )
        for engine in ENGINES:
            out = np.zeros(1, np.uint64)
            k.launch(items=1, engine=engine)(out)
            assert out.tolist() == [11]
