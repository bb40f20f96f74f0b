"""What is counted: by hand on small kernels, the sums, the page, the forms."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.emu.engine import Interrupted
from simtlab.emu.traps import Trap
from simtlab.timing.compiler import files as policies
from simtlab.timing.compiler.choice import refusal
from simtlab.timing.engine import causes
from simtlab.timing.machines import machine
from simtlab.timing.results.collect import collect
from simtlab.timing.results.lines import annotated
from simtlab.timing.results.statistics import BUCKETS, COUNTERS, DERIVED, Statistics
from simtlab.timing.simulation.simulator import Simulator

from ..support.kernels import DIVERGES
from ..support.toy import work_of

PAGE = (Path(simtlab.__file__).parent / "docs" / "statistics.md").read_text(encoding="utf-8")


def simulator(memory: str = "ideal", sample: int = 0, **fields: object) -> Simulator:
    m = machine.load("toy", {"memory": memory, "width": 4, "warps": 2, **fields})
    return Simulator(m, policies.find("conv"), plain=True, sample=sample)


def run(sim: Simulator, text: str = DIVERGES, **options: Any) -> Statistics:
    shape = {"items": 8, "group_size": 8, **options}
    sim.run(work_of(text, [np.zeros(shape["items"], np.uint32)], **shape))
    return sim.statistics()


def test_counts_by_hand():
    s = run(simulator())
    # Two warps: 7 up to the branch, 1 store for half the lanes, 1 load, 3 of the loop, 2.
    assert s.warp_instructions == 2 * (7 + 1 + 1 + 3 + 2)
    assert s.thread_instructions == 2 * (4 * 13 + 2)
    assert s.width_histogram == (0, 0, 2, 0, 26)
    assert s.mean_width == s.thread_instructions / s.warp_instructions
    assert (s.branches, s.divergent_branches) == (4, 2)
    assert (s.nonloop_branches, s.nonloop_divergent) == (2, 2)
    assert (s.accesses, s.miss_accesses, s.barriers) == (4, 0, 2)
    assert s.instructions_between_branches == 7
    assert s.divergent_branch_share == 0.5
    assert s.instruction_mix.thread["int"] == 8 * 4 + 8 * 2
    assert s.instruction_mix.warp["memory"] == 2 * 3
    assert s.max_depth == 3
    assert s.most_groups == 2


def test_divergent_misses_by_hand():
    # The words of a line of 16 bytes are wanted one lane after the other: the first of them misses,
    # then the line is in flight and the others miss too; what was stored before is there.
    s = run(simulator("adversary", **{"l1d.line": 16}))
    assert s.miss_accesses > 0
    assert s.missed_lanes == sum(map(sum, s.thread_misses))
    assert sum(s.degree_histogram) == s.divergent_accesses
    assert sum(map(sum, s.stalling_misses)) == sum(
        n * count for n, count in enumerate(s.degree_histogram)
    )
    assert len(s.thread_misses) == 2
    assert s.l1_misses + s.mshr_merges == s.missed_lanes


@pytest.mark.parametrize("memory", ["ideal", "adversary"])
def test_the_sums_hold(memory):
    s = run(simulator(memory), items=29, group_size=7)
    slots, contexts = s.cycles * s.wpus, s.cycles * s.wpus * s.warps
    assert sum(s.issue_slots.values()) == slots
    assert sum(s.warp_cycles.values()) == contexts
    assert [sum(w.values()) for w in s.wpu_slots] == [s.cycles] * s.wpus
    assert s.issue_slots["issued"] == s.warp_instructions == sum(s.width_histogram)
    assert sum(s.utilisation.values()) == pytest.approx(1)
    assert sum(line.warp_instructions for line in s.lines) == s.warp_instructions
    assert sum(line.thread_instructions for line in s.lines) == s.thread_instructions
    assert sum(line.divergent_branches for line in s.lines) == s.divergent_branches
    assert sum(line.misses for line in s.lines) == s.miss_accesses
    assert sum(line.missed_lanes for line in s.lines) == s.missed_lanes
    by_cause = {name: sum(line.cycles[name] for line in s.lines) for name in causes.NAMES}
    for name in set(causes.NAMES) - {"idle", "barrier"}:
        assert by_cause[name] == s.warp_cycles[name], name
    assert sum(s.instruction_mix.warp.values()) == s.warp_instructions
    assert sum(s.instruction_mix.thread.values()) == s.thread_instructions


def test_compiled_and_plain_count_the_same():
    m = machine.load("toy", {"memory": "adversary", "width": 4, "warps": 2, "adversary_seed": 7})
    found = []
    for plain in (False, True):
        sim = Simulator(m, policies.find("conv"), plain=plain, sample=10)
        found.append(run(sim, items=100, group_size=8).to_dict())
    assert found[0] == found[1]


def test_launches_and_intervals_add_up():
    sim = simulator("adversary", sample=16)
    run(sim)
    s = run(sim, items=40)
    assert [x.kernel for x in s.launches] == ["k", "k"]
    assert s.launches[0].end == s.launches[1].begin
    assert s.launches[1].end == s.cycles
    assert sum(x.warp_instructions for x in s.launches) == s.warp_instructions
    assert sum(x.issue_slots["issued"] for x in s.launches) == s.warp_instructions
    ends = [x.end for x in s.intervals]
    assert ends[:-1] == list(range(16, s.cycles + 1, 16))
    assert ends[-1] == s.cycles
    assert sum(x.branches for x in s.intervals) == s.nonloop_branches
    assert sum(x.misses for x in s.intervals) == s.miss_accesses
    assert sum(x.divergent_misses for x in s.intervals) == s.divergent_accesses
    assert sim.statistics().intervals == s.intervals  # asking changes nothing


def test_a_trap_leaves_the_counts_up_to_it():
    sim = simulator("adversary")
    text = DIVERGES.replace("barrier", "div_u32 $s0, $s0, $s2")
    with pytest.raises(Trap, match="division by zero"):
        run(sim, text)
    s = sim.statistics()
    assert s.warp_instructions > 7
    assert sum(s.issue_slots.values()) == s.cycles * s.wpus
    assert sum(s.warp_cycles.values()) == s.cycles * s.wpus * s.warps
    # The machine can be used again.
    assert run(sim).cycles > s.cycles


def test_an_interrupt_leaves_the_counts_up_to_it():
    sim = simulator("adversary", sample=20)
    calls = []

    def stop(_: Simulator) -> None:
        calls.append(sim.statistics().cycles)  # it may be asked for while a launch runs
        if sim.cycles > 50:
            raise KeyboardInterrupt

    sim.on_progress = stop
    with pytest.raises(Interrupted):
        run(sim, items=4000)
    s = sim.statistics()
    assert 50 < s.cycles < 200
    assert len(calls) > 1
    assert sum(s.issue_slots.values()) == s.cycles * s.wpus
    assert len(s.launches) == 1


def test_the_page_lists_every_field_and_property():
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE)
    told = {name: text for name, text in rows if name not in causes.NAMES}
    expected = {
        f.name: f"{f.metadata['unit']} | {f.metadata['text']} | {f.metadata['source']}"
        for f in fields(Statistics)
    }
    for name in DERIVED:
        doc = vars(Statistics)[name].__doc__
        expected[name] = doc.splitlines()[0].rstrip(".")
    assert told == expected
    assert [name for name, _ in rows if name in causes.NAMES] == list(causes.NAMES)


def test_every_counter_of_the_engines_has_a_place():
    """Those of user's components go to `other`; ours have a unit and a meaning."""
    given = {
        counter
        for name in machine.names()
        for policy in policies.POLICIES.values()
        if refusal(machine.load(name), policy) is None
        for counter in Simulator(machine.load(name), policy, plain=True).counters()
    }
    assert given - set(COUNTERS) <= {"adversary_access"}
    assert set(COUNTERS) <= given


