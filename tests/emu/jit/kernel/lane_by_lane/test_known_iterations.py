"""Loops of known numbers of iterations in a loop that lanes run alone: written out."""

from __future__ import annotations

import re

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.lanes import sparse
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.jit.kernel import launch_facts
from simtlab.emu.jit.launch import engine
from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.oracle import oracle
from simtlab.emu.recent import Recent
from simtlab.emu.traps import Trap, TrapKind

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle
from ...support.agreement import same

BYTES, CODES, MOST = 5, 8, 3
"""Bytes of a group, codes in them, and the most groups of a work-item."""

KERNEL = """
    kernel codes(u32 %n, global u32* %many, global u8* %data, global u32* %table,
                 global u32* %out) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%n]
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @done
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%many]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s2, [$d1]
        ld_kernarg_u64 $d2, [%data]
        ld_kernarg_u64 $d3, [%table]
        ld_kernarg_u64 $d4, [%out]
        mul_u32 $s3, $s0, 15
        mul_u32 $s4, $s0, 24
        mov_u32 $s5, 0
    @group:
        cmp_ge_u32 $c0, $s5, $s2
        cbr $c0, @done
        mov_u64 $d5, 0
        mov_u32 $s6, 0
    @byte:
        {byte_test}
        add_u32 $s7, $s3, $s6
        cvt_u64_u32 $d6, $s7
        add_u64 $d6, $d6, $d2
        ld_global_u8 $s8, [$d6]
        cvt_u64_u32 $d7, $s8
        mul_u32 $s9, $s6, 8
        shl_u64 $d8, $d7, $s9
        or_u64 $d5, $d5, $d8
        {byte_body}
        add_u32 $s6, $s6, 1
        {byte_back}
    @codes:
        add_u32 $s3, $s3, 5
        mov_u32 $s6, 0
    @code:
        cmp_ge_u32 $c0, $s6, 8
        cbr $c0, @next
        mul_u32 $s9, $s6, 5
        shr_u64 $d6, $d5, $s9
        cvt_u32_u64 $s10, $d6
        and_u32 $s10, $s10, 31
        cvt_u64_u32 $d6, $s10
        mad_u64 $d7, $d6, 4, $d3
        ld_global_u32 $s11, [$d7]
        add_u32 $s12, $s4, $s6
        cvt_u64_u32 $d8, $s12
        mad_u64 $d8, $d8, 4, $d4
        {code_body}
        st_global_u32 $s11, [$d8]
        {after_store}
        add_u32 $s6, $s6, 1
        br @code
    @next:
        add_u32 $s4, $s4, 8
        add_u32 $s5, $s5, 1
        br @group
    @done:
        ret
    }}"""

FIRST = {
    "byte_test": "cmp_ge_u32 $c0, $s6, 5\n cbr $c0, @codes",
    "byte_back": "br @byte",
    "byte_body": "",
    "code_body": "",
    "after_store": "",
}

FORMS = {
    "tested first": {},
    "tested last": {"byte_test": "", "byte_back": "cmp_lt_u32 $c0, $s6, 5\n cbr $c0, @byte"},
    "down": {
        "byte_test": "sub_u32 $s9, 4, $s6\n cmp_lt_s32 $c0, $s9, 0\n cbr $c0, @codes",
    },
    "a second way out": {"byte_body": "cmp_eq_u32 $c0, $s8, 7\n cbr $c0, @codes"},
    "a load after the store": {"after_store": "ld_global_u32 $s13, [$d7]\n xor_u32 $s4, $s4, 0"},
    "the table is changed": {"after_store": "st_global_u32 $s10, [$d7]"},
    "a branch inside": {
        "code_body": "cmp_lt_u32 $c1, $s10, 16\n cbr $c1, @over\n add_u32 $s11, $s11, 3\n @over:"
    },
}


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lanes run sparse loops alone, whatever the host's CPU is good at."""
    monkeypatch.setenv("SIMTLAB_LOOPS", "alone")
    monkeypatch.setattr(sparse, "gains_alone", lambda shapes, loop: True)
    monkeypatch.setenv(FOLDER_VARIABLE, "/dev/null")
    monkeypatch.setattr(code, "_COMPILED", Recent())


