"""Loops of one lane without cold sides, which continue with them where a test fails."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.jit.kernel import launch_facts
from simtlab.emu.jit.launch import engine
from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.oracle import oracle
from simtlab.emu.recent import Recent

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle
from ...support.agreement import same

EDGES = """
    kernel edges(u32 %n, global u32* %row, global u32* %col, global u32* %a, global u32* %b,
                 global u32* %sum) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%n]
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @done
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%row]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s2, [$d1]
        ld_global_u32 $s3, [$d1+4]
        ld_kernarg_u64 $d2, [%col]
        ld_kernarg_u64 $d3, [%a]
        ld_kernarg_u64 $d4, [%b]
        ld_kernarg_u64 $d8, [%sum]
        mad_u64 $d9, $d0, 4, $d8
        mov_u32 $s4, $s0
        cmp_ge_u32 $c0, $s2, $s3
        cbr $c0, @store
    @edge:
        cvt_u64_u32 $d5, $s2
        mad_u64 $d5, $d5, 4, $d2
        ld_global_u32 $s5, [$d5]
        cvt_u64_u32 $d5, $s5
        {body}
        add_u32 $s2, $s2, 1
        cmp_lt_u32 $c0, $s2, $s3
        cbr $c0, @edge
    @store:
        st_global_u32 $s4, [$d9]
    @done:
        ret
    }}"""

TWO = """
        mad_u64 $d6, $d5, 4, $d3
        ld_global_u32 $s6, [$d6]
        mad_u64 $d7, $d5, 4, $d4
        ld_global_u32 $s7, [$d7]
        mad_u32 $s4, $s4, 3, $s6
        xor_u32 $s4, $s4, $s7"""
"""Two loads by one index, which have one limit."""

FIELDS = """
        {before}
        {first}
        add_u32 $s7, $s6, {near}
        cvt_u64_u32 $d6, $s7
        mad_u64 $d6, $d6, 4, $d3
        ld_global_u32 $s7, [$d6]
        add_u32 $s8, $s6, {far}
        cvt_u64_u32 $d6, $s8
        mad_u64 $d6, $d6, 4, $d3
        ld_global_u32 $s8, [$d6]
        mad_u32 $s4, $s4, 3, $s7
        mad_u32 $s4, $s4, 5, $s8"""
"""Loads at constant distances from an index, which may wrap around where it is 0."""

BODIES = {
    "two buffers by one index": TWO,
    "neighbours in different nodes": """
        mad_u64 $d6, $d5, 4, $d3
        ld_global_u32 $s6, [$d6]
        add_u32 $s4, $s4, $s6
        and_u32 $s7, $s6, 1
        cmp_eq_u32 $c1, $s7, 0
        cbr $c1, @even
        ld_global_u32 $s7, [$d6+4]
        mad_u32 $s4, $s4, 5, $s7
    @even:""",
    "a store before a load of the node": f"""{TWO}
        mad_u64 $d10, $d0, 4, $d4
        st_global_u32 $s4, [$d9]
        ld_global_u32 $s8, [$d10]
        ld_global_u32 $s9, [$d7]
        add_u32 $s4, $s4, $s8
        add_u32 $s4, $s4, $s9""",
    "a loop inside": f"""{TWO}
        and_u32 $s8, $s7, 3
    @inner:
        cmp_eq_u32 $c1, $s8, 0
        cbr $c1, @over
        sub_u32 $s8, $s8, 1
        mad_u32 $s4, $s4, 7, $s8
        br @inner
    @over:""",
    "fields of a record": FIELDS.format(before="", first="xor_u32 $s6, $s5, 0", near=0, far=1),
    "fields whose record wraps around": FIELDS.format(
        before="", first="sub_u32 $s6, $s5, 1", near=1, far=2
    ),
    "the same after a store": FIELDS.format(
        before="st_global_u32 $s4, [$d9]", first="sub_u32 $s6, $s5, 1", near=1, far=2
    ),
    "pairs of a row": f"""{TWO}
        mov_u32 $s10, $s2
    @other:
        cvt_u64_u32 $d11, $s10
        mad_u64 $d11, $d11, 4, $d2
        ld_global_u32 $s11, [$d11]
        cvt_u64_u32 $d11, $s11
        mad_u64 $d11, $d11, 4, $d3
        ld_global_u32 $s11, [$d11]
        mad_u32 $s4, $s4, 3, $s11
        add_u32 $s10, $s10, 1
        cmp_lt_u32 $c1, $s10, $s3
        cbr $c1, @other""",
    "what a row begins with": f"""{TWO}
        and_u32 $s10, $s7, 3
        sub_u32 $s12, $s2, $s10
    @other:
        cmp_ge_u32 $c1, $s12, $s2
        cbr $c1, @over
        cvt_u64_u32 $d11, $s12
        mad_u64 $d11, $d11, 4, $d4
        ld_global_u32 $s11, [$d11]
        mad_u32 $s4, $s4, 3, $s11
        add_u32 $s12, $s12, 1
        br @other
    @over:""",
}


def graph(n: int, nodes: int = 100, seed: int = 1) -> list:
    """Rows of 0 to 20 numbers of nodes; an array of as many, and another one that is longer."""
    rng = np.random.default_rng(seed)
    row = np.append(0, rng.integers(0, 21, n).cumsum()).astype(np.uint32)
    col = rng.integers(0, nodes - 1, int(row[-1]) + 1, np.uint32)
    a, b = (rng.integers(0, 1 << 30, length, np.uint32) for length in (nodes, 20 * nodes))
    return [n, row, col, a, b, np.zeros(n, np.uint32)]


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("name", BODIES)
def test_results_are_those_of_the_oracle(name: str, width: int) -> None:
    same(EDGES.format(body=BODIES[name]), graph(90), items=90, group_size=45, width=width)


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize("name", BODIES)
def test_pointers_may_lead_to_another_buffer(name: str) -> None:
    """A lane leaves the code without cold sides for the rest of its loop; the next begins there."""
    works = [make(EDGES.format(body=BODIES[name]), graph(90), items=90, group_size=45)
             for _ in "ab"]  # fmt: skip
    for work in works:
        _, col, a, b, _ = work.memory.buffers
        # From `a` into `b`. As far after the begin of `b` is still in it.
        col.host.view(np.uint32)[::17] = (b.base - a.base) // 4 + 3
    assert not assert_as_oracle(*works)


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("short", [3, 4])
def test_a_shorter_array_ends_the_launch_where_the_oracle_does(name: str, short: int) -> None:
    text = EDGES.format(body=BODIES[name])
    trapped = []
    for rest in (1, 4, 30):
        works = []
        for _ in "ab":
            arrays = graph(90)
            arrays[short] = arrays[short][: 100 - rest].copy()
            works.append(make(text, arrays, items=90, group_size=45))
        trapped.append(assert_as_oracle(*works))
    assert any(trapped) == (short == 3 or "$d4" in BODIES[name])


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize("name", BODIES)
def test_a_lane_is_charged_for_no_more_than_it_executes(name: str, monkeypatch) -> None:
    """The constant that all nodes cost is more than that, but only the warp's counter has it."""
    monkeypatch.setenv("SIMTLAB_POISON", "0x5a5a5a5b")
    monkeypatch.setattr(engine, "_start_over", lambda work, record: pytest.fail(str(record)))
    text = EDGES.format(body=BODIES[name])
    expected = make(text, graph(90), items=90, group_size=45)
    budget = max(len(pcs) for pcs in oracle.trace(expected).values())
    work = make(text, graph(90), items=90, group_size=45, budget=budget)
    assert not assert_as_oracle(work, make(text, graph(90), items=90, group_size=45))