def test_forms():
    s = run(simulator("adversary"))
    plain = json.loads(json.dumps(s.to_dict()))
    assert plain["cycles"] == s.cycles
    assert plain["ipc"] == s.ipc
    assert {*plain} == {f.name for f in fields(Statistics)} | set(DERIVED)
    assert "mean SIMD width" in str(s)
    page = s._repr_html_()
    assert "<table>" in page
    # A size in em is none where the font has none.
    assert "height:1em" in page
    assert "font-size" not in page
    [words] = re.findall("aria-label='issue slots: ([^']*)'", page)
    assert len(words.split(", ")) == sum(n > 0 for n in s.issue_slots.values())
    assert re.fullmatch("[0-9a-f]{8}", s.digest("00000000"))
    assert s.digest("00000000") != s.digest("00000001")


def test_frames():
    pandas = pytest.importorskip("pandas")
    s = run(simulator("adversary"))
    assert s.to_frame()["cycles"][0] == s.cycles
    assert len(s.to_frame("lines")) == len(s.lines)
    assert isinstance(s.to_frame("intervals"), pandas.DataFrame)


def test_the_annotated_listing():
    text = annotated(run(simulator("adversary")).lines)
    assert text.startswith("kernel k (")
    (branch,) = [line for line in text.splitlines() if "@odd" in line and "cbr" in line]
    assert branch.split()[:3] == ["8", "2", "4.0"]
    assert "diverged 2 times" in text


def test_utilisation_is_by_32_lanes():
    s = Statistics(cycles=100, wpus=1, width=8, width_histogram=(0, 10, 0, 0, 20, 0, 0, 0, 30))
    assert s.utilisation == {
        "0": 0.4, "1-7": 0.1, "8-15": 0.0, "16-23": 0.2, "24-31": 0.0, "32": 0.3
    }  # fmt: skip
    assert len(s.utilisation) == len(BUCKETS)


def test_of_nothing_all_is_zero():
    s = collect(simulator())
    assert s.cycles == 0
    more = ("per_million_cycles", "utilisation", "branch_intensity", "idle_intensity")
    assert not any(getattr(s, n) for n in DERIVED if n not in more)
