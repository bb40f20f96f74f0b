"""Small elements that lanes walk along: words of them are kept from iteration to iteration."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.values.ssa import Op
from simtlab.emu.analysis.widths.width import NARROW_CHUNK, USUAL, best_facts
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.memory.records.row_words import RowWords
from simtlab.emu.jit.launch import plan
from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.jit.llvm.toolchain import host_has
from simtlab.emu.traps import TrapKind

from .....support.oracle_work import make
from ....support import fences
from ....support.agreement import same, trap_alike

KINDS = {"u8": np.uint8, "s8": np.int8, "u16": np.uint16, "s16": np.int16}
ITEMS = 192

INDEX = """cvt_u64_u32 $d5, $s2
        mad_u64 $d5, $d5, {size}, $d1
        ld_global_{kind} $s5, [$d5]
        add_u32 $s2, $s2, 1"""

POINTER = """cvt_u64_u32 $d5, $s2
        mad_u64 $d5, $d5, {size}, $d1
    @top:
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @out
        ld_global_{kind} $s5, [$d5]
        add_u64 $d5, $d5, {size}
        add_u32 $s2, $s2, 1"""

KEPT = {
    "by an index": f"""
    @top:
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @out
        {INDEX}
        mad_u32 $s4, $s4, 7, $s5
        br @top
    """,
    "by a signed index": """
    @top:
        cmp_ge_s32 $c0, $s2, $s3
        cbr $c0, @out
        cvt_s64_s32 $d5, $s2
        mad_u64 $d5, $d5, {size}, $d1
        ld_global_{kind} $s5, [$d5]
        add_s32 $s2, $s2, 1
        mad_u32 $s4, $s4, 7, $s5
        br @top
    """,
    "by a pointer": f"""
        {POINTER}
        mad_u32 $s4, $s4, 7, $s5
        br @top
    """,
    "up to an element": f"""
    @top:
        {INDEX}
        cmp_eq_u32 $c0, $s5, 3
        cbr $c0, @out
        mad_u32 $s4, $s4, 7, $s5
        cmp_lt_u32 $c0, $s2, $s3
        cbr $c0, @top
    """,
    "several ways back": f"""
        {POINTER}
        cmp_eq_u32 $c0, $s5, 3
        cbr $c0, @three
        cmp_eq_u32 $c0, $s5, 2
        cbr $c0, @top
        mad_u32 $s4, $s4, 7, $s5
        br @top
    @three:
        add_u32 $s6, $s6, 1
        mov_u32 $s7, $s4
        mov_u32 $s4, 0
        br @top
    """,
    "five branches on elements": f"""
    @top:
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @out
        {INDEX}
        cmp_eq_u32 $c0, $s5, 1
        cbr $c0, @one
        cmp_eq_u32 $c0, $s5, 2
        cbr $c0, @two
        cmp_eq_u32 $c0, $s5, 3
        cbr $c0, @one
        cmp_eq_u32 $c0, $s7, 3
        cbr $c0, @top
        add_u32 $s4, $s4, $s5
        mov_u32 $s7, 3
        br @top
    @one:
        mad_u32 $s6, $s6, 5, $s5
        mov_u32 $s7, 0
        br @top
    @two:
        mov_u32 $s7, 1
        br @top
    """,
    "entered again, from other places": f"""
        mov_u32 $s7, 0
        mov_u32 $s9, $s2
    @again:
        add_u32 $s2, $s9, $s7
    @top:
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @next
        {INDEX}
        mad_u32 $s4, $s4, 7, $s5
        cmp_ne_u32 $c0, $s5, 4
        cbr $c0, @top
        add_u32 $s6, $s6, 1
    @next:
        add_u32 $s7, $s7, 3
        cmp_lt_u32 $c0, $s7, 9
        cbr $c0, @again
    """,
    "two at once": f"""
        add_u32 $s8, $s2, 5
    @top:
        cmp_ge_u32 $c0, $s8, $s3
        cbr $c0, @out
        {INDEX}
        cvt_u64_u32 $d5, $s8
        mad_u64 $d5, $d5, {{size}}, $d1
        ld_global_{{kind}} $s9, [$d5+{{size}}]
        add_u32 $s8, $s8, 1
        mad_u32 $s4, $s4, 7, $s5
        cmp_eq_u32 $c0, $s5, $s9
        cbr $c0, @top
        add_u32 $s6, $s6, $s9
        br @top
    """,
}
"""Loops of which lanes keep words. The element before each is `x[$s2]`, and the end $s3."""

NOT_KEPT = {
    "elements that some iterations skip": f"""
    @top:
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @out
        {INDEX}
        mad_u32 $s4, $s4, 7, $s5
        cmp_ne_u32 $c0, $s5, 3
        cbr $c0, @top
        add_u32 $s2, $s2, 1
        br @top
    """,
    "elements that some iterations do not load": f"""
    @top:
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @out
        and_u32 $s7, $s4, 1
        mad_u32 $s4, $s4, 5, $s2
        cmp_eq_u32 $c0, $s7, 1
        cbr $c0, @load
        add_u32 $s2, $s2, 1
        br @top
    @load:
        {INDEX}
        add_u32 $s4, $s4, $s5
        br @top
    """,
    "a loop that changes them": f"""
    @top:
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @out
        {INDEX}
        add_u32 $s5, $s5, 1
        mad_u32 $s4, $s4, 7, $s5
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @out
        st_global_{{kind}} $s5, [$d5+{{size}}]
        br @top
    """,
    "every other element": f"""
    @top:
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @out
        {INDEX}
        add_u32 $s2, $s2, 1
        mad_u32 $s4, $s4, 7, $s5
        br @top
    """,
}


def text_of(loop: str, kind: str) -> str:
    body = loop.format(kind=kind, size=KINDS[kind]().itemsize)
    return f"""
    kernel k(global u32* %start, global {kind}* %x, global u32* %out) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u64 $d0, [%start]
        ld_kernarg_u64 $d1, [%x]
        ld_kernarg_u64 $d2, [%out]
        cvt_u64_u32 $d3, $s0
        mad_u64 $d4, $d3, 4, $d0
        ld_global_u32 $s2, [$d4]
        ld_global_u32 $s3, [$d4+4]
        mov_u32 $s4, 0
        mov_u32 $s6, 0
        mov_u32 $s7, 0
        {body}
    @out:
        mad_u64 $d4, $d3, 8, $d2
        st_global_u32 $s4, [$d4]
        st_global_u32 $s6, [$d4+4]
        ret
    }}"""


def arrays(kind: str = "u8", more: int = 8, items: int = ITEMS) -> list[np.ndarray]:
    """Return starts of stretches, elements to the end of the last one and some more, and room."""
    rng = np.random.default_rng(9)
    start = np.append(0, rng.integers(0, 23, items).cumsum()).astype(np.uint32)
    x = rng.integers(0, 6, start[-1] + more).astype(KINDS[kind])
    x[::5] = KINDS[kind](-1) if kind[0] == "s" else np.iinfo(KINDS[kind]).max
    return [start, x, np.zeros(2 * items, np.uint32)]


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("group_size", "width"), [(64, 1), (42, 7), (64, 16), (64, 32), (192, 64)])
def test_lanes_load_what_they_walk_along(name: str, kind: str, group_size: int, width: int) -> None:
    text = text_of(KEPT[name], kind)
    same(text, arrays(kind), items=ITEMS, group_size=group_size, width=width)


@pytest.mark.parametrize("name", NOT_KEPT)
def test_other_loops(name: str) -> None:
    given = arrays()
    if name == "a loop that changes them":
        given[0][:] = np.arange(ITEMS + 1) * 20  # each lane has its own
        given[1] = np.resize(given[1], 20 * ITEMS + 8)
    same(text_of(NOT_KEPT[name], "u8"), given, items=ITEMS)


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("loops", ["alone", "together", "8", "measured"])
def test_few_lanes_may_run_alone(name: str, loops: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", loops)
    same(text_of(KEPT[name], "u8"), arrays(), items=ITEMS)


@pytest.mark.parametrize("name", KEPT)
def test_lanes_that_get_work_items_one_by_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Debug builds give them so where they may, to some lanes while others are in the loop."""
    monkeypatch.setenv("SIMTLAB_POISON", "0x5a5a5a5b")
    same(text_of(KEPT[name], "u8"), arrays(items=600), items=600)


