"""Fields of records: what native code loads and stores wide, in pairs, or one by one."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.kernel.memory.records.fields import Records, load_plan, store_plan
from simtlab.emu.jit.kernel.memory.records.pairs import paired
from simtlab.emu.jit.llvm.toolchain import host_has

from .....support.oracle_work import make
from ....support.against_oracle import assert_as_oracle
from ....support.agreement import same

BYTES = {"u8": 1, "s16": 2, "u32": 4, "f32": 4, "f64": 8}
ITEMS = 150

INDICES = {
    "known": "mov_u32 $s1, $s0",
    "near": "ld_kernarg_u32 $s2, [%one]\n mul_u32 $s1, $s0, $s2",
    "shuffled": "xor_u32 $s1, $s0, 5",
    "loaded": """ld_kernarg_u64 $d1, [%order]
        cvt_u64_u32 $d2, $s0
        mad_u64 $d2, $d2, 4, $d1
        ld_global_u32 $s1, [$d2]""",
}
"""The record of a lane."""


def kernel(type_: str, apart: int, index: str, *, own_sums: bool, masked: bool = False) -> str:
    """Two neighbouring fields and the last one: loaded, and stored the other way round."""
    size, places = BYTES[type_], (0, 1, apart - 1)
    register = "$d1{}" if size == 8 else "$s1{}"
    lines = []
    for do, base in (("ld", "$d6"), ("st", "$d7")):
        lines.append(f"mad_u64 $d8, $d5, {apart * size}, {base}")
        for i, place in enumerate(places):
            data = register.format(i if do == "ld" else 2 - i)
            if own_sums:
                lines += [
                    f"mul_u32 $s3, $s1, {apart}",
                    f"add_u32 $s3, $s3, {place}",
                    "cvt_u64_u32 $d9, $s3",
                    f"mad_u64 $d9, $d9, {size}, {base}",
                    f"{do}_global_{type_} {data}, [$d9]",
                ]
            else:
                lines.append(f"{do}_global_{type_} {data}, [$d8+{place * size}]")
    mask = "and_u32 $s4, $s0, 7\n cmp_eq_u32 $c1, $s4, 3\n cbr $c1, @done" if masked else ""
    return f"""kernel records(u32 %n, u32 %one, global u32* %order, global u8* %in,
                              global u8* %out) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s5, [%n]
        cmp_ge_u32 $c0, $s0, $s5
        cbr $c0, @done
        {mask}
        {INDICES[index]}
        cvt_u64_u32 $d5, $s1
        ld_kernarg_u64 $d6, [%in]
        ld_kernarg_u64 $d7, [%out]
        {chr(10).join(lines)}
    @done:
        ret
    }}"""


def arguments(type_: str, apart: int, records: int = ITEMS + 10) -> list[object]:
    rng = np.random.default_rng(apart)
    bytes_ = records * apart * BYTES[type_]
    source = rng.integers(0, 256, bytes_, np.uint8)
    if type_ == "f32":  # NaNs keep their bits
        source.view(np.uint32)[::3] |= 0x7F80_0001
    order = rng.permutation(ITEMS).astype(np.uint32)
    return [np.uint32(ITEMS), np.uint32(1), order, source, np.full(bytes_, 238, np.uint8)]


TYPES = [("u8", 3), ("s16", 2), ("u32", 2), ("f32", 6), ("f32", 16), ("f64", 4)]


@pytest.mark.parametrize(
    ("type_", "apart", "index", "own_sums"),
    [
        pytest.param(*kind, index, own_sums, marks=() if usual else pytest.mark.slow)
        for kind in TYPES
        for index in INDICES
        for own_sums in (False, True)
        for usual in (kind == ("u32", 2) or (index == "known" and not own_sums),)
    ],
)
def test_fields_are_those_of_the_oracle(type_: str, apart: int, index: str, own_sums: bool) -> None:
    text = kernel(type_, apart, index, own_sums=own_sums)
    same(text, arguments(type_, apart), items=ITEMS + 20, group_size=64)


@pytest.mark.parametrize("group", [32, 48, 96])
def test_workgroups_may_have_any_size(group: int) -> None:
    text = kernel("u32", 3, "near", own_sums=False)
    same(text, arguments("u32", 3), items=ITEMS + 20, group_size=group)


@pytest.mark.parametrize("index", INDICES)
def test_a_mask_is_that_of_each_lane(index: str) -> None:
    text = kernel("f32", 4, index, own_sums=False, masked=True)
    same(text, arguments("f32", 4), items=ITEMS, group_size=64)


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("records", [ITEMS, ITEMS - 1, ITEMS - 40])
def test_faults_are_those_of_the_oracle(index: str, records: int) -> None:
    text = kernel("u32", 4, index, own_sums=True)

    def work() -> Work:
        given = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments("u32", 4, records)]
        return make(text, given, items=ITEMS, group_size=64)

    assert assert_as_oracle(work(), work()) == (records < ITEMS or index == "shuffled")


STORES = """
    kernel k(global u32* %target) {
        .group u32 shared[60]
        .private u32 own[60]
        workitemflatabsid_u32 $s0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%target]
        mad_u64 $d0, $d0, 12, $d1
        workitemflatid_u32 $s2
        mul_u32 $s2, $s2, 4
        st_global_u32 $s0, [$d0]
        STORE
        st_global_u32 $s0, [$d0+4]
        st_global_u32 $s0, [$d0+8]
        ret
    }"""


@pytest.mark.parametrize(
    "store",
    [
        "st_group_u32 $s0, [shared+$s2]",
        "st_private_u32 $s0, [own+$s2]",
        "sub_u32 $s2, $s2, 240\n div_u32 $s0, $s0, $s2",
    ],
)
@pytest.mark.parametrize("records", [40, 50, 60, 64])
def test_a_store_does_not_move_past_one_that_may_trap(store: str, records: int) -> None:
    """Work-items 60 to 63 leave their array, and before that `target` if it is short."""

    def work() -> Work:
        target = np.zeros(3 * records, np.uint32)
        return make(STORES.replace("STORE", store), [target], items=64, group_size=64)

    assert assert_as_oracle(work(), work())


@pytest.mark.skipif(not host_has("avx512f"), reason="records are shuffled with AVX-512 only")
@pytest.mark.parametrize(("type_", "fields"), [("f32", 3), ("u32", 2)])
def test_a_float_division_does_not_part_a_record(
    type_: str, fields: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It never traps, as that of integers may."""
    made: list[int] = []
    store = Records.store
    monkeypatch.setattr(
        Records, "store", lambda *args: made.append(len(args[1].ops)) or store(*args)
    )
    text = STORES.replace("STORE", f"div_{type_} $s0, $s0, $s2")
    work = make(text, [np.zeros(192, np.uint32)], items=64, group_size=64)
    generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    assert max(made) == fields


