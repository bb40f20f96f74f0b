"""The contracts pass what is ours, and what comes from outside; they fail what breaks its word."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.database import InMemoryExampleDatabase

import simtlab
from simtlab.isa.errors import UsageError
from simtlab.testing import memory_contract, policy_contract, scheduler_contract
from simtlab.testing.contract import Identity, OwnExamples, check_examples
from simtlab.timing.compiler import files as policies
from simtlab.timing.compiler.compose import source_of
from simtlab.timing.machines import machine
from simtlab.timing.simulation.simulator import Simulator

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"

LOOP = """
kernel k(u32 %n, global u32* %x) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u64    $d0, [%x]
    cvt_u64_u32       $d1, $s0
    mad_u64           $d0, $d1, 4, $d0
@loop:
    ld_global_u32     $s1, [$d0]
    sub_u32           $s1, $s1, 1
    st_global_u32     $s1, [$d0]
    cmp_ne_u32        $c0, $s1, 0
    cbr               $c0, @loop
    ret
}
"""


def outside(folder: Path, text: str) -> str:
    path = folder / "mine.py"
    path.write_text(
        '"""Mine."""\nfrom simtlab.timing.engine.intrinsics import device\n' + textwrap.dedent(text)
    )
    return str(path)


@pytest.mark.parametrize(
    "name",
    [
        "conv",
        "dws.revive-split",
        pytest.param("lwm+dws", marks=pytest.mark.slow),  # with the checks, LLVM takes 10 s for it
        pytest.param("dwf+dws", marks=pytest.mark.slow),  # and 20 s for this one
    ],
)
def test_our_policies_keep_the_contract(name):
    policy_contract(name, examples=3, shrink=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", policies.POLICIES)
def test_all_our_policies_keep_the_contract(name):
    policy_contract(name, examples=200)


def test_our_memories_keep_the_contract():
    memory_contract("dws", examples=2, shrink=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", machine.names())
def test_all_our_memories_keep_the_contract(name):
    memory_contract(name, examples=50)


def cycles(**fields: object) -> int:
    m = machine.load("dws", {"wpus": 1, **fields})
    simulator = Simulator(m, policies.find("conv"))
    x = np.arange(1, 65, dtype=np.uint32)
    launch = simtlab.assemble(LOOP).k.launch(items=64, group_size=16)
    launch.run_by(simulator.run, 64, x)
    assert not x.any()
    return simulator.cycles


def test_the_scheduler_of_the_documentation_runs_natively():
    mine = str(EXAMPLES / "youngest.py")
    assert cycles(scheduler=mine) != cycles(scheduler="fifo")
    m = machine.load("toy", {"scheduler": mine})
    engine = Simulator(m, policies.find("conv")).composition
    assert "rank" in engine.device_functions()


def test_the_policy_of_the_documentation_is_its_own():
    mine = str(EXAMPLES / "half_ahead.py")
    splits = {}
    for percent in (0, 60, 100):
        fields = {"memory": "adversary", "adversary_seed": 7, "policy": {"percent": percent}}
        model = machine.load("toy", fields)
        simulator = Simulator(model, policies.find(mine), plain=True)
        x = np.arange(1, 65, dtype=np.uint32)
        launch = simtlab.assemble(LOOP).k.launch(items=64, group_size=model.width)
        launch.run_by(simulator.run, 64, x)
        splits[percent] = simulator.statistics().splits_memory
    assert splits[0] > splits[60] > splits[100] == 0


def test_who_catches_up_orders_splits_otherwise():
    mine = str(EXAMPLES / "catch_up.py")
    took = set()
    for policy in ("dws.revive-split", mine):
        fields = {"memory": "adversary", "adversary_seed": 7, "scheduler": "rr"}
        simulator = Simulator(machine.load("toy", fields), policies.find(policy), plain=True)
        x = np.arange(1, 65, dtype=np.uint32)
        launch = simtlab.assemble(LOOP).k.launch(items=64, group_size=32)
        launch.run_by(simulator.run, 64, x)
        took.add(simulator.cycles)
    assert len(took) == 2


@pytest.mark.slow  # an engine that is checked takes 5 to 10 s to compile
@pytest.mark.parametrize("name", ["half_ahead.py", "catch_up.py"])
def test_a_policy_of_the_documentation_keeps_the_contract(name):
    policy_contract(str(EXAMPLES / name), examples=2, shrink=False)


@pytest.mark.slow
def test_the_scheduler_of_the_documentation_keeps_the_contract():
    scheduler_contract(EXAMPLES / "youngest.py", examples=2, shrink=False)


def test_saved_failures_belong_to_one_file_with_its_contents():
    everything = InMemoryExampleDatabase()
    ones, others = (OwnExamples(everything, Identity("p", [text])) for text in ("one", "other"))
    ones.save(b"key", b"failure")
    assert set(ones.fetch(b"key")) == {b"failure"}
    assert set(others.fetch(b"key")) == set()
    assert set(OwnExamples(everything, Identity("q", ["one"])).fetch(b"key")) == set()
    ones.move(b"key", b"old", b"failure")
    ones.delete(b"old", b"failure")
    assert set(ones.fetch(b"key")) == set(ones.fetch(b"old")) == set()


def test_a_failure_is_tried_first_the_next_time_and_not_for_another_file():
    tried: list[int] = []

    def check(number: int) -> None:
        tried.append(number)
        assert number < 1000

    def first_of(text: str) -> int:
        tried.clear()
        numbers = st.integers(0, 10**6)
        with pytest.raises(AssertionError):
            check_examples(Identity("p", [text]), numbers, check, 200, shrink=True, seed=1)
        return tried[0]

    before = settings.get_current_profile_name()
    settings.register_profile("kept", settings(), database=InMemoryExampleDatabase())
    settings.load_profile("kept")
    try:
        assert first_of("one") != 1000
        assert first_of("one") == 1000, "the smallest failure was kept"
        assert first_of("other") != 1000
    finally:
        settings.load_profile(before)


def test_a_memory_from_outside(tmp_path):
    path = outside(
        tmp_path,
        """
        EXTENDS = ("memory/perfect_fetch",)

        @device
        def simd_access(S, w, g, lanes, t):
            return t + 7
        """,
    )
    memory_contract(machine.load("toy", {"memory": path}), examples=2, shrink=False)


def test_a_memory_that_answers_before_it_is_asked(tmp_path):
    path = outside(
        tmp_path,
        """
        EXTENDS = ("memory/perfect_fetch",)

        @device
        def simd_access(S, w, g, lanes, t):
            return t
        """,
    )
    with pytest.raises(
        AssertionError, match=r"simd_access \(mine\.py:\d+\) returns cycle \d+, which is past"
    ):
        memory_contract(machine.load("toy", {"memory": path}), examples=2, shrink=False)


def test_a_policy_that_forgets_the_other_path(tmp_path):
    text = source_of("policy/conv").read_text(encoding="utf-8")
    text = text.replace("from ...", "from simtlab.timing.engine.")
    assert "return diverge(S, g, taken)" in text
    text = text.replace("return diverge(S, g, taken)", "return send(S, g, taken)")
    path = tmp_path / "mine.py"
    path.write_text(
        text
        + textwrap.dedent(
            """

            EXTENDS = ("policy/lockstep",)


            @device
            def send(S, g, taken):
                it = group(S, g)
                it.seg = seg(S, it.seg).target
                return 1
            """
        )
    )
    with pytest.raises(AssertionError):
        policy_contract(path, examples=40, shrink=False)


def test_files_that_are_no_engine_files(tmp_path):
    with pytest.raises(UsageError, match="cannot read engine file"):
        policies.find(str(tmp_path / "missing.py"))
    with pytest.raises(UsageError, match="is not an engine file"):
        policies.find(outside(tmp_path, "def ("))
