"""Moves, breakpoints and values of a session."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import simtlab
from simtlab.debugger.session import Session, Writer
from simtlab.isa.errors import UsageError
from simtlab.programs.index import find
from simtlab.programs.runner import PlainLauncher, run_program
from simtlab.recording.functional import FunctionalRecorder

from .support.kernels import AFFINE, affine, hung, line_of, on_chip

WAYS = [
    {"scheme": "stack", "warp": 4}, {"scheme": "ppc", "warp": 4},
    {"scheme": "ipdom-explicit", "warp": 8}, {"scheme": "per-thread", "warp": 8},
    {"policy": "conv"}, {"policy": "dws.revive-split"}, {"policy": "ppc"},
]  # fmt: skip


def hit(session: Session) -> int:
    point = session.resume().breakpoint
    assert point is not None
    return point.number


def writer(session: Session, place: str) -> Writer:
    found = session.last_writer(place)
    assert found is not None
    return found


@pytest.fixture(params=WAYS, ids=lambda way: str(next(iter(way.values()))))
def session(request) -> Session:
    return affine(**request.param)


# --- moves


def test_steps_back_undo_steps(session):
    seen = [session.position]
    while True:
        before = session.position
        session.step()
        if session.position == before:
            break
        seen.append(session.position)
    assert len(seen) == len(session.timeline.of_warp(session.warp)) + 1
    for position in reversed(seen[:-1]):
        session.step(back=True)
        assert session.position == position
    assert "no earlier instruction" in session.step(back=True).text


def test_a_step_executes_the_instruction_that_is_shown(session):
    """What the next instruction writes is what the registers show after a step."""
    while (pc := session.next_pc) is not None:
        own = session.timeline.next_of(session.warp, session.position)
        assert own is not None
        session.goto(own)
        ins, mask, before = (
            session.kernel["instructions"][pc],
            session.next_mask,
            session.registers(),
        )
        session.goto(own + 1)
        for name, bits in session.registers().items():
            lanes = np.array([mask >> lane & 1 for lane in range(len(bits))], bool)
            untouched = bits == before[name]
            assert untouched.all() if name != ins["dst"] else untouched[~lanes].all()
        session.focus_warp(session.warp)


def test_ticks_go_by_time(session):
    times = np.unique(session.timeline.t).tolist()
    for t in times:
        assert session.t == t
        assert session.position == session.timeline.first_at(t)
        session.tick()
    assert session.is_at_end
    for t in reversed(times):
        session.tick(back=True)
        assert session.t == t


@pytest.mark.parametrize("event", ["divergence", "join", "merge", "split", "exit", "miss"])
def test_events_backwards_are_those_forwards(session, event):
    def walk(back: bool) -> list[int]:
        found = []
        while True:
            try:
                session.to_event(event, back=back, anywhere=True)
            except UsageError:
                return found
            found.append(session.position)

    forwards = walk(False)
    session.goto(session.timeline.n)
    backwards = walk(True)
    expected = [p for p in forwards if p < session.timeline.n]
    assert backwards[::-1] == expected
    assert forwards == sorted(set(forwards))
    if event in ("divergence", "exit"):
        assert forwards


def test_to_divergence_shows_both_paths(session):
    session.to_event("divergence", anywhere=True)
    running = [p for p in session.paths() if p.status not in ("no work-item", "ended")]
    lane = 3
    (alone,) = [p for p in running if p.mask == 1 << lane]
    (others,) = [p for p in running if p.mask != 1 << lane and p.mask & 1]
    assert alone.pc == 9
    assert others.pc == 11
    assert not alone.mask & others.mask


def test_finish_goes_to_where_the_paths_meet():
    session = affine()
    session.to_event("divergence")
    session.finish()
    assert session.next_mask == 0xFF
    assert session.next_pc == 11


def test_lines_are_left_whole():
    """A macro line has several instructions."""
    text = AFFINE.replace(
        "kernel affine", ".macro twice\n    nop\n    nop\n.endmacro\nkernel affine"
    )
    text = text.replace("    ret", "    twice\n    ret")
    kernel = simtlab.assemble(text).affine
    session = Session(
        simtlab.record(kernel, items=8, warp=8)(2, 1, np.ones(8, "i4"), np.zeros(8, "i4"))
    )
    lines = []
    while session.next_pc is not None:
        lines.append(session.kernel["instructions"][session.next_pc]["line"])
        session.line()
    assert all(a != b for a, b in itertools.pairwise(lines))
    for line in reversed(lines):
        session.line(back=True)
        assert session.kernel["instructions"][session.next_pc]["line"] == line


def test_blocks_begin_where_the_graph_says():
    session = affine()
    seen = []
    for _ in range(3):
        session.to_event("block")
        seen.append(session.next_pc)
        if session.next_pc == 11:
            break
    assert seen == [9, 11]


def test_a_time_outside_is_refused(session):
    with pytest.raises(UsageError, match="there is no"):
        session.goto_time(session.recording.end + 1)


# --- breakpoints


def test_a_line_breakpoint_stops_before_its_line(session):
    point = session.breakpoints.at_line(line_of("sub_s32"))
    stop = session.resume()
    assert stop.breakpoint is point
    assert session.kernel["instructions"][session.next_pc]["line"] == point.line
    assert session.next_mask.bit_count() == 1
    assert session.value("item") == 3
    assert session.resume().reason == "end"
    assert session.resume(back=True).breakpoint is point
    assert session.resume(back=True).reason == "start"


def test_a_line_without_code_moves_to_the_next(session):
    point = session.breakpoints.at_line(line_of("@positive:"))
    assert point.line == line_of("@positive:") + 1


def test_conditions_choose_the_lane():
    session = affine()
    point = session.breakpoints.at_label("@positive")
    point.set_condition("$s3 == 8")
    session.resume()
    assert session.lane == 7
    point.set_condition("$s3 == 9")
    session.goto(0)
    assert session.resume().reason == "end"


def test_a_condition_that_fails_for_some_lanes_is_reported():
    session = affine()
    point = session.breakpoints.at_line(line_of("mad_s32"))
    point.set_condition("y[$s0 + 3] == 0")
    assert session.resume().breakpoint is point
    point.set_condition("y[$s0 + 8] == 0")
    session.goto(0)
    assert session.resume().reason == "end"
    assert "y[8] does not exist" in point.problem


@pytest.mark.parametrize(
    ("count", "chosen"),
    [("2", [2]), (">=3", [3, 4]), (">3", [4]), ("%2", [2, 4]), ("<3", [1, 2]), ("<=1", [1])],
)
def test_hit_counts_choose_hits_of_the_run(count, chosen):
    text = """