@pytest.mark.parametrize("scale", [1, 0x4000_0000, 0x8000_0000, 0xFFFF_FFFF])
def test_indices_may_wrap_around(scale: int) -> None:
    """`one * i` is the same record for all lanes, or far away, or counts back from zero."""
    text = kernel("u32", 4, "near", own_sums=True)

    def work() -> Work:
        given = arguments("u32", 4)
        given[1] = np.uint32(scale)
        return make(text, given, items=1, group_size=64)

    assert_as_oracle(work(), work())


@pytest.mark.parametrize("apart", range(2, 17))
def test_plans_bring_each_field_to_its_lane(apart: int) -> None:
    for n in (8, 16):
        for places in ((0,), (apart - 1, 0), tuple(range(apart))):
            low = min(places)
            plan = load_plan(apart, places, n)
            extent = apart * (n - 1) + max(places) - low + 1
            assert all(0 <= start <= extent - n for start in plan.starts)
            vectors = [list(range(start, start + n)) for start in plan.starts]
            for step in plan.route.shuffles:
                both = vectors[step.first] + vectors[step.second]
                vectors.append([-1 if i is None else both[i] for i in step.order])
            for place, number in zip(places, plan.route.results, strict=True):
                assert vectors[number] == [apart * lane + place - low for lane in range(n)]
            written = {
                start + i
                for start, mask in zip(store_plan(apart, places, n).starts,
                                       store_plan(apart, places, n).masks, strict=True)
                for i, on in enumerate(mask)
                if on
            }  # fmt: skip
            assert written == {apart * lane + p - low for lane in range(n) for p in places}


def test_neighbours_are_paired_once() -> None:
    assert paired((3, 0, 1, 2, 7)) == [(1, 2), (3, 0), (4,)]
    assert paired((5, 5, 6)) == [(0, 2)]
