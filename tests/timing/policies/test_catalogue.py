"""The catalogue says of every policy and setting what it is."""

from __future__ import annotations

import pytest

from simtlab.isa.errors import UsageError
from simtlab.timing.compiler.choice import choose, presets_for, refusal, sets_for
from simtlab.timing.compiler.files import POLICIES, configured, find, grain_of, outside
from simtlab.timing.machines import machine as machines
from simtlab.timing.policies.settings import SETTINGS, TITLES, settings_of, title_of


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_a_policy_and_its_settings_have_a_line(policy):
    assert policy.name in TITLES, "timing/policies/settings.py lacks its line"
    for setting in settings_of(policy):
        assert setting.text, f"timing/policies/settings.py lacks setting {setting.name}"
        assert isinstance(setting.value, int) or setting.value in setting.values


def test_no_line_is_about_nothing():
    assert set(TITLES) <= set(POLICIES)
    assert set(SETTINGS) <= {name for p in POLICIES.values() for name in p.settings}
    assert len(set(TITLES.values())) == len(TITLES)


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_every_policy_runs_somewhere(policy):
    assert any(refusal(machines.load(name), policy) is None for name in ("toy", "lwm"))


def test_the_line_of_a_policy_from_outside(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text('"""Nobody waits. Not even for data."""\nSETTINGS = {"fast": True}\n')
    mine = outside(str(file))
    assert title_of(mine) == "Nobody waits"
    (setting,) = settings_of(mine)
    assert (setting.name, setting.values, setting.text) == ("fast", ("true", "false"), "")


def test_a_machine_refuses_what_does_not_fit_together(tmp_path):
    file = tmp_path / "mine.py"
    extends = f"EXTENDS = {find('conv').files!r}"
    file.write_text(f"{extends}\n\n\ndef on_nothing(S):\n    return 0\n")
    error = refusal(machines.load("toy"), outside(str(file)))
    assert error is not None
    assert error.first.code == "SIM610"
    assert refusal(machines.load("toy"), find("conv")) is None


def test_settings_go_to_those_that_have_them():
    sets = {"warps": 2, "policy.pc-merge": False, "policy.cascade": False}
    assert sets_for(find("conv"), sets) == {"warps": 2}
    assert sets_for(find("dws.branch-only"), sets) == {"warps": 2, "policy.pc-merge": False}


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_every_setting_takes_its_value(policy):
    for setting in settings_of(policy):
        assert not setting.wants(setting.value)


@pytest.mark.parametrize(
    ("policy", "name", "value", "message"),
    [
        ("slip", "max-div", "2.5", "a whole number from 0 on, not '2.5'"),
        ("slip", "max-div", 2.5, "a whole number from 0 on, not '2.5'"),
        ("slip", "max-div", [1], "a whole number from 0 on, not '[1]'"),
        ("slip", "max-div", 1 << 32, "a whole number from 0 to 4294967295, not 4294967296"),
        ("slip", "raise-above", "1e3", "a whole number from 0 to 100, not '1e3'"),
        ("slip", "lower-above", 101, "a whole number from 0 to 100, not 101"),
        ("slip", "pc-merge", "1.0", "true or false, not '1.0'"),
        ("density-time", "units", 0, "a whole number from 1 on, not 0"),
        ("lwm", "warp", 0, "a whole number from 1 on, not 0"),
        ("maws.aggress", "loop-test", "1.5", "branch or rpc-only, not '1.5'"),
    ],
)
def test_a_value_that_a_setting_does_not_take(policy, name, value, message):
    machine = machines.load("toy", {f"policy.{name}": value})
    with pytest.raises(UsageError) as caught:
        configured(machine, find(policy))
    assert caught.value.first.code == "SIM602"
    assert caught.value.first.message == f"policy {policy}: {name} takes {message}"
    assert f"`simtlab policies {policy}`" in caught.value.first.hint


def test_what_settings_take_is_listed():
    listed = {s.name: s.takes for p in POLICIES.values() for s in settings_of(p)}
    assert listed["max-div"] == "0…"
    assert listed["raise-above"] == "0…100"
    assert listed["units"] == listed["warp"] == "1…"
    assert listed["pc-merge"] == "true false"


def test_lists_of_policies():
    names = [p.name for p in choose("dws.branch-only, conv", "toy", {})[0]]
    assert names == ["dws.branch-only", "conv"]
    found, baseline = choose(["dws.branch-only.pc", "all"], "toy", {}, "conv")
    assert [p.name for p in found[:2]] == ["dws.branch-only", "conv"]
    toy = machines.load("toy")
    able = {p.name for p in POLICIES.values() if refusal(toy, p) is None}
    assert ({p.name for p in found}, len(found), baseline) == (able, len(able), "conv")


def test_presets_for_a_policy():
    assert [m.name for m in presets_for(find("conv"))] == machines.names()


@pytest.mark.parametrize("wanted", ["", "conv,", [], "conv,conv", "all,all"])
def test_lists_that_are_none(wanted):
    with pytest.raises(UsageError):
        choose(wanted, "toy", {})


@pytest.mark.parametrize(
    ("policy", "setting"),
    [
        ("dws.branch-only", "branch-limited"),
        ("dws.revive-split.bl", "branch-split"),
        ("dws.lat-spec", "branch-limited"),
        ("slip", "branch-split"),
        ("slip.branch-bypass", "branch-limited"),
    ],
)
def test_sides_of_a_branch_cannot_wait_for_each_other_at_branches(policy, setting):
    # They would wait at different branches, and all go on from one of them.
    machine = machines.load("dws", {f"policy.{setting}": True})
    with pytest.raises(UsageError, match="exclude each other"):
        configured(machine, find(policy))


def test_a_policy_is_its_settings():
    limited = {"policy.branch-split": False, "policy.branch-limited": True}
    machine = configured(machines.load("dws", limited), find("dws.revive-split"))
    other = configured(machines.load("dws"), find("dws.revive-split.bl"))
    assert machine.policy == other.policy
    assert grain_of(machine, find("dws.revive-split")) == "branch"
    assert grain_of(other, find("dws.revive-split.bl")) == "branch"
