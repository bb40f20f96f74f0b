"""Lists of indices, one a lane, that lanes go through one by one, against the oracle."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from simtlab.emu.engine import Work

from .....quick import examples
from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

ITEMS = 64
PLACES = 90
"""Elements that indices lead to."""

KERNEL = """
    kernel k(global u32* %row, global {index}* %list, global {type}* %x, global {type}* %y) {{
        workitemflatabsid_u32 $s0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%row]
        ld_kernarg_u64 $d2, [%list]
        ld_kernarg_u64 $d3, [%x]
        ld_kernarg_u64 $d4, [%y]
        add_u64 $d3, $d3, {before}
        mad_u64 $d1, $d0, 8, $d1
        ld_global_u32 $s1, [$d1]
        ld_global_u32 $s2, [$d1+4]
        mov_u64 $d9, 0
        cmp_ge_u32 $c0, $s1, $s2
        cbr $c0, @store
    @top:
        cvt_u64_u32 $d5, $s1
        mad_u64 $d5, $d5, 4, $d2
        ld_global_{index} $s3, [$d5]
        {access}
        add_u32 $s1, $s1, {by}
        cmp_lt_u32 $c0, $s1, $s2
        cbr $c0, @top
    @store:
        mad_u64 $d5, $d0, {size}, $d4
        st_global_{type} {sum}, [$d5]
        ret
    }}"""

ADD = {
    "u32": ("$s9", "ld_global_u32 $s5, [$d6]\n mad_u32 $s9, $s9, 3, $s5"),
    "f32": ("$s9", "ld_global_f32 $s5, [$d6]\n fma_f32 $s9, $s5, $s5, $s9"),
    "f64": ("$d9", "ld_global_f64 $d7, [$d6]\n fma_f64 $d9, $d7, $d7, $d9"),
}

INDICES = {
    # name: (what is done to $s3, the largest element that index i leads to)
    "as it is": ("nop", lambda i: i),
    "the third of three": ("mul_u32 $s3, $s3, 3\n add_u32 $s3, $s3, 2", lambda i: 3 * i + 2),
    "doubled": ("shl_u32 $s3, $s3, 1", lambda i: 2 * i),
    "the next one": ("add_u32 $s3, $s3, 1", lambda i: i + 1),
}


@dataclass(frozen=True)
class Case:
    """Lists of indices, one a lane, and what is done with them."""

    index: str = "u32"
    type: str = "f32"
    made: str = "as it is"
    twice: bool = False
    """Whether an iteration loads two indices."""
    before: int = 0
    """The first element that index 0 leads to."""
    lengths: tuple[int, ...] = (5, 0, 3, 17, 1)
    apart: int = 0
    """Indices between two lists, which no lane loads."""
    backwards: bool = False
    """Whether lists lie from last to first."""
    odd: tuple[tuple[int, int], ...] = ()
    """(place, index): indices put in place of others, also between lists."""
    spare: int = 128
    """Indices after the last list."""

    def text(self) -> str:
        scale = 8 if self.type == "f64" else 4
        total, add = ADD[self.type]
        change, _ = INDICES[self.made]
        signed = self.index == "s32"
        cvt = "cvt_s64_s32" if signed else "cvt_u64_u32"
        one = f"""{change}
            {cvt} $d6, $s3
            mad_u64 $d6, $d6, {scale}, $d3
            {add}"""
        access = one
        if self.twice:
            access += f"\n ld_global_{self.index} $s3, [$d5+4]\n{one}"
        return KERNEL.format(
            index=self.index, type=self.type, access=access, size=scale, sum=total,
            by=2 if self.twice else 1, before=self.before * scale,
        )  # fmt: skip

    def arrays(self) -> list[np.ndarray]:
        rng = np.random.default_rng(7)
        factor = 2 if self.twice else 1
        lengths = [factor * self.lengths[i % len(self.lengths)] for i in range(ITEMS)]
        order = range(ITEMS)[:: -1 if self.backwards else 1]
        row, at = np.zeros((ITEMS, 2), np.uint32), 0
        for i in order:
            row[i] = at, at + lengths[i]
            at += lengths[i] + self.apart
        _, largest = INDICES[self.made]
        most = max(i for i in range(PLACES) if largest(i) < PLACES - self.before)
        indices = rng.integers(0, most + 1, at + self.spare)
        for place, index in self.odd:
            if len(indices):
                indices[place % len(indices)] = index
        indices = indices.astype(np.uint32).view(np.int32 if self.index == "s32" else np.uint32)
        kind = {"u32": np.uint32, "f32": np.float32, "f64": np.float64}[self.type]
        x = rng.integers(0, 1000, PLACES).astype(kind)
        return [row.ravel(), indices, x, np.zeros(ITEMS, kind)]

    def work(self) -> Work:
        return make(self.text(), self.arrays(), items=ITEMS, group_size=ITEMS)


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lanes run alone, whatever the host's CPU is good at."""
    monkeypatch.setenv("SIMTLAB_LOOPS", "alone")