kernel loop(global u32* %y) {
    mov_u32  $s0, 0
@again:
    add_u32  $s0, $s0, 1
    cmp_lt_u32 $c0, $s0, 4
    cbr      $c0, @again
    ret
}
"""
    session = Session(
        simtlab.record(simtlab.assemble(text).loop, items=1, warp=1)(np.zeros(1, "u4"))
    )
    session.breakpoints.at_label("@again").set_count(count)
    seen = []
    while session.resume().breakpoint is not None:
        seen.append(session.value("$s0") + 1)
    assert seen == chosen
    backwards = []
    while session.resume(back=True).breakpoint is not None:
        backwards.append(session.value("$s0") + 1)
    assert backwards == chosen[::-1]


def test_a_work_item_stops_where_it_begins_to_run():
    session = affine()
    session.breakpoints.at_item(2)
    seen = []
    while session.resume().breakpoint is not None:
        seen.append((session.next_pc, session.lane))
    assert [pc for pc, _ in seen] == [11]  # it waits while lane 3 is alone


def test_a_line_of_one_work_item(session):
    session.breakpoints.at_line(line_of("mad_s32"), item=5)
    stop = session.resume()
    assert stop.breakpoint is not None
    assert session.value("item") == 5
    assert session.resume().reason == "end"


def test_a_mask_change_stops():
    session = affine()
    session.breakpoints.at_mask(None)
    masks = []
    while session.resume().breakpoint is not None:
        masks.append(session.next_mask)
    assert masks == [0b1000, 0xFF]


def test_watched_memory_stops_after_the_write(session):
    point = session.breakpoints.watch("y[3]")
    stop = session.resume()
    assert stop.breakpoint is point
    assert session.value("y[3]") == 14
    assert session.value("item") == 3
    session.goto(session.position - 1)
    assert session.value("y[3]") == 0
    session.goto(session.timeline.n)
    assert session.resume(back=True).breakpoint is point


def test_watched_memory_may_be_a_range():
    session = affine(warp=2)
    session.breakpoints.watch("y[2]", 4)
    seen = []
    while session.resume().breakpoint is not None:
        seen.append(session.warp)
    assert sorted(seen) == [1, 2]


def test_watched_on_chip_memory_is_that_of_the_focus():
    session = on_chip(warp=4)
    session.focus_warp(1)
    session.breakpoints.watch("part[2]")
    session.breakpoints.watch("own[1]")
    assert hit(session) == 1
    assert session.warp == 1
    assert session.lane == 2
    assert session.value("part[2]") == 106
    assert hit(session) == 2
    assert session.warp == 1
    assert session.lane == 0
    assert session.resume().reason == "end"


def test_a_watched_register_stops_where_it_changes():
    session = affine()
    session.breakpoints.watch("$s5[3]")
    values = []
    while session.resume().breakpoint is not None:
        values.append(session.value("$s5[3]"))
    assert values == [100, 0]


def test_times_and_events_stop(session):
    t = session.timeline.t.tolist()[len(session.timeline.t) // 2]
    session.breakpoints.at_time(t)
    session.resume()
    assert session.t == t
    session.goto(0)
    session.breakpoints.delete(1)
    session.breakpoints.at_event("divergence")
    session.resume()
    divided = [p for p in session.paths() if p.mask == 8]
    assert divided
    assert session.value("item") is not None


def test_disabled_breakpoints_do_not_stop(session):
    point = session.breakpoints.at_label("@positive")
    point.enabled = False
    assert session.resume().reason == "end"


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda b: b.at_line(99), "has no instruction at or after line 99"),
        (lambda b: b.at_line(3, "other.sasm"), "no instruction comes from other.sasm"),
        (lambda b: b.at_label("@positiv"), "did you mean `@positive`"),
        (lambda b: b.at_item(8), "no launch has a work-item 8"),
        (lambda b: b.at_time(10**9), "nothing issues at or after"),
        (lambda b: b.at_event("divergance"), "did you mean `divergence`"),
        (lambda b: b.watch("1 + 1"), "not a register or an element"),
        (lambda b: b[7], "there is no breakpoint 7"),
    ],
)
def test_a_breakpoint_without_a_place_is_refused(make, problem):
    session = affine()
    with pytest.raises(UsageError) as raised:
        make(session.breakpoints)
    assert problem in str(raised.value)
    assert len(session.breakpoints) == 0


# --- values


def test_the_last_writer_is_the_last_before_now(session):
    assert session.last_writer("y[3]") is None
    session.goto(session.timeline.n)
    found = session.last_writer("y[3]")
    assert found is not None
    assert (found.item, found.line) == (3, line_of("st_global_s32"))
    session.focus_item(3) if not session.recording.is_timing else None
    session.goto(found.position - 1)
    assert session.last_writer("y[3]") is None


def test_a_register_has_a_last_writer_in_each_lane():
    session = affine()
    session.goto(session.timeline.n)
    assert writer(session, "$s5[3]").line == line_of("mov_u32            $s5, 0")
    assert writer(session, "$s5[2]").line == line_of("[%b]")
    assert writer(session, "$s6[2]").t == writer(session, "$s6[3]").t


def test_changes_are_those_since_the_last_stop():
    session = affine()
    session.breakpoints.at_label("@positive")
    session.resume()
    session.step()
    changed = {n: lanes.tolist() for n, lanes in session.changed.items() if lanes.any()}
    assert changed == {"$s6": [True] * 8}
    session.step(back=True)
    assert session.changed["$s6"].all()


def test_a_work_item_is_found_in_its_warp(session):
    session.focus_item(6)
    assert session.value("item") == 6
    with pytest.raises(UsageError, match="no work-item 8"):
        session.focus_item(8)


# --- traps and hangs


def test_a_hang_ends_with_its_message():
    session = hung()
    stop = session.resume()
    assert stop.reason == "trap"
    assert "SIMT deadlock" in stop.text
    waiting = [p for p in session.paths() if p.status == "waits on the stack"]
    assert [p.mask for p in waiting] == [1]
    session.to_event("divergence", back=True)
    assert session.value("mutex[0]") == 1
    assert writer(session, "mutex[0]").lane == 0


# --- programs of several launches


@pytest.mark.parametrize("scheme", ["stack", "ppc"])
def test_a_program_is_debugged_over_all_its_launches(scheme):
    entry = find("merge")
    module = simtlab.assemble(entry.path)
    recorder = FunctionalRecorder("merge")
    launcher = PlainLauncher(module, engine="interp", scheme=scheme, executor=recorder.run)
    run = run_program(entry, launcher, size="tiny", seed=0)
    assert run.error is None
    session = Session(recorder.finish())
    session.breakpoints.at_label("merge_ranks")
    launches = []
    while session.resume().breakpoint is not None:
        launches.append(session.launch)
    assert sorted(set(launches)) == sorted(launches)[:: len(session.timeline.warps)]
    session.goto(session.timeline.n)
    final = [session.value(f"%dst[{i}]") for i in range(75)]
    assert final == sorted(final)
    session.goto(session.timeline.n // 2)
    session.focus_warp(0)
    session.set_value("$s1", session.value("$s1"))
    session.goto(session.timeline.n)
    assert [session.value(f"%dst[{i}]") for i in range(75)] == final, "no change changes nothing"


@pytest.mark.parametrize("position", range(12))
def test_an_edit_at_any_position_takes_effect_there(position):
    """Also before the first step, and in a second launch: the run and its replay agree."""
    session = affine(warp=4)
    session.goto(position)
    session.focus_warp(int(session.timeline.warp[position]))
    session.set_value("$s4", 1000 + position)
    assert session.value("$s4") == 1000 + position
    assert session.position == position
    session.goto(session.timeline.n)
    assert session.machine._replay.is_exact()
