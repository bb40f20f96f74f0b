"""Where requests do not overlap, the order in which they claim does not matter."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from simtlab.timing.machines import machine as machines

from ...support.event_ordered_memory import EventOrderedMemory
from ...support.memory_rig import FETCH
from ...support.memory_streams import KINDS, Access, accesses, geometries
from ...support.reference_memory import ReferenceMemory


@settings(max_examples=25)
@given(geometries(), st.lists(accesses(), min_size=1, max_size=60))
def test_one_line_at_a_time_takes_the_same_cycles(
    fields: dict[str, Any], stream: list[Access]
) -> None:
    machine = machines.load("dws", fields)
    events, model = EventOrderedMemory(machine), ReferenceMemory(machine)
    t = 0
    for n, (w, kind, _, addresses) in enumerate(stream):
        t += 5000
        w %= machine.wpus
        lanes = [(i, a) for i, a in enumerate(addresses) if a is not None][:1]
        if kind == FETCH:
            continue
        gate = events.begin(events.issue(w, KINDS[kind], lanes), t)
        events.now = t
        events.run()
        before = model.n["writeback"]
        answer = model.access(w, KINDS[kind], lanes, t)
        if model.n["writeback"] == before:  # a victim crosses beside the line that takes its place
            assert (n, gate.opened) == (n, answer.ready)
