"""Reports of the user's files say whether hooks were checked; wrong hooks have no counts."""

from __future__ import annotations

from pathlib import Path

import pytest

import simtlab
from simtlab.timing.simulate import SimulatedLaunch

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
SPLIT = "h = split(S, w, g, grp.hits)"
PROGRAM = ("lessons/stragglers", "--size", "tiny")
NOT = "not checked: {} (--checked reports lanes that are woken before their data"


@pytest.fixture
def early(tmp_path, monkeypatch):
    """Wakes the lanes that missed, too: the group in the place of the split of those that hit."""
    monkeypatch.chdir(tmp_path)
    text = (EXAMPLES / "half_ahead.py").read_text()
    assert SPLIT in text
    Path("early.py").write_text(text.replace(SPLIT, f"{SPLIT}\n    h = g"))
    return "early.py"


def test_a_simulation_says_whether_hooks_were_checked(cli, early):
    hasty = cli("time", *PROGRAM, "--policy", early)
    assert NOT.format("early.py") in " ".join(hasty.out.split())
    good = ("time", *PROGRAM, "--policy", str(EXAMPLES / "half_ahead.py"))
    assert "checked lane by lane: half_ahead.py" in cli(*good, "--checked").out
    assert cli(*good, "--checked", "--json").json["hooks_checked"] is True
    assert cli(*good, "--json").json["hooks_checked"] is False
    assert "hooks" not in cli("time", *PROGRAM).out
    assert "hooks_checked" not in cli("time", *PROGRAM, "--json").json


def test_a_wrong_hook_is_reported_without_counts(cli, early):
    done = cli("time", *PROGRAM, "--policy", early, "--checked")
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("error[SIM442]: kernel stragglers: hook on_access (early.py:")
    assert cli("time", *PROGRAM, "--policy", early, "--checked", "--json").json["cycles"] > 0


def test_a_comparison_says_whether_hooks_were_checked(cli, early):
    policies = ("--policies", f"conv,{EXAMPLES / 'catch_up.py'},{early}")
    hasty = cli("compare", *PROGRAM, *policies)
    assert NOT.format("catch_up.py, early.py") in " ".join(hasty.out.split())
    done = cli("compare", *PROGRAM, *policies, "--checked")
    assert done.status == 1
    assert "early     wrong hook (SIM442)" in done.out
    assert "checked lane by lane: catch_up.py, early.py" in done.out
    assert "hooks" not in cli("compare", *PROGRAM, "--policies", "conv,slip").out


def test_in_python_too(early):
    found = simtlab.compare("lessons/stragglers", ["conv", early], size="tiny")
    assert [dict(c.own_checked) for c in found] == [{}, {"early.py": False}]
    assert f"hooks: {NOT.format('early.py')}" in str(found)
    found = simtlab.compare("lessons/stragglers", ["conv", early], size="tiny", checked=True)
    assert found.errors[early.removesuffix(".py")].first.code == "SIM442"
    with pytest.raises(simtlab.SimtError, match="SIM442"):
        simtlab.simulate("lessons/stragglers", policy=early, size="tiny", checked=True)


@pytest.mark.parametrize(("plain", "checked"), [(True, True), (False, True), (True, False)])
def test_a_plain_engine_is_checked(plain, checked):
    kernel = simtlab.assemble("kernel k(u32 %n) {\n    ret\n}\n").k
    launch = simtlab.simulate(
        kernel,
        machine="toy",
        policy=EXAMPLES / "catch_up.py",
        items=4,
        plain=plain,
        checked=checked,
    )
    assert isinstance(launch, SimulatedLaunch)
    done = launch(1)
    assert done.own_checked == {"catch_up.py": True}
    assert "hooks: checked lane by lane: catch_up.py" in str(done)
