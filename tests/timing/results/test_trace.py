"""Traces: they change nothing, say what happened, and can be read again and elsewhere."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from simtlab.isa.errors import UsageError
from simtlab.timing.compiler import files as policies
from simtlab.timing.machines import machine
from simtlab.timing.results.statistics import Statistics
from simtlab.timing.results.trace import Trace, facts_of
from simtlab.timing.simulation.simulator import Simulator

from ..support.kernels import DIVERGES
from ..support.toy import work_of


def run(
    trace: Trace | None, *, plain: bool = True, memory: str = "adversary", policy: str = "conv"
) -> Statistics:
    m = machine.load("toy", {"memory": memory, "width": 4, "warps": 2, "l1d.line": 16})
    if trace is not None:
        trace.facts.update(facts_of(m, policies.find(policy), seed=7))
    sim = Simulator(m, policies.find(policy), plain=plain, trace=trace)
    for items in (24, 8):
        memory_ = np.zeros(items, np.uint32)
        sim.run(work_of(DIVERGES, [memory_], items=items, group_size=8))
    return sim.statistics()


@pytest.fixture(scope="module")
def traced() -> tuple[Trace, Statistics]:
    trace = Trace()
    return trace, run(trace)


def test_a_traced_run_takes_the_same_cycles(traced):
    assert traced[1].to_dict() == run(None).to_dict()


@pytest.mark.parametrize("policy", ["conv", "dws.revive-split"])
def test_compiled_and_plain_record_the_same(policy):
    plain, compiled = Trace(), Trace()
    assert run(plain, policy=policy) == run(compiled, plain=False, policy=policy)
    np.testing.assert_array_equal(plain.events, compiled.events)


def test_what_happened_adds_up():
    trace = Trace()
    stats = run(trace, memory="ideal")
    time: Counter[str] = Counter()
    for span in trace.spans():
        time[span.what] += span.end - span.begin
    assert time["issued"] == stats.warp_instructions
    assert time["hit"] == stats.warp_cycles["hit"]
    assert time["barrier"] == stats.warp_cycles["barrier"]


def test_misses(traced):
    trace, stats = traced
    misses = [span for span in trace.spans() if span.what == "miss"]
    assert len(misses) == stats.miss_accesses
    assert sum(span.lanes.bit_count() for span in misses) == stats.missed_lanes
    # Every load finds what was stored before, if anything was.
    assert {span.text.split()[0] for span in misses} <= {"st_global_u32", "ld_global_u32"}


def test_spans_of_a_group_do_not_overlap(traced):
    end: dict[int, int] = {}
    for span in traced[0].spans():
        if span.what == "miss":
            continue
        assert span.begin >= end.get(span.g, 0)
        end[span.g] = span.end


def test_a_window():
    trace = Trace(10, 20)
    run(trace)
    assert 10 <= trace.events["t"].min() <= trace.events["t"].max() < 20
    assert trace.lost == 0


def test_no_more_than_is_wanted():
    trace = Trace(most=5)
    run(trace)
    assert len(trace.events) == 5
    assert trace.lost > 5


def test_more_than_the_engine_has_room_for():
    m = machine.load("toy", {"memory": "ideal"})
    trace = Trace()
    sim = Simulator(m, policies.find("conv"), trace=trace)
    items = 1 << 16
    text = DIVERGES.replace("barrier", "nop")
    sim.run(work_of(text, [np.zeros(items, np.uint32)], items=items, group_size=8))
    issued = sum(span.end - span.begin for span in trace.spans() if span.what == "issued")
    assert len(trace.events) > 1 << 16
    assert trace.lost == 0
    assert issued == sim.statistics().warp_instructions


def test_a_file_tells_everything_of_itself(traced, tmp_path):
    trace = traced[0]
    trace.save(tmp_path / "t.npz")
    again = Trace.load(tmp_path / "t.npz")
    np.testing.assert_array_equal(again.events, trace.events)
    assert list(map(str, again.spans())) == list(map(str, trace.spans()))
    assert again.facts == trace.facts
    assert again.facts["machine"]["name"] == "toy"
    assert {"simtlab", "python", "numba", "policy", "seed"} <= set(again.facts)
    assert "cbr" in next(iter(again.codes[0]["sources"].values()))


@pytest.mark.parametrize("content", [b"", b"PK\x05\x06" + bytes(18)])
def test_a_file_that_is_no_trace(tmp_path, content):
    Path(tmp_path / "t.npz").write_bytes(content)
    with pytest.raises((UsageError, EOFError)):
        Trace.load(tmp_path / "t.npz")


def test_perfetto(traced, tmp_path):
    trace, stats = traced
    for name in ("a.json.gz", "b.json.gz"):
        trace.save(tmp_path / name)
    first, second = ((tmp_path / n).read_bytes() for n in ("a.json.gz", "b.json.gz"))
    assert first == second
    found = json.loads(gzip.decompress(first))["traceEvents"]
    slices = [e for e in found if e["ph"] == "X"]
    assert sum(e["dur"] for e in slices if e["cat"] == "issued") == stats.warp_instructions
    assert {e["args"]["name"] for e in found if e["name"] == "thread_name"} == {
        "warp 0 split 0",
        "warp 1 split 0",
    }
    assert [e["ts"] for e in found if "ts" in e] == sorted(e["ts"] for e in found if "ts" in e)


def test_kanata(traced, tmp_path):
    trace, _ = traced
    trace.save(tmp_path / "t.kanata")
    lines = (tmp_path / "t.kanata").read_text().splitlines()
    assert lines[0] == "Kanata\t0004"
    begun = [line.split("\t")[1] for line in lines if line.startswith("I\t")]
    over = [line.split("\t")[1] for line in lines if line.startswith("R\t")]
    assert sorted(over) == sorted(begun) == sorted(str(n) for n in range(len(begun)))
    opened = Counter(line.split("\t")[1] for line in lines if line.startswith("S\t"))
    closed = Counter(line.split("\t")[1] for line in lines if line.startswith("E\t"))
    assert opened == closed


@pytest.mark.parametrize("window", [(100, 50), (100, 100)])
def test_a_window_has_a_cycle(window):
    with pytest.raises(UsageError, match="is of none") as caught:
        Trace(*window)
    assert caught.value.first.code == "SIM515"


def test_the_name_says_the_form():
    with pytest.raises(UsageError, match="a trace ends in"):
        Trace().save("trace.vcd")