def _text(form: str) -> str:
    return KERNEL.format(**{**FIRST, **FORMS[form]})


def _arguments(n: int = 50, table: int = 32) -> list:
    rng = np.random.default_rng(n)
    many = rng.integers(0, MOST + 1, n, np.uint32)
    data = rng.integers(0, 256, n * MOST * BYTES, np.uint8)
    out = np.zeros(n * MOST * CODES, np.uint32)
    return [n, many, data, rng.integers(0, 1 << 32, table, np.uint32), out]


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("width", [7, 64])
@pytest.mark.parametrize("form", [form for form in FORMS if "changed" not in form])
def test_results_are_those_of_the_oracle(form: str, width: int) -> None:
    same(_text(form), _arguments(), items=50, group_size=25, width=width)


@pytest.mark.usefixtures("alone")
def test_a_lane_sees_what_it_has_stored() -> None:
    same(_text("the table is changed"), _arguments(1), items=1, group_size=1)


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("form", [form for form in FORMS if "changed" not in form])
@pytest.mark.parametrize("short", [2, 3, 4])
def test_a_lane_traps_within_an_inner_loop(form: str, short: int) -> None:
    """The last work-item alone reaches the end of an array, at any place of both loops."""
    trapped = []
    for missing in range(1, 9):
        works = []
        for _ in "ab":
            arguments = _arguments()
            _, many, data, _, _ = arguments
            many[-1] = MOST
            if short == 3:  # one code leads out of the table, of any of the eight
                data[:] = 0
                data[-BYTES:] = np.frombuffer((31 << 5 * (8 - missing)).to_bytes(5, "little"), "u1")
                missing_now = 1
            else:
                missing_now = missing
            arguments[short] = arguments[short][:-missing_now].copy()
            works.append(make(_text(form), arguments, items=50, group_size=25))
        trapped.append(assert_as_oracle(*works))
    assert all(trapped) or form == "a second way out"


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("form", [form for form in FORMS if "changed" not in form])
def test_pointers_may_lead_to_another_buffer(form: str) -> None:
    """Places of `out` wrap around 32 bits, or are in a buffer that is not that of the parameter."""
    text = _text(form).replace("mul_u32 $s4, $s0, 24", "mul_u32 $s4, $s0, 24\n sub_u32 $s4, $s4, 6")
    works = [make(text, _arguments(), items=50, group_size=25) for _ in "ab"]
    assert assert_as_oracle(*works)


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("form", [form for form in FORMS if "changed" not in form])
def test_a_lane_is_charged_for_no_more_than_it_executes(form: str, monkeypatch) -> None:
    monkeypatch.setenv("SIMTLAB_POISON", "0x5a5a5a5b")
    counts = oracle.trace(make(_text(form), _arguments(), items=50, group_size=25))
    budget = max(len(pcs) for pcs in counts.values())
    few = make(_text(form), _arguments(), items=50, group_size=25, budget=budget // 4)
    with pytest.raises(Trap) as caught:
        execute(few)
    assert caught.value.record.kind is TrapKind.BUDGET
    monkeypatch.setattr(engine, "_start_over", lambda work, record: pytest.fail(str(record)))
    work = make(_text(form), _arguments(), items=50, group_size=25, budget=budget)
    assert not assert_as_oracle(work, make(_text(form), _arguments(), items=50, group_size=25))


def _module(form: str) -> str:
    (kernel,) = assemble(_text(form)).kernels
    facts = launch_facts.facts_of(kernel, Geometry.of(None, 64, items=256))
    return code.generate(kernel, 0, facts)


@pytest.mark.usefixtures("alone")
def test_loops_are_written_out() -> None:
    counts = [
        sorted(map(int, re.findall(r"unroll.count\", i32 (\d+)", _module(form))))
        for form in ("tested first", "tested last", "a second way out")
    ]
    assert counts == [[6, 9], [5, 9], [9]]
