"""docs/timing/ shows code and commands: every one of them is tried."""

from __future__ import annotations

import re
import shlex
import textwrap
from pathlib import Path

import pytest

import simtlab
from simtlab.cli import main
from simtlab.timing import reference
from simtlab.timing.compiler.compose import compose
from simtlab.timing.compiler.engine_state import EngineState
from simtlab.timing.compiler.files import files_of, find
from simtlab.timing.compiler.inspection import hook_names
from simtlab.timing.engine import hooks
from simtlab.timing.machines import machine

ROOT = Path(simtlab.__file__).parent
PAGES = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "docs" / "timing").rglob("*.md"))
}


def blocks(page: str) -> list[str]:
    """Return the indented blocks of a page, without their indentation."""
    found = re.findall(r"(?<=\n\n)(?:    .*\n|\n(?=    ))+", PAGES[page])
    return [textwrap.dedent(block).strip("\n") + "\n" for block in found]


def block_with(page: str, word: str) -> str:
    [found] = [block for block in blocks(page) if word in block]
    return found


def commands() -> list[str]:
    return [
        line
        for page in PAGES
        for block in blocks(page)
        for line in block.splitlines()
        if line.startswith("simtlab ")
    ]


def test_a_table_is_declared_as_the_page_does_it(tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from simtlab.timing.engine.intrinsics import device, record, table\n"
        + block_with("engine", "= record(")
        + "\n@device\ndef rank(S, w, g, t):\n    row_buffer(S, 1).free = g\n    return S.row_hit\n"
    )
    toy = machine.load("toy", {"memory": "ideal", "dram.banks": 3, "scheduler": str(mine)})
    engine = compose(files_of(toy, find("conv")), plain=True)
    state = EngineState(engine, toy)
    assert engine.namespace.rank(state.S, 0, 5, 0) == toy.dram.row_hit
    assert state.rows["row_buffer"]["free"].tolist() == [0, 5, 0]


def test_an_engine_is_composed_as_the_page_does_it():
    space: dict[str, object] = {}
    exec(block_with("engine", "compose(files_of("), space)
    assert "run" in vars(space["engine"].namespace)  # pyright: ignore


def test_the_tests_of_a_policy_of_ones_own_can_be_imported():
    exec(block_with("your-own-policy", "policy_contract("), {})


@pytest.mark.parametrize("name", ["half_ahead.py", "smaller_side_first.py"])
def test_the_page_shows_the_examples_as_they_are(name):
    source = (ROOT / "docs" / "examples" / name).read_text(encoding="utf-8")
    shown = re.findall(r"^```python\n(.*?)^```$", PAGES["your-own-policy"], re.M | re.S)
    assert any(source.endswith(block) for block in shown), f"the page shows another {name}"


@pytest.mark.slow
@pytest.mark.parametrize("line", commands())
def test_a_command_of_the_pages_runs(line, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert main([*shlex.split(line)[1:], "--size", "tiny"]) == 0


def test_the_pages_have_commands():
    assert len(commands()) >= 3


# --- the page that is made from timing/engine/hooks


def test_the_page_has_every_hook():
    shown = re.findall(r"^### (\w+)$", reference.listing(), re.M)
    assert sorted(shown) == sorted(hook_names())


def test_a_hook_shows_its_arguments_its_text_and_the_files_that_fill_it():
    listing = reference.listing()
    assert "\n    on_access(S, w, g, t)\n" in listing
    assert re.search(r"^Required\. Filled by .*`schedule/fifo`", listing, re.M)


def test_hooks_are_listed_below_the_title_of_their_family():
    found = {title: [h.__name__ for h in below] for title, below in reference.sections().items()}
    assert found["Issue"][:2] == ["on_turn", "rank"]
    assert found["Time"] == ["on_interval", "on_event"]


def test_what_holds_without_a_file_that_fills_the_hook():
    assert reference.kind("rank") == "Required."
    assert reference.kind("has_room") == "Required where a file calls it."
    assert reference.kind("on_pick") == "Has a default."


def test_declared_words_of_the_state_are_listed(monkeypatch):
    monkeypatch.setitem(hooks.GIVEN, "fetch", {"lanes": "how many"})
    monkeypatch.setitem(hooks.ANSWERS, "fetch", {"hit": (0, "1 if it hit")})
    assert reference.words("fetch") == [
        *("", "Its caller sets:", "", "- `S.lanes`: how many"),
        *("", "It sets:", "", "- `S.hit`: 1 if it hit (0 before the call)"),
    ]
    assert reference.words("rank") == []
