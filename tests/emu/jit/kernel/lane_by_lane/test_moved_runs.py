"""Runs of elements that lanes alone move by vectors, and the loops that are such runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts, OwnMemory
from simtlab.emu.analysis.loops.moved_runs import moved_runs
from simtlab.emu.analysis.values.ssa import Ssa
from simtlab.emu.jit.kernel.lane_by_lane import moved_runs as code
from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.traps import Trap, TrapKind

from ....support.flows import shapes_of
from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle
from ...support.agreement import same

STRETCH = 160
"""Elements of `data` that a work-item has."""

ITEMS = 41

NUMPY = {"u8": "u1", "s8": "i1", "u16": "u2", "f32": "f4", "u32": "u4", "s64": "i8"}


@dataclass(frozen=True)
class Form:
    """A loop that moves a run of elements within a work-item's stretch."""

    type: str = "u8"
    copies: bool = True
    tests_first: bool = True
    walks: bool = False
    """Whether the loop steps pointers; an index otherwise."""
    relation: str = "lt"

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return int(self.type[1:]) // 8

    def text(self) -> str:
        """Return the kernel."""
        size, wide = self.size, "$d8" if self.size == 8 else "$s8"
        relations = {"lt": "ge", "ne": "eq"}
        given = "cvt_u64_u32 $d8, $s0" if size == 8 else "mov_u32 $s8, $s0"
        load = f"ld_global_{self.type} {wide}, [$d3]" if self.copies else ""
        places = f"""
            cvt_u64_u32 $d3, $s2
            mad_u64 $d3, $d3, {size}, $d2
            cvt_u64_u32 $d4, $s3
            mad_u64 $d4, $d4, {size}, $d2"""
        step = f"add_u64 $d3, $d3, {size}\n add_u64 $d4, $d4, {size}"
        if not self.walks:
            step = "add_u32 $s2, $s2, 1\n add_u32 $s3, $s3, 1"
        body = f"""
            {"" if self.walks else places}
            {load}
            st_global_{self.type} {wide}, [$d4]
            {step}
            add_u32 $s5, $s5, 1"""
        leaves = f"cmp_{relations[self.relation]}_u32 $c0, $s5, $s4\n cbr $c0, @end"
        stays = f"cmp_{self.relation}_u32 $c0, $s5, $s4\n cbr $c0, @top"
        first, last = (leaves, "br @top") if self.tests_first else ("", stays)
        return f"""
            kernel runs(global u32* %runs, global {self.type}* %data, u32 %n) {{
                workitemabsid_u32 $s0, 0
                ld_kernarg_u32 $s1, [%n]
                cmp_ge_u32 $c0, $s0, $s1
                cbr $c0, @out
                cvt_u64_u32 $d0, $s0
                ld_kernarg_u64 $d1, [%runs]
                mad_u64 $d1, $d0, 16, $d1
                ld_global_u32 $s2, [$d1]            // from
                ld_global_u32 $s3, [$d1+4]          // to
                ld_global_u32 $s4, [$d1+8]          // end
                ld_kernarg_u64 $d2, [%data]
                mov_u32 $s5, 0
                {given}
                {places if self.walks else ""}
            @top:
                {first}
                {body}
                {last}
            @end:
                add_u32 $s5, $s5, $s3
                st_global_u32 $s5, [$d1+12]
            @out:
                ret
            }}"""

    def arguments(self, *, longest: int = 90) -> list[Any]:
        """Return runs that overlap themselves in all ways, and what they are runs of."""
        rng = np.random.default_rng(5)
        runs = rng.integers(0, STRETCH - longest, (ITEMS, 4), np.uint32)
        runs[::3, 1] = runs[::3, 0] + rng.integers(0, 5, len(runs[::3]))
        runs[:, :2] += np.arange(ITEMS, dtype=np.uint32)[:, None] * STRETCH
        runs[:, 2] = rng.integers(0 if self.tests_first else 1, longest, ITEMS)
        data = rng.integers(0, 256, ITEMS * STRETCH * self.size, np.uint8)
        return [runs, data.view(NUMPY[self.type]), ITEMS]


FORMS = [
    Form(),
    Form("u16", walks=True, tests_first=False),
    Form("f32", walks=True),
    Form("s64", relation="ne"),
    Form("s8", copies=False, walks=True, tests_first=False),
    Form("u32", copies=False),
]


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", "alone")


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_lanes_move_runs_and_continue_after_them(form: Form) -> None:
    assert [run.size for run in _runs(form.text())] == [form.size]
    same(form.text(), form.arguments(), items=ITEMS, group_size=64, width=7)


@pytest.mark.parametrize("form", FORMS[:2], ids=str)
def test_a_run_that_leaves_its_buffer_traps_there(form: Form) -> None:
    for place, value in [
        ((9, 2), 20_000),
        ((40, 2), STRETCH),
        ((3, 0), 2**32 - 9),
        ((5, 1), 2**31),
    ]:
        works = []
        for _ in range(2):
            arguments = form.arguments()
            arguments[0][place] = value
            works.append(make(form.text(), arguments, items=ITEMS, group_size=64))
        assert assert_as_oracle(*works)


