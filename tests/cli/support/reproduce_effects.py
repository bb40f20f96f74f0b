"""What the options of `reproduce` change. Mostly nothing is simulated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from simtlab.lab import Run
from simtlab.lab.runs.resolve import Resolved
from simtlab.lab.store import Store

from ..conftest import Cli, Done


def reproduced(cli: Cli, *arguments: str) -> tuple[Done, list[Run]]:
    """The command, and what it has asked to be simulated."""
    asked: list[Run] = []

    def complete(store: Store, runs: Sequence[Resolved], **_: object) -> dict[str, object]:
        asked.extend(resolved.run for resolved in runs)
        return {}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Store, "complete", complete)
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
    assert "not measured: dws/fft" in done.out


def json(cli: Cli) -> None:
    done, _ = reproduced(cli, "dws-tab1", "--json")
    assert done.json["experiments"][0]["experiment"] == "dws-tab1"


def store(cli: Cli) -> None:
    cli("reproduce", "ppc-fig7", "--scale", "small", "--store", "mine.db")
    again = cli("reproduce", "ppc-fig7", "--scale", "small", "--store", "mine.db")
    assert again.status == 0
    assert Path("mine.db").exists()


def workers(cli: Cli) -> None:
    assert "--workers" in cli("reproduce", "ppc-fig7", "--workers", "none").err


def scheduler(cli: Cli) -> None:
    done = cli("reproduce", "dws-tab1", "--workers", "2", "--scheduler", "tcp://127.0.0.1:1")
    assert "exclude each other" in done.err


def out(cli: Cli) -> None:
    done = cli("reproduce", "ppc-fig7", "--scale", "small", "--out", "report")
    assert "report" in done.err
    names = {path.name for path in Path("report").rglob("*") if path.is_file()}
    assert {"index.md", "index.html", "ppc.md", "ppc.html", "ppc-fig7.svg", "ppc-fig7.png"} == names


EFFECTS: dict[tuple[str, str], Callable[[Cli], None]] = {
    ("reproduce", "--list"): list_,
    ("reproduce", "--scale"): scale,
    ("reproduce", "--store"): store,
    ("reproduce", "--workers"): workers,
    ("reproduce", "--scheduler"): scheduler,
    ("reproduce", "--out"): out,
    ("reproduce", "--markdown"): markdown,
    ("reproduce", "--json"): json,
}
