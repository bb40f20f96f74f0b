"""What the options of `run` for recordings change."""

from __future__ import annotations

from collections.abc import Callable

from simtlab.recording.recording import Recording

from ..conftest import SCALE_ARGS, Cli

RUN = ("run", "scale.sasm", "--items", "8", *SCALE_ARGS)


def recorded(cli: Cli, *more: str) -> Recording:
    done = cli(*RUN, "--record", "r.npz", *more)
    assert done.status == 0, done
    return Recording.load("r.npz")


def record(cli: Cli) -> None:
    found = recorded(cli)
    assert (found.is_timing, found.facts["lost"], found.begin) == (False, 0, 0)
    assert cli(*RUN, "--record", "r.json").status == 2


def record_window(cli: Cli) -> None:
    whole, part = recorded(cli), recorded(cli, "--record-window", "2:5")
    assert part.issues.tolist() == [i for i in whole.issues.tolist() if 2 <= i[0] < 5]
    assert cli(*RUN, "--record-window", "2:5").status == 2


def record_issues(cli: Cli) -> None:
    found = recorded(cli, "--record-issues", "3")
    assert len(found.issues) == 3
    assert found.facts["lost"] > 0
    assert cli(*RUN, "--record-issues", "3").status == 2


EFFECTS: dict[tuple[str, str], Callable[[Cli], None]] = {
    ("run", "--record"): record,
    ("run", "--record-window"): record_window,
    ("run", "--record-issues"): record_issues,
}
