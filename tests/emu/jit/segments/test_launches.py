"""Whole launches through segments, against the oracle: memory, traps, NaNs, pieces of warps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simtlab.asm.assemble import assemble
from simtlab.emu.engine import Work
from simtlab.emu.jit.segments.table import Grain
from simtlab.emu.module import Module
from simtlab.emu.oracle import oracle
from simtlab.emu.traps import Trap, TrapKind
from simtlab.programs.index import Entry, catalogue
from simtlab.programs.runner import PlainLauncher, run_program
from simtlab.testing import Case, assert_all_agree, kernels

from ....quick import examples, few
from ...support.oracle_work import make
from .. import test_kernels, test_values
from ..support import agreement, segment_walker
from ..support.hostile_work import HOSTILE, hostile_work

WIDTHS = [1, 7, 16, 32, 64]
BOTH = list(Grain)


@pytest.fixture
def through_segments(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Grain, int]]:
    """The jit walks through segments; the list holds grain and width."""
    how = [(Grain.SEGMENT, 32)]

    def run(work: Work) -> None:
        segment_walker.run(work, how[0][0])

    monkeypatch.setattr("simtlab.emu.jit.launch.engine.run", run)
    monkeypatch.setattr(agreement, "execute", run)
    monkeypatch.setattr(
        agreement, "make", lambda *args, **options: make(*args, width=how[0][1], **options)
    )
    return how


# --- programs and random kernels

_EXPECTED: dict[str, str] = {}


def oracle_digest(entry: Entry) -> str:
    if entry.name not in _EXPECTED:
        launcher = PlainLauncher(Module(assemble(entry.path)), engine="oracle")
        _EXPECTED[entry.name] = run_program(entry, launcher, size="tiny").memory_digest
    return _EXPECTED[entry.name]


def check_program(through_segments, entry: Entry, grain: Grain, width: int) -> None:
    through_segments[0] = grain, width
    launcher = PlainLauncher(Module(assemble(entry.path)), engine="jit", warp=width)
    run = run_program(entry, launcher, size="tiny")
    assert not run.mismatches
    assert run.memory_digest == oracle_digest(entry), width


@pytest.mark.parametrize("entry", few(catalogue(), 4), ids=lambda e: e.name)
def test_every_program_leaves_the_oracles_memory(through_segments, entry: Entry):
    # One grain and width for each program; together the programs have them all.
    ways = [(grain, width) for grain in BOTH for width in WIDTHS]
    check_program(through_segments, entry, *ways[catalogue().index(entry) % len(ways)])


@pytest.mark.slow
@pytest.mark.parametrize("entry", catalogue(), ids=lambda e: e.name)
@pytest.mark.parametrize("grain", BOTH)
def test_every_program_every_way(through_segments, entry: Entry, grain: Grain):
    for width in WIDTHS:
        check_program(through_segments, entry, grain, width)


def agree(case: Case, grain: Grain, width: int, seed: int | None) -> None:
    pieces = None if seed is None else np.random.default_rng(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "simtlab.emu.jit.launch.engine.run",
            lambda work: segment_walker.run(work, grain, pieces),
        )
        assert_all_agree(case, engines=["jit"], schemes=["stack"], widths=[width])


WAYS = {
    "grain": st.sampled_from(BOTH),
    "width": st.sampled_from(WIDTHS),
    "seed": st.none() | st.integers(0, 99),
}


@examples(6, 40)
@given(case=kernels(), **WAYS)
def test_random_kernels_leave_the_oracles_memory(case, grain, width, seed):
    agree(case, grain, width, seed)


@pytest.mark.slow
@settings(max_examples=2000)
@given(case=kernels(), **WAYS)
def test_thousands_of_random_kernels_leave_the_oracles_memory(case, grain, width, seed):
    agree(case, grain, width, seed)


# --- what whole kernels are tested with

USUAL = [(Grain.SEGMENT, 32), (Grain.INSTRUCTION, 7), (Grain.SEGMENT, 64)]


@pytest.mark.parametrize("name", few([*test_values.NAN_BODIES], 3))
def test_nans_have_the_oracles_bits(through_segments, name: str) -> None:
    for through_segments[0] in USUAL[:2]:
        test_values.test_nans_have_the_oracles_bits(name)


@pytest.mark.parametrize("place", few([*test_values.PLACES], 3))
def test_every_type_travels_by_every_way(through_segments, place: str) -> None:
    for through_segments[0] in USUAL[:2]:
        test_values.test_every_type_travels_by_every_way(place)


@pytest.mark.parametrize("ragged", [False, True])
@pytest.mark.parametrize("group_size", test_kernels.GROUP_SIZES)
def test_every_work_item_knows_who_it_is(through_segments, group_size, ragged: bool) -> None:
    for through_segments[0] in (*USUAL, (Grain.SEGMENT, 1), (Grain.SEGMENT, 16)):
        test_kernels.test_every_work_item_knows_who_it_is(group_size, ragged)


@pytest.mark.parametrize("ragged", [False, True])
@pytest.mark.parametrize("group_size", test_kernels.GROUP_SIZES)
def test_warps_exchange_through_group_memory(through_segments, group_size, ragged: bool) -> None:
    for through_segments[0] in USUAL:
        test_kernels.test_warps_exchange_through_group_memory_and_keep_their_values(
            group_size, ragged
        )


# --- traps


def expect_trap_of(work: Work, grain: Grain) -> Trap | None:
    """The trap that segments meet, which must be one of the oracle's."""
    found = oracle.all_traps(work)
    if not found:
        segment_walker.run(work, grain)
        return None
    with pytest.raises(Trap) as caught:
        segment_walker.run(work, grain)
    assert caught.value.record.key in found
    return caught.value


TRAPPING = [n for n in HOSTILE if "barrier" not in n]


@pytest.mark.parametrize("name", few(TRAPPING, 3))
def test_a_trap_is_one_that_a_work_item_alone_has(name: str) -> None:
    body, kind = HOSTILE[name]
    for width, grain in ((32, Grain.SEGMENT), (7, Grain.INSTRUCTION), (64, Grain.SEGMENT)):
        trap = expect_trap_of(hostile_work(body, width=width), grain)
        assert trap is not None
        assert trap.record.kind is kind
        str(trap)


@pytest.mark.parametrize("name", few(TRAPPING, 3, 1))
def test_lanes_that_are_off_do_not_trap(name: str) -> None:
    guard = "cmp_ge_u32 $c5, $s0, %d\n cbr $c5, @out"
    body, _ = HOSTILE[name]
    for bound in (0, 17, 40):
        expect_trap_of(hostile_work(f"{guard % bound}\n{body}"), Grain.SEGMENT)


def test_a_freed_buffer_traps_as_such() -> None:
    for body in ("ld_global_u32 $s9, [$d4]", "st_global_u32 $s9, [$d1]"):
        work = hostile_work(body)
        work.memory.free(work.memory.buffers[0])
        with pytest.raises(Trap) as caught:
            segment_walker.run(work)
        assert caught.value.record.kind is TrapKind.FREED


def test_a_launch_without_buffers_has_nowhere_to_go() -> None:
    work = hostile_work("ld_global_u32 $s9, [$d4]")
    for buffer in work.memory.buffers:
        work.memory.free(buffer)
    assert expect_trap_of(work, Grain.SEGMENT) is not None