@pytest.mark.parametrize(("longest", "traps"), [(60, False), (5_000, True)])
def test_runs_are_charged(longest: int, *, traps: bool) -> None:
    """A work-item may end late, but not below its budget."""
    arguments = Form().arguments()
    arguments[0][:, 2] = 3
    arguments[0][7, 2] = longest
    work = make(Form().text(), arguments, items=ITEMS, group_size=64, budget=1_000)
    if traps:
        with pytest.raises(Trap) as caught:
            execute(work)
        assert (caught.value.record.kind, caught.value.record.local) == (TrapKind.BUDGET, 7)
    else:
        execute(work)


def test_hosts_without_masks_of_bytes_move_one_element_at_a_time(monkeypatch) -> None:
    monkeypatch.setattr(code, "host_has", lambda feature: False)
    assert not code.moves_runs()


def _private(type_: str, *, copies: bool, backwards: bool, tests_first: bool = True) -> str:
    """Return a kernel whose lanes take their stretches into private memory and move runs there.

    All that twice: lanes that run the outer loop alone run the loops in it alone.
    """
    size, wide = int(type_[1:]) // 8, "$d8" if type_.endswith("64") else "$s8"
    given = "cvt_u64_u32 $d8, $s0" if size == 8 else "mov_u32 $s8, $s0"
    step = "sub" if backwards else "add"
    leaves, stays = "cmp_ge_u32 $c0, $s5, $s4", "cmp_lt_u32 $c0, $s5, $s4"
    return f"""
        kernel runs(global u32* %runs, global {type_}* %data, u32 %n) {{
            .private {type_} own[{STRETCH}]
            workitemabsid_u32 $s0, 0
            ld_kernarg_u32 $s1, [%n]
            cmp_ge_u32 $c0, $s0, $s1
            cbr $c0, @out
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d1, [%runs]
            mad_u64 $d1, $d0, 16, $d1
            ld_global_u32 $s4, [$d1+8]          // end
            ld_global_u32 $s7, [$d1+12]         // elements of the stretch that are taken
            mov_u32 $s9, 0
        @round:
            ld_global_u32 $s2, [$d1]            // from
            ld_global_u32 $s3, [$d1+4]          // to
            ld_kernarg_u64 $d2, [%data]
            mad_u64 $d2, $d0, {STRETCH * size}, $d2
            mov_u32 $s5, 0
            mov_u64 $d3, $d2
        @take:
            cmp_ge_u32 $c0, $s5, $s7
            cbr $c0, @taken
            ld_global_{type_} {wide}, [$d3]
            mul_u32 $s6, $s5, {size}
            st_private_{type_} {wide}, [own+$s6]
            add_u64 $d3, $d3, {size}
            add_u32 $s5, $s5, 1
            br @take
        @taken:
            {given}
            mov_u32 $s5, 0
        @top:
            {f"{leaves} cbr $c0, @end" if tests_first else ""}
            mul_u32 $s6, $s2, {size}
            {f"ld_private_{type_} {wide}, [own+$s6]" if copies else ""}
            mul_u32 $s6, $s3, {size}
            st_private_{type_} {wide}, [own+$s6]
            {step}_u32 $s2, $s2, 1
            {step}_u32 $s3, $s3, 1
            add_u32 $s5, $s5, 1
            {"br @top" if tests_first else f"{stays} cbr $c0, @top"}
        @end:
            mov_u32 $s5, 0
        @give:
            cmp_ge_u32 $c0, $s5, $s7
            cbr $c0, @given
            mul_u32 $s6, $s5, {size}
            ld_private_{type_} {wide}, [own+$s6]
            st_global_{type_} {wide}, [$d2]
            add_u64 $d2, $d2, {size}
            add_u32 $s5, $s5, 1
            br @give
        @given:
            add_u32 $s9, $s9, 1
            cmp_lt_u32 $c0, $s9, 2
            cbr $c0, @round
        @out:
            ret
        }}""".replace(" cbr", "\n cbr")


PRIVATE = [
    _private("u8", copies=True, backwards=True),
    _private("s64", copies=True, backwards=False, tests_first=False),
    _private("f32", copies=False, backwards=True),
]


def _arguments(text: str) -> list[Any]:
    """Return runs in stretches of which all elements are taken."""
    form = Form(text[text.index(".private") :].split()[1], tests_first="br @top" in text)
    runs, data, items = form.arguments(longest=60)
    runs[:, :2] %= STRETCH
    if "sub_u32 $s2" in text:
        runs[:, :2] = STRETCH - 1 - runs[:, :2]
    runs[:, 3] = STRETCH
    return [runs, data, items]


@pytest.mark.parametrize("text", PRIVATE)
def test_lanes_move_runs_of_their_private_memory(text: str) -> None:
    assert len({run.loop.header for run in _runs(text)}) == 3
    same(text, _arguments(text), items=ITEMS, group_size=64, width=7)