def _text(body: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("SIMTLAB_LOOPS", "alone")
    monkeypatch.setenv(FOLDER_VARIABLE, "/dev/null")
    monkeypatch.setattr(code, "_COMPILED", Recent())
    (kernel,) = assemble(EDGES.format(body=body)).kernels
    facts = launch_facts.facts_of(kernel, Geometry.of(None, 64, items=256))
    return code.generate(kernel, 0, facts)


@pytest.mark.parametrize("name", ["two buffers by one index", "neighbours in different nodes"])
def test_there_is_a_version_without_cold_sides(name: str, monkeypatch) -> None:
    text = _text(BODIES[name], monkeypatch)
    quick = text[text.index("unchecked_lane") :]
    quick = quick[: quick.index("checked_next")]
    assert "simtlab_move_one" in text
    assert "simtlab_move" not in quick
    # Each test that fails leads to the node in the version that has cold sides.
    assert quick.count("br label %checked") >= 2
    # The last accesses are tested against the least of two limits: LLVM then needs one test.
    limits = [line.rsplit(" ", 1)[1] for line in quick.splitlines() if "icmp ult i64" in line]
    assert len(limits) == 3
    assert limits[0] != limits[1] == limits[2]


def test_fields_of_a_record_have_one_test(monkeypatch) -> None:
    text = _text(BODIES["fields of a record"], monkeypatch)
    quick = text[text.index("\nunchecked_lane") : text.index("\nchecked_next")]
    limits = [line.rsplit(" ", 1)[1] for line in quick.splitlines() if "icmp ult i64" in line]
    assert limits[0] != limits[-2] == limits[-1]


@pytest.mark.parametrize("name", ["pairs of a row", "what a row begins with"])
def test_a_counted_loop_inside_is_tested_where_it_begins(name: str, monkeypatch) -> None:
    text = _text(BODIES[name], monkeypatch)
    quick = text[text.index("\nunchecked_lane") : text.index("\nchecked_next")]
    before, loop = quick[quick.index("\nuncheckedrun") :].split("\ninner", 1)
    body = loop[loop.index("\nunchecked") :]
    body = body[: body.index("\nalone")]
    # Its places in a row and its charge are tested before it; what is loaded leads to others.
    assert before.count("icmp ult i64") + before.count("icmp uge i64") >= 3
    assert body.count("label %checked") == (name == "pairs of a row")