def check(case: Case) -> bool:
    """Compare native code with the oracle; return whether a work-item traps."""
    return assert_as_oracle(case.work(), case.work())


CASES = {
    "lists one after the other": Case(),
    "signed indices": Case(index="s32"),
    "f64": Case(type="f64"),
    "integers": Case(type="u32"),
    "elements before index 0": Case(index="s32", before=4),
    "two indices an iteration": Case(twice=True),
    **{f"an index {made}": Case(made=made) for made in INDICES},
    **{f"a signed index {made}": Case(made=made, index="s32") for made in INDICES},
    "lists from last to first": Case(backwards=True),
    "lists far apart": Case(apart=300),
    "lists of one": Case(lengths=(1,)),
    "long lists": Case(lengths=(200, 0, 90)),
    "a few very long lists": Case(lengths=(0, 0, 400)),
    "nothing after the last list": Case(spare=0),
    "a small buffer": Case(lengths=(0, 0, 0, 1), spare=0),
    "empty lists only": Case(lengths=(0,)),
}


@pytest.mark.parametrize("name", CASES)
def test_all_indices_are_inside(name: str) -> None:
    check(CASES[name])


@pytest.mark.parametrize(
    "index", [PLACES, 1 << 20, (1 << 31) - 1, 1 << 31, 0xFFFF_FFFF, 0x5555_5556]
)
@pytest.mark.parametrize("made", INDICES)
@pytest.mark.parametrize("kind", ["u32", "s32"])
def test_an_index_is_a_fault_of_its_lane_if_it_leads_outside(
    kind: str, made: str, index: int
) -> None:
    _, place = INDICES[made]
    leads_outside = place(index) % (1 << 32) >= PLACES
    assert check(Case(index=kind, made=made, odd=((101, index),))) is leads_outside


@pytest.mark.parametrize("before", [0, 4])
def test_a_negative_index_may_lead_to_an_element(before: int) -> None:
    assert check(Case(index="s32", before=before, odd=((40, 0xFFFF_FFFE),))) is (before == 0)


def test_what_no_lane_loads_may_lead_anywhere() -> None:
    """Between lists and after the last one."""
    case = Case(lengths=(6, 7), apart=3)
    odd = tuple((place, 0xFFFF_FFFF) for place in (6, 7, 8, 16, 17, 18, 64 * 13 // 2 + 3 * 64))
    assert not check(replace(case, odd=odd))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    odd = st.sampled_from([0, PLACES - 1, PLACES, 1 << 31, 0xFFFF_FFFF, 0x8000_0001])
    return Case(
        index=draw(st.sampled_from(["u32", "s32"])),
        type=draw(st.sampled_from(sorted(ADD))),
        made=draw(st.sampled_from(sorted(INDICES))),
        twice=draw(st.booleans()),
        before=draw(st.sampled_from([0, 0, 1, 9])),
        lengths=tuple(draw(st.lists(st.integers(0, 40), min_size=1, max_size=6))),
        apart=draw(st.sampled_from([0, 0, 1, 5, 70])),
        backwards=draw(st.booleans()),
        odd=tuple(draw(st.lists(st.tuples(st.integers(0, 4000), odd), max_size=2))),
        spare=draw(st.sampled_from([0, 1, 64, 300])),
    )


@examples(5, 25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=cases())
def test_random_lists(case: Case) -> None:
    check(case)
