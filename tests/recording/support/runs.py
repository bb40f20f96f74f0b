"""Recordings of small runs, and sums over the lanes of their spans."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import numpy as np

import simtlab
from simtlab.recording.recording import Recording
from simtlab.recording.spans import Span, spans
from simtlab.recording.timed import TimedRecorder
from simtlab.timing.compiler import files as policies
from simtlab.timing.machines import machine as machines
from simtlab.timing.results.statistics import Statistics
from simtlab.timing.simulation.simulator import Simulator

from ...timing.support.history import History
from ...timing.support.kernels import DIVERGES
from ...timing.support.scenarios import Scenario
from ...timing.support.toy import work_of


def scenario(which: Scenario, policy: str, **fields: Any) -> Recording:
    """Return the recording of a scenario on the toy machine."""
    return History(which, policy, **fields).recording


def two_launches(policy: str, preset: str = "toy", **fields: Any) -> tuple[Recording, Statistics]:
    """Return the recording of two launches with branches, misses and barriers, and its counts."""
    defaults = {"toy": {"l1d.line": 16, "warps": 4}, "dws": {"warps": 4}, "lwm": {"warps": 8}}[
        preset
    ]
    machine = machines.load(preset, {"width": 4, **defaults, **fields})
    simulator = Simulator(machine, policies.find(policy), plain=True, listens=True)
    recorder = TimedRecorder(simulator, policy)
    for items in (48, 8):
        words = np.zeros(items, np.uint32)
        recorder.run(work_of(DIVERGES, [words], items=items, group_size=8))
    return recorder.finish(), simulator.statistics()


def functional(scheme: str) -> Recording:
    """Return the recording of a launch on the interpreter."""
    (kernel,) = simtlab.assemble(DIVERGES)
    return simtlab.record(kernel, scheme=scheme, items=20, group_size=8, warp=4)(
        np.zeros(20, np.uint32)
    )


def by_lane(recording: Recording) -> dict[tuple[int, int], list[Span]]:
    """Return the spans of each lane in the order of time: (warp, lane) -> spans."""
    found: dict[tuple[int, int], list[Span]] = defaultdict(list)
    for span in spans(recording):
        for lane in range(recording.width):
            if span.mask >> lane & 1:
                found[span.warp, lane].append(span)
    for mine in found.values():
        mine.sort(key=lambda s: s.begin)
    return found


def lane_cycles(recording: Recording) -> Counter[str]:
    """Return the time of all lanes by what they did."""
    found: Counter[str] = Counter()
    for span in spans(recording):
        found[span.what] += span.length * span.mask.bit_count()
    return found
