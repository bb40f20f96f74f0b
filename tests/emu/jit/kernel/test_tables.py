"""Readonly tables of places in private arrays, and kernels that differ in what their words use."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab import Trap
from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.widths.width import best_facts
from simtlab.isa.objectfile import dumps, loads
from simtlab.isa.program import MOST_TABLES
from simtlab.isa.types import Segment

from ..support.agreement import same, trap_alike

WIDTHS = (1, 7, 16, 32, 64)
ITEMS, GROUP = 150, 70

PERMUTED = """
.readonly u8 ahead[3] = {{ 9, 9, 9 }}
.readonly {type} places[8] = {{ {places} }}
kernel k(global u64* %x, global u64* %out) {{
    .private u64 a[8]
    workitemflatabsid_u32 $s0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 8, $d1
    ld_global_u64 $d2, [$d1]
    mov_u32 $s1, 0
@fill:
    shl_u32 $s2, $s1, 3
    st_private_u64 $d2, [a+$s2]
    mul_u64 $d2, $d2, 0x10003
    add_u32 $s1, $s1, 1
    cmp_lt_u32 $c0, $s1, 8
    cbr $c0, @fill
    mov_u32 $s4, 0
@round:
    mov_u32 $s1, 0
@turn:
    mul_u32 $s2, $s1, {size}
    ld_readonly_{type} $s3, [places+$s2{more}]
    add_u32 $s3, $s3, {bias}
    shl_u32 $s3, $s3, 3
    ld_private_u64 $d3, [a+$s3]
    xor_u64 $d3, $d3, $d2
    shl_u64 $d4, $d3, 13
    shr_u64 $d5, $d3, 51
    or_u64 $d4, $d4, $d5
    st_private_u64 $d4, [a+$s3]
    mov_u64 $d2, $d3
    add_u32 $s1, $s1, 1
    cmp_lt_u32 $c0, $s1, 8
    cbr $c0, @turn
    add_u32 $s4, $s4, 1
    cmp_lt_u32 $c0, $s4, {rounds}
    cbr $c0, @round
    ld_private_u64 $d3, [a+24]
    add_u64 $d2, $d2, $d3
    ld_kernarg_u64 $d1, [%out]
    mad_u64 $d1, $d0, 8, $d1
    st_global_u64 $d2, [$d1]
    ret
}}
"""

ORDER = (3, 0, 7, 1, 6, 2, 5, 4)


def permuted(type_: str = "u32", **changes: Any) -> str:
    """Return a kernel whose rounds go through private memory in the order of a table."""
    given = {"size": int(type_[1:]) // 8, "bias": 0, "more": "", "rounds": 20, "places": ORDER}
    given |= changes
    if not isinstance(given["places"], str):
        given["places"] = ", ".join(map(str, given["places"]))
    return PERMUTED.format(type=type_, **given)


def arguments() -> list[Any]:
    x = np.random.default_rng(5).integers(0, 1 << 64, ITEMS, np.uint64)
    return [x, np.zeros(ITEMS, np.uint64)]


def has_private(text: str) -> bool:
    """Return whether private memory is in memory."""
    ops = analyse(assemble(text).kernels[0]).ssa.ops.values()
    return any(op.ins.row.segment is Segment.PRIVATE for node in ops for op in node)


@pytest.mark.parametrize(
    ("type_", "places", "bias"),
    [
        ("u32", ORDER, 0),
        ("s8", [p - 8 for p in ORDER], 8),
        ("u16", [p + 60000 for p in ORDER], -60000),
    ],
)
def test_a_table_of_places(type_: str, places: list[int], bias: int) -> None:
    text = permuted(type_, places=places, bias=bias)
    assert not has_private(text)
    for width in WIDTHS if type_ == "u32" else (7, 32):
        same(text, arguments(), items=ITEMS, group_size=GROUP, width=width)


@pytest.mark.parametrize("more", ["+1", "+28"])
def test_a_load_that_faults_is_not_a_constant(more: str) -> None:
    text = permuted(more=more)
    trap_alike(text, arguments(), items=64, group_size=64)


def test_a_large_table_stays_a_table() -> None:
    large = f".readonly u8 rest[{MOST_TABLES}] = {{ 1 }}\n"
    assert has_private(large + permuted())
    same(large + permuted(), arguments(), items=ITEMS, group_size=GROUP)


def test_kernels_that_differ_in_their_table_only() -> None:
    for places in (ORDER, ORDER[::-1]):
        same(permuted(places=places), arguments(), items=ITEMS, group_size=GROUP)


def test_a_program_that_is_read_knows_its_tables() -> None:
    program = assemble(permuted())
    (kernel,) = loads(dumps(program)).kernels
    assert kernel.tables == program.kernels[0].tables != b""


@pytest.mark.parametrize(("rounds", "loops"), [(20, 1), (5, 0)])
def test_long_loops_over_the_same_places_have_no_copies(rounds: int, loops: int) -> None:
    assert len(analyse(assemble(permuted(rounds=rounds)).kernels[0]).flow.loops) == loops


@pytest.mark.parametrize(("words", "lanes"), [(8, 16), (24, 8), (40, 64)])
def test_lanes_of_loops_on_words_of_64_bits(words: int, lanes: int) -> None:
    """In 16 lanes 8 words have registers, in 8 lanes 24; 40 stay in memory, for 64 lanes."""
    text = permuted(places=range(8)).replace("a[8]", f"a[{words}]")
    text = text.replace("places[8] =", f"places[{words}] =").replace("$s1, 8", f"$s1, {words}")
    text = text.replace("0, 1, 2, 3, 4, 5, 6, 7", ", ".join(map(str, range(words))))
    facts = Facts(32, (64, 1, 1), whole=True)
    found = best_facts(assemble(text).kernels[0], facts, narrow=True)
    assert (found.width, found.chunk) == (lanes, min(lanes, 16))
    if lanes == 8:
        same(text, arguments(), items=ITEMS, group_size=GROUP, width=8)


OWN = """
kernel k(global u32* %x, global u32* %out) {
    .private u32 a[SIZE]
    workgroupid_u32 $s0, 0
    workitemid_u32 $s1, 0
    mad_u32 $s0, $s0, 64, $s1
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s2, [$d1]
    st_private_u32 $s0, [a+$s2]
    ld_private_u32 $s3, [a+$s2]
    ld_kernarg_u64 $d1, [%out]
    mad_u64 $d1, $d0, 4, $d1
    st_global_u32 $s3, [$d1]
    ret
}
"""


def test_kernels_that_differ_in_their_private_memory_only() -> None:
    """The second one had the size of the first, where places in the grid are calculated."""
    given = [np.full(128, 20, np.uint32), np.zeros(128, np.uint32)]
    with pytest.raises(Trap):
        simtlab.assemble(OWN.replace("SIZE", "4")).k[2, 64](*given)
    simtlab.assemble(OWN.replace("SIZE", "8")).k[2, 64](*given)
    assert (given[1] == np.arange(128)).all()


def test_the_key_of_a_kernel() -> None:
    kernel = assemble(permuted()).kernels[0]
    assert replace(kernel, name="other").key == kernel.key
    assert replace(kernel, private=()).key != kernel.key
    assert replace(kernel, readonly=b"\1" * 40).key != kernel.key
