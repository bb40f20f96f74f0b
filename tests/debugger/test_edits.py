"""Edits of registers and memory in a session, which execute the rest of the run anew."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.debugger.session import Session
from simtlab.isa.errors import UsageError

from .support.kernels import affine, hung, line_of, on_chip


def test_an_edited_register_changes_what_follows():
    session = affine()
    session.breakpoints.at_line(line_of("sub_s32"))
    session.resume()
    here = session.position
    session.step()
    session.set_value("$s5", 100)
    assert session.is_edited
    assert session.position > here
    session.goto(session.timeline.n)
    assert [session.value(f"y[{i}]") for i in range(8)] == [110, 102, 108, 114, 104, 112, 106, 116]
    session.undo_edits()
    assert not session.is_edited
    session.goto(session.timeline.n)
    assert session.value("y[3]") == 14


@pytest.mark.parametrize("scheme", ["stack", "ppc", "per-thread", "ipdom-explicit"])
def test_an_edit_changes_the_divergence(scheme):
    """Two more lanes become negative just before the branch: they take the other path."""
    session = affine(scheme=scheme, warp=8)
    session.breakpoints.at_line(line_of("cmp_ge_s32"))
    session.resume()
    session.set_value("$s3[1]", -1)
    session.set_value("$s3[6]", -3)
    session.resume()
    session.to_event("divergence", back=True)
    assert {p.mask for p in session.paths()} == {0b01001010, 0b10110101}
    session.goto(session.timeline.n)
    assert session.value("y[6]") == 6  # $s5 is clobbered there as well
    assert session.value("y[1]") == 2
    assert session.machine._replay.is_exact(), "the replay with edits is the run with edits"


def test_an_edit_can_remove_the_divergence():
    session = affine()
    session.set_value("x[3]", 7)
    session.goto(session.timeline.n)
    assert session.value("y[3]") == 114
    with pytest.raises(UsageError, match="no earlier divergence"):
        session.to_event("divergence", back=True, anywhere=True)


def test_an_edit_in_the_middle_of_a_step_has_its_place():
    """Two warps execute one instruction in one step: the edit lies between them."""
    session = affine(warp=4)
    session.breakpoints.at_line(line_of("mad_s32"))
    session.resume()
    session.step()  # now warp 0 has executed it, in the same step as warp 1
    session.goto(session.timeline.first_at(session.t - 1) + 1)
    assert session.timeline.t[session.position - 1] == session.t
    session.focus_warp(0)
    session.set_value("$s6[0]", 1)
    session.focus_warp(1)
    session.set_value("$s3[1]", 50)
    session.goto(session.timeline.n)
    assert session.value("y[0]") == 1
    assert session.value("y[5]") == 200
    assert session.machine._replay.is_exact()


def test_memory_between_the_accesses_of_a_step_is_refused():
    session = affine(warp=4)
    session.breakpoints.at_line(line_of("st_global_s32"))
    session.resume()
    session.goto(session.position + 1)
    with pytest.raises(UsageError, match="some warps have accessed memory already"):
        session.set_value("y[0]", 1)


def test_edits_of_on_chip_memory():
    session = on_chip(warp=4)
    session.breakpoints.at_event("open")
    session.resume()
    session.focus_warp(1)
    session.set_value("part[3]", 77)
    session.set_value("own[0]", 5)
    session.goto(session.timeline.n)
    assert session.value("y[4]") == 77
    assert session.value("own[0]") == 5
    assert session.machine._replay.is_exact()


def test_an_edit_may_make_the_run_trap():
    session = affine()
    session.breakpoints.at_line(line_of("st_global_s32"))
    session.resume()
    session.set_value("$d1[4]", 16)
    stop = session.goto(session.timeline.n)
    assert stop.reason == "trap"
    assert "out-of-bounds store" in stop.text


def test_an_edit_may_free_a_hang():
    session = hung()
    session.goto(session.timeline.first_at(session.timeline.t[-1] - 20))
    for lane in (1, 2, 3):
        session.set_value(f"$s2[{lane}]", 0)  # the others no longer take the lock
        session.set_value("mutex[0]", 0)
    stop = session.goto(session.timeline.n)
    assert stop.reason == "end"
    assert session.value("count[0]") == 1  # all four added to the same value, in lock step


def test_edits_before_others_replace_the_later_ones():
    session = affine()
    session.breakpoints.at_line(line_of("mad_s32"))
    session.resume()
    session.set_value("$s3[0]", 1)
    session.goto(0)
    session.set_value("x[0]", 9)
    assert len(session.edits) == 1
    session.goto(session.timeline.n)
    assert session.value("y[0]") == 118


@pytest.mark.parametrize(
    ("place", "value", "problem"),
    [
        ("$s3", 1.5, "not a whole number"),
        ("$s3", 2**33, "does not fit into s32"),
        ("$c0", 2, "is not a bit"),
        ("$s3 + 1", 2, "not a register or an element"),
    ],
)
def test_values_that_do_not_fit_are_refused(place, value, problem):
    session = affine()
    with pytest.raises(UsageError, match=problem):
        session.set_value(place, value)
    assert not session.is_edited


def test_nothing_is_edited_after_the_end_or_in_a_simulation():
    session = affine()
    session.goto(session.timeline.n)
    with pytest.raises(UsageError, match="the run has ended"):
        session.set_value("y[0]", 1)
    with pytest.raises(UsageError, match="values of a simulation"):
        affine(policy="conv").set_value("y[0]", 1)


def test_an_edited_run_that_never_ends_is_recorded_up_to_its_room(monkeypatch):
    import simtlab.debugger.session as module

    text = """
kernel down(u32 %n, global u32* %y) {
    ld_kernarg_u32 $s0, [%n]
@again:
    sub_u32    $s0, $s0, 1
    cmp_ne_u32 $c0, $s0, 0
    cbr        $c0, @again
    ret
}
"""
    kernel = simtlab.assemble(text).down
    session = Session(simtlab.record(kernel, items=1, warp=1)(3, np.zeros(1, "u4")))
    monkeypatch.setattr(module, "MOST_ANEW", 500)
    session.step()
    session.set_value("$s0", 1_000_000)
    stop = session.goto(session.timeline.n)
    assert "were not recorded" in stop.text
    assert session.timeline.n == 500
