"""docs/timing.md shows code and commands: every one of them is tried."""

from __future__ import annotations

import re
import shlex
import textwrap
from pathlib import Path

import pytest

import simtlab
from simtlab.cli import main
from simtlab.timing.compiler.compose import EngineState, compose
from simtlab.timing.compiler.files import files_of, find
from simtlab.timing.machines import machine

ROOT = Path(simtlab.__file__).parent
PAGE = (ROOT / "docs" / "timing.md").read_text(encoding="utf-8")


def blocks() -> list[str]:
    """The indented blocks of the page, without their indentation."""
    found = re.findall(r"(?<=\n\n)(?:    .*\n|\n(?=    ))+", PAGE)
    return [textwrap.dedent(block).strip("\n") + "\n" for block in found]


def block_with(word: str) -> str:
    [found] = [block for block in blocks() if word in block]
    return found


def commands() -> list[str]:
    return [line for block in blocks() for line in block.splitlines() if line[:8] == "simtlab "]


def test_a_table_is_declared_as_the_page_does_it(tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from simtlab.timing.engine.intrinsics import device, record, table\n"
        + block_with("= record(")
        + "\n@device\ndef rank(S, w, g, t):\n    row_buffer(S, 1).free = g\n    return S.row_hit\n"
    )
    toy = machine.load("toy", {"memory": "ideal", "dram.banks": 3, "scheduler": str(mine)})
    engine = compose(files_of(toy, find("conv")), plain=True)
    state = EngineState(engine, toy)
    assert engine.namespace.rank(state.S, 0, 5, 0) == toy.dram.row_hit
    assert state.rows["row_buffer"]["free"].tolist() == [0, 5, 0]


def test_the_tests_of_a_policy_of_ones_own_can_be_imported():
    exec(block_with("policy_contract("), {})


@pytest.mark.slow
@pytest.mark.parametrize("line", commands())
def test_a_command_of_the_page_runs(line, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert main([*shlex.split(line)[1:], "--size", "tiny"]) == 0


def test_the_page_has_commands():
    assert len(commands()) >= 3