def test_a_run_that_leaves_private_memory_traps_there() -> None:
    for place, value in [((9, 2), 20_000), ((40, 0), STRETCH), ((3, 1), 2**32 - 9)]:
        works = []
        for _ in range(2):
            arguments = _arguments(PRIVATE[0])
            arguments[0][place] = value
            works.append(make(PRIVATE[0], arguments, items=ITEMS, group_size=64))
        assert assert_as_oracle(*works)


FRONT = """
    kernel front(u32 %n, u32 %length, global u8* %code, global u8* %text) {{
        .private u8 list[64]
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%n]
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @done
        ld_kernarg_u32 $s2, [%length]
        ld_kernarg_u64 $d0, [%code]
        ld_kernarg_u64 $d1, [%text]
        mov_u32 $s3, 0
    @fill:
        st_private_u8 $s3, [list+$s3]
        add_u32 $s3, $s3, 1
        cmp_lt_u32 $c0, $s3, 64
        cbr $c0, @fill
        mov_u32 $s3, 0
    @symbol:
        cmp_ge_u32 $c0, $s3, $s2
        cbr $c0, @done
        mad_u32 $s4, $s3, $s1, $s0
        cvt_u64_u32 $d2, $s4
        add_u64 $d3, $d0, $d2
        ld_global_u8 $s5, [$d3]                 // place
        ld_private_u8 $s6, [list+$s5]
        {apart}
    @shift:
        cmp_eq_u32 $c0, $s5, 0
        cbr $c0, @front
        sub_u32 $s7, $s5, 1
        ld_private_u8 $s8, [list+$s7]
        st_private_u8 $s8, [list+$s5]
        mov_u32 $s5, $s7
        br @shift
    @front:
        st_private_u8 $s6, [list]
        add_u64 $d3, $d1, $d2
        st_global_u8 $s6, [$d3]
        add_u32 $s3, $s3, 1
        br @symbol
    @done:
        ret
    }}"""
"""Symbols that move to the front of a list, a column of a text a work-item."""

OTHERS_LEAVE = "cmp_eq_u32 $c0, $s6, 63\n cbr $c0, @done"


@pytest.mark.parametrize("apart", ["", OTHERS_LEAVE])
@pytest.mark.parametrize("n", [64, 41, 6])
def test_lanes_move_runs_alone_whatever_their_number_if_that_is_all_they_do_apart(
    n: int, apart: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", "9")
    text, length = FRONT.format(apart=apart), 30
    facts = Facts(32, (64, 1, 1), False, together_from=9, own_memory=OwnMemory.ALONE)
    plan = analyse(simtlab.assemble(text)["front"].kernel).lane_plan(facts)
    assert plan.sparse
    assert plan.has_both is bool(apart)
    code = np.random.default_rng(n).integers(0, 64, (length, n), np.uint8)
    same(text, [n, length, code, np.zeros_like(code)], items=64, group_size=64)


def test_a_lane_whose_run_leaves_the_list_traps_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", "9")
    code = np.full((9, 64), 5, np.uint8)
    code[4, 11] = 64
    text, works = FRONT.format(apart=""), []
    for _ in range(2):
        arguments = [64, 9, code.copy(), np.zeros_like(code)]
        works.append(make(text, arguments, items=64, group_size=64))
    assert assert_as_oracle(*works)


LOAD, STORE = "ld_global_u8 $s8, [$d3]", "st_global_u8 $s8, [$d4]"
STEP = "add_u32 $s2, $s2, 1"

OTHER_LOOPS = {
    "what is stored is computed": (LOAD, f"{LOAD}\n xor_u32 $s8, $s8, 1"),
    "the step is loaded": (STEP, "add_u32 $s2, $s2, $s8"),
    "a way out besides": (STEP, f"{STEP}\n cmp_eq_u32 $c0, $s8, 0\n cbr $c0, @end"),
    "elements of another size": ("st_global_u8", "st_global_u16"),
    "a second store": (STORE, f"{STORE}\n{STORE}"),
    "what is loaded is gathered": (
        "cvt_u64_u32 $d3, $s2",
        "and_u32 $s9, $s2, 7\n cvt_u64_u32 $d3, $s9",
    ),
    "every other element is loaded": (STEP, "add_u32 $s2, $s2, 2"),
    "what is loaded goes down": (STEP, "sub_u32 $s2, $s2, 1"),
}


@pytest.mark.parametrize("name", OTHER_LOOPS)
def test_other_loops_are_no_runs(name: str) -> None:
    old, new = OTHER_LOOPS[name]
    assert not _runs(Form().text().replace(old, new))


def _runs(text: str) -> list[Any]:
    ssa: Ssa = shapes_of(_body(text)).ssa
    return [run for loop in ssa.flow.loops for run in moved_runs(ssa, loop)]


def _body(text: str) -> str:
    """The body of the kernel, for `shapes_of`, whose parameters are x and n."""
    lines = text[text.index("{") + 1 : text.rindex("ret")]
    return lines.replace("[%runs]", "[%x]").replace("[%data]", "[%x]")
