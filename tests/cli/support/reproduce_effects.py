"""What the options of `reproduce` change. Nothing is simulated: a measurement has empty counts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from simtlab.lab import Result, Run
from simtlab.timing.results.statistics import Statistics

from ..conftest import Cli, Done


def reproduced(cli: Cli, *arguments: str) -> tuple[Done, list[Run]]:
    """The command, and what it has asked to be simulated."""
    asked: list[Run] = []

    def simulate_run(run: Run, look: object) -> Result:
        asked.append(run)
        return Result(run, Statistics(cycles=1, wpus=1, width=1), "0" * 16, 0.0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("simtlab.lab.runs.execute.simulate_run", simulate_run)
        done = cli("reproduce", *arguments)
    assert done.status == 0, done
    return done, asked


def list_(cli: Cli) -> None:
    done, asked = reproduced(cli, "--list")
    assert done.out.startswith("name")
    assert not asked


def scale(cli: Cli) -> None:
    _, large = reproduced(cli, "maws-tab2")
    assert {run.size for run in large} == {"paper", "maws"}
    done, small = reproduced(cli, "maws-tab2", "--scale", "small")
    assert {run.size for run in small} == {"small"}
    assert "scale small" in done.out


def markdown(cli: Cli) -> None:
    done, _ = reproduced(cli, "dws-tab1", "--markdown")
    assert done.out.startswith("| program |")


def json(cli: Cli) -> None:
    done, _ = reproduced(cli, "dws-tab1", "--json")
    assert done.json["experiments"][0]["experiment"] == "dws-tab1"


EFFECTS: dict[tuple[str, str], Callable[[Cli], None]] = {
    ("reproduce", "--list"): list_,
    ("reproduce", "--scale"): scale,
    ("reproduce", "--markdown"): markdown,
    ("reproduce", "--json"): json,
}