@pytest.mark.parametrize("name", ["by an index", "by a pointer", "up to an element"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing", [0, 1, 2, 3, 6])
def test_the_end_of_the_buffer(name: str, kind: str, missing: int) -> None:
    """The last words may reach beyond the buffer, and lanes beyond it trap where they would."""
    given, text = arrays(kind, 0), text_of(KEPT[name], kind)
    given[1][-7:] = 1
    if not missing:
        same(text, given, items=ITEMS)
        return
    given[1] = given[1][:-missing]
    assert trap_alike(text, given, items=ITEMS).kind is TrapKind.OUT_OF_BOUNDS


@pytest.mark.skipif(os.name != "posix", reason="fences are made by mprotect")
@pytest.mark.parametrize("name", ["by an index", "by a pointer"])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_after_a_buffer_is_read(name: str, kind: str) -> None:
    size, text = KINDS[kind]().itemsize, text_of(KEPT[name], kind)
    start, x, out = arrays(kind, 0)
    expected = same(text, [start, x, out], items=ITEMS)
    fenced = fences.fenced(x.nbytes, size).view(KINDS[kind])
    fenced[:] = x
    execute(make(text, [start, fenced, out], items=ITEMS))
    np.testing.assert_array_equal(out, expected[2])


def test_an_index_that_wraps_around_is_outside() -> None:
    start, x, out = arrays()
    start[40] = 0xFFFF_FFFE
    text = text_of(KEPT["up to an element"], "u8")
    assert trap_alike(text, [start, x, out], items=ITEMS).kind is TrapKind.OUT_OF_BOUNDS


def kept(loop: str, monkeypatch: pytest.MonkeyPatch, kind: str = "u8") -> set[int]:
    """Return the places in the code of the loads of which lanes keep words."""
    found, load = set[int](), RowWords.load

    def noted(self: RowWords, op: Op, *args: Any) -> list[str]:
        found.add(op.pc)
        return load(self, op, *args)

    monkeypatch.setattr(RowWords, "load", noted)
    work = make(text_of(loop, kind), arrays(kind), items=ITEMS, group_size=64)
    generate(work.kernel, 0, Facts(32, (64, 1, 1), whole=True))
    return found


@pytest.mark.skipif(not host_has("avx512f"), reason="elements are not gathered as words")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", KEPT)
def test_words_are_kept(name: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(kept(KEPT[name], monkeypatch, kind)) == (2 if name == "two at once" else 1)


@pytest.mark.parametrize("name", NOT_KEPT)
def test_words_are_not_kept(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not kept(NOT_KEPT[name], monkeypatch)


def vector_of(text: str) -> tuple[int, int]:
    """Return the lanes of a warp and of a vector."""
    facts = Facts(USUAL, (64, 1, 1), whole=True)
    found = best_facts(assemble(text).kernels[0], facts, narrow=True)
    return found.width, found.chunk


def test_loops_that_decide_much_by_elements_have_larger_masks() -> None:
    assert vector_of(text_of(KEPT["five branches on elements"], "u8")) == (USUAL, NARROW_CHUNK)


@pytest.mark.parametrize("name", ["by an index", "by a pointer", "two at once"])
def test_others_do_not(name: str) -> None:
    assert vector_of(text_of(KEPT[name], "u8"))[1] < NARROW_CHUNK


def test_nor_do_stretches_of_computed_length() -> None:
    """Lanes may load blocks of their rows, in vectors of 16."""
    text = text_of(KEPT["five branches on elements"], "u8")
    text = text.replace("ld_global_u32 $s2, [$d4]", "mul_u32 $s2, $s0, 40")
    text = text.replace("ld_global_u32 $s3, [$d4+4]", "add_u32 $s3, $s2, 40")
    assert vector_of(text) != (USUAL, NARROW_CHUNK)


@pytest.mark.parametrize("chunk", [16, 32, 64])
@pytest.mark.parametrize("poison", [None, 0x5A5A5A5B])
@pytest.mark.parametrize("name", KEPT)
def test_vectors_of_any_length_keep_words(
    name: str, poison: int | None, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debug builds give lanes work-items one by one."""

    def facts(*_: object) -> Facts:
        return Facts(max(32, chunk), (64, 1, 1), whole=False, chunk=chunk, poison=poison)

    monkeypatch.setattr(plan, "facts_of", facts)
    same(text_of(KEPT[name], "u8"), arrays(items=600), items=600)
