"""A checked engine takes the same cycles, and says which hook breaks a rule, and where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.timing.compiler.files import find
from simtlab.timing.engine.intrinsics import NEVER
from simtlab.timing.machines import machine
from simtlab.timing.simulation.failures import HookError
from simtlab.timing.simulation.simulator import Simulator

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "docs" / "examples"

KERNEL = """kernel k(global u32* %x) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u64  $d0, [%x]
    and_u32         $s2, $s0, 1
    cvt_u64_u32     $d1, $s0
    mad_u64         $d0, $d1, 4, $d0
    ld_global_u32   $s1, [$d0]
    cmp_eq_u32      $c0, $s2, 0
    cbr             $c0, @even
    add_u32         $s1, $s1, 1
@even:
    barrier
    st_global_u32   $s1, [$d0]
    ld_global_u32   $s1, [$d0]
    add_u32         $s1, $s1, 1
    st_global_u32   $s1, [$d0]
    ret
}
"""


def run(policy: str, *, plain: bool = True, checked: bool = False, **fields: object) -> Simulator:
    toy = {"memory": "adversary", "adversary_seed": 3, "warps": 8, **fields}
    simulator = Simulator(machine.load("toy", toy), find(policy), plain=plain, checked=checked)
    (kernel,) = simtlab.assemble(KERNEL)
    kernel.launch(items=128, group_size=32).run_by(simulator.run, np.zeros(128, np.uint32))
    return simulator


def example(folder: Path, name: str, old: str, new: str) -> str:
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    assert old in text
    path = folder / name
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return str(path)


@pytest.fixture
def early(tmp_path: Path) -> str:
    """catch_up.py, which hands the turn to splits whose data have not arrived."""
    return example(tmp_path, "catch_up.py", " and due(S, other.slot).at <= t", "")


@pytest.mark.parametrize("plain", [True, False])
def test_a_split_whose_data_have_not_arrived_is_told_with_hook_file_and_line(early, plain):
    with pytest.raises(HookError) as caught:
        run(early, plain=plain, checked=True)
    diagnostic = caught.value.first
    assert diagnostic.code == "SIM442"
    assert diagnostic.message.startswith("kernel k: hook stand_in (catch_up.py:33) returns group ")
    assert "which is not ready before cycle " in diagnostic.message
    assert diagnostic.message.rstrip(")").split("(")[-1].startswith("cycle ")
    for word in ("WPU 0", "warp context", "group"):
        assert word in diagnostic.message
    assert diagnostic.notes[0].message == "expected: a group that is ready at this cycle"


def test_checked_engines_take_the_same_cycles():
    engines = ((True, False), (False, False), (False, True))
    runs = [run("dws.revive-split", plain=plain, checked=checked) for plain, checked in engines]
    assert len({simulator.cycles for simulator in runs}) == 1
    watches = ["fault" in simulator.composition.fields for simulator in runs]
    assert watches == [True, False, True]


@pytest.mark.parametrize("name", machine.names())
def test_every_memory_keeps_the_rules(name):
    m = machine.load(name, {"wpus": 2})
    simulator = Simulator(m, find("conv"), plain=True)
    (kernel,) = simtlab.assemble(KERNEL)
    x = np.zeros(256, np.uint32)
    launch = kernel.launch(items=256, group_size=min(64, m.core_contexts))
    launch.run_by(simulator.run, x)
    launch.run_by(simulator.run, x)
    assert simulator.state.S.fault == 0


def test_what_an_own_file_raises_uncompiled_is_told_at_its_line(tmp_path):
    wrong = "slot(S, -1).group"
    path = example(tmp_path, "youngest.py", "-group(S, g).seq", wrong)
    with pytest.raises(HookError) as caught:
        run("conv", scheduler=path)
    assert caught.value.first.message.startswith("youngest.py:17: IndexError: record -1 of a table")


def test_a_state_from_which_the_engine_cannot_go_on_names_the_files(tmp_path):
    path = example(tmp_path, "youngest.py", "-group(S, g).seq", "0")
    Path(path).write_text(
        Path(path).read_text() + "\n\n@device\ndef on_pick(S, w, g, t):\n"
        "    return end_group(S, g)\n"
    )
    with pytest.raises(HookError, match=r"youngest\.py has left at cycle 0: IndexError"):
        run("conv", scheduler=path)


def test_a_rank_that_is_never_is_a_group_that_is_never_picked(tmp_path):
    path = example(tmp_path, "youngest.py", "-group(S, g).seq", str(NEVER))
    with pytest.raises(HookError, match="which is never picked then"):
        run("conv", scheduler=path)


def sessions_of_the_page() -> dict[str, Any]:
    """Return what the code of the page about contracts defines."""
    page = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    block = page.partition("    from simtlab")[2].partition("\n\nA [policy, ")[0]
    space: dict[str, Any] = {}
    exec(
        "\n".join(line.removeprefix("    ") for line in ("from simtlab" + block).splitlines()),
        space,
    )
    return space


def test_the_page_about_contracts_defines_a_test_of_each_kind():
    space = sessions_of_the_page()
    assert all(callable(space[f"test_my_{what}"]) for what in ("scheme", "policy", "scheduler"))


@pytest.mark.slow
def test_the_test_of_a_scheme_of_the_page_passes(monkeypatch):
    monkeypatch.chdir(ROOT)
    sessions_of_the_page()["test_my_scheme"]()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["test_my_policy", "test_my_scheduler"])
def test_the_contracts_of_the_page_pass(name, monkeypatch):
    from simtlab.testing import policy_contract, scheduler_contract

    monkeypatch.chdir(ROOT)
    if name == "test_my_policy":
        policy_contract("docs/examples/catch_up.py")
    else:
        scheduler_contract("docs/examples/youngest.py")
