"""Small elements of group memory that lanes walk along: words of them are kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.values.ssa import Op
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.memory.local.walked_words import WalkedWords
from simtlab.emu.jit.llvm.toolchain import host_has
from simtlab.emu.traps import TrapKind

from .....support.oracle_work import make
from ....support.agreement import same, trap_alike

KINDS = {"u8": np.uint8, "s8": np.int8, "u16": np.uint16, "s16": np.int16}
ITEMS = 192

ELEMENT = """ld_group_{kind} $s5, [part+$s2]
        add_u32 $s2, $s2, {size}
        mad_u32 $s4, $s4, 7, $s5"""

TWO = f"""
    @top:
        ld_group_{{kind}} $s8, [part+$s2+{{size}}]
        {ELEMENT}
        mad_u32 $s6, $s6, 3, $s8
        cmp_lt_u32 $c0, $s2, $s3
        cbr $c0, @top
"""

KEPT = {
    "up to a place": f"""
    @top:
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @out
        {ELEMENT}
        br @top
    """,
    "up to an element": f"""
    @top:
        {ELEMENT}
        cmp_ne_u32 $c0, $s5, 3
        cbr $c0, @top
    """,
    "beside a store to global memory": f"""
        mad_u64 $d5, $d3, 8, $d2
    @top:
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @out
        {ELEMENT}
        st_global_u32 $s4, [$d5+4]
        br @top
    """,
    "and a row": f"""
        mov_u32 $s8, $s2
    @top:
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @out
        {ELEMENT}
        ld_group_{{kind}} $s9, [part+$s8]
        max_u32 $s6, $s6, $s9
        add_u32 $s8, $s8, {{size}}
        and_u32 $s8, $s8, 63
        br @top
    """,
    "two": TWO,
}
"""Loops of which lanes keep words: of the load by $s2, up to $s3."""

NOT_KEPT = {
    "a loop that changes them": f"""
    @top:
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @out
        {ELEMENT}
        st_group_{{kind}} $s4, [part+$s2-{{size}}]
        br @top
    """,
    "a loop with a barrier": f"""
        mov_u32 $s8, 0
    @top:
        {ELEMENT}
        barrier
        add_u32 $s8, $s8, 1
        cmp_lt_u32 $c0, $s8, 3
        cbr $c0, @top
    """,
    "every other element": f"""
    @top:
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @out
        {ELEMENT}
        add_u32 $s2, $s2, {{size}}
        br @top
    """,
}


def text_of(loop: str, kind: str) -> str:
    """Return a kernel whose workgroups copy 256 elements, of which each lane walks along some."""
    size = KINDS[kind]().itemsize
    return f"""
    kernel k(global u32* %start, global {kind}* %x, global u32* %out, u32 %group) {{
        .group {kind} part[256]
        workitemabsid_u32 $s0, 0
        workitemid_u32 $s1, 0
        ld_kernarg_u64 $d0, [%start]
        ld_kernarg_u64 $d1, [%x]
        ld_kernarg_u64 $d2, [%out]
        ld_kernarg_u32 $s10, [%group]
    @copy:
        cvt_u64_u32 $d3, $s1
        mad_u64 $d4, $d3, {size}, $d1
        ld_global_{kind} $s5, [$d4]
        mul_u32 $s6, $s1, {size}
        st_group_{kind} $s5, [part+$s6]
        add_u32 $s1, $s1, $s10
        cmp_lt_u32 $c0, $s1, 256
        cbr $c0, @copy
        barrier
        cvt_u64_u32 $d3, $s0
        mad_u64 $d4, $d3, 8, $d0
        ld_global_u32 $s2, [$d4]
        ld_global_u32 $s3, [$d4+4]
        mov_u32 $s4, 0
        mov_u32 $s6, 0
        {loop.format(kind=kind, size=size)}
    @out:
        mad_u64 $d4, $d3, 8, $d2
        st_global_u32 $s4, [$d4]
        st_global_u32 $s6, [$d4+4]
        ret
    }}"""


def arguments(kind: str = "u8", group_size: int = 64) -> list[Any]:
    """Return where lanes begin and end, in bytes, the elements, and room; the last one is a 3."""
    rng = np.random.default_rng(9)
    size = KINDS[kind]().itemsize
    start = rng.integers(0, 250, (ITEMS, 2)).astype(np.uint32)
    start[:, 1] = np.minimum(start[:, 0] + rng.integers(1, 30, ITEMS), 255)
    start[-3:] = [[250, 256], [255, 256], [253, 256]]
    x = rng.integers(0, 6, 256).astype(KINDS[kind])
    x[::5] = KINDS[kind](-1) if kind[0] == "s" else np.iinfo(KINDS[kind]).max
    x[-1] = 3
    return [start * np.uint32(size), x, np.zeros(2 * ITEMS, np.uint32), group_size]


@pytest.mark.parametrize("name", [name for name in KEPT if name != "two"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("group_size", "width"), [(64, 1), (48, 7), (64, 16), (64, 32), (192, 64)])
def test_lanes_load_what_they_walk_along(name: str, kind: str, group_size: int, width: int) -> None:
    given = arguments(kind, group_size)
    same(text_of(KEPT[name], kind), given, items=ITEMS, group_size=group_size, width=width)


@pytest.mark.parametrize("name", ["a loop with a barrier", "every other element"])
@pytest.mark.parametrize("kind", KINDS)
def test_other_loops(name: str, kind: str) -> None:
    given = arguments(kind)
    given[0] = np.minimum(given[0], 250 * KINDS[kind]().itemsize)
    same(text_of(NOT_KEPT[name], kind), given, items=ITEMS, group_size=64)


def test_one_lane_sees_what_it_has_stored() -> None:
    given = arguments(group_size=1)
    text = text_of(NOT_KEPT["a loop that changes them"], "u8")
    same(text, given, items=ITEMS, group_size=1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["up to a place", "two"])
@pytest.mark.parametrize("beyond", [1, 2, 3, 5])
def test_lanes_trap_where_their_array_ends(name: str, kind: str, beyond: int) -> None:
    given = arguments(kind)
    given[0][:-1] = np.minimum(given[0][:-1], 248 * KINDS[kind]().itemsize)
    given[0][-1] = np.array([249, 256 + beyond]) * KINDS[kind]().itemsize
    trap = trap_alike(text_of(KEPT[name], kind), given, items=ITEMS, group_size=64)
    assert trap.kind is TrapKind.OUT_OF_BOUNDS


def by_rounds(text: str) -> str:
    """Let workgroups change their elements, and lanes walk along them once more."""
    for old, new in {
        "workitemid_u32 $s1, 0": """mov_u32 $s20, 0
            mov_u32 $s21, 0
        @round:
            workitemid_u32 $s1, 0""",
        "mul_u32 $s6, $s1": "add_u32 $s5, $s5, $s20\n mul_u32 $s6, $s1",
        "@out:": """@out:
            barrier
            mad_u32 $s21, $s21, 5, $s4
            add_u32 $s20, $s20, 1
            cmp_lt_u32 $c0, $s20, 3
            cbr $c0, @round
            mov_u32 $s4, $s21""",
    }.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [16, 32])
def test_words_are_not_kept_until_the_next_loop(kind: str, width: int) -> None:
    text = by_rounds(text_of(KEPT["up to a place"], kind))
    same(text, arguments(kind), items=ITEMS, group_size=64, width=width)


def kept(text: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return of how many loads in the code of a warp lanes keep words."""
    found, load = set[int](), WalkedWords.load

    def noted(self: WalkedWords, op: Op, *args: Any) -> list[str]:
        found.add(op.pc)
        return load(self, op, *args)

    monkeypatch.setattr(WalkedWords, "load", noted)
    work = make(text, arguments(kind), items=ITEMS, group_size=64)
    generate(work.kernel, 0, Facts(32, (64, 1, 1), whole=True))
    return len(found)


@pytest.mark.skipif(not host_has("avx512f"), reason="elements are not gathered as words")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", KEPT)
def test_words_are_kept(name: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = text_of(KEPT[name], kind)
    assert kept(text, kind, monkeypatch) == (2 if name == "two" else 1)
    if name == "up to a place":
        assert kept(by_rounds(text), kind, monkeypatch) == 1


@pytest.mark.parametrize("name", NOT_KEPT)
def test_words_are_not_kept(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not kept(text_of(NOT_KEPT[name], "u8"), "u8", monkeypatch)
