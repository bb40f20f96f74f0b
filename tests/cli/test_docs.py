"""docs/command.md shows what the command prints: every example is run, in the page's order."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import typer

import simtlab
from simtlab.cli.app import app
from simtlab.programs.index import find

ROOT = Path(simtlab.__file__).parent
PAGE = (ROOT / "docs" / "command.md").read_text(encoding="utf-8")


def examples() -> list[tuple[str, str]]:
    """(command line, shown output) of every console block."""
    blocks = re.findall(r"^```console\n\$ simtlab (.*)\n((?:.*\n)*?)```$", PAGE, re.MULTILINE)
    assert len(blocks) == PAGE.count("```console")
    return blocks


def matches(shown: str, printed: str) -> bool:
    """Whether the output is what the page shows; `…` stands for anything."""
    pattern = ".*".join(re.escape(part) for part in shown.split("…"))
    return re.fullmatch(pattern, printed, re.DOTALL) is not None


def test_every_example_is_true(cli):
    Path("saxpy.sasm").write_text(find("saxpy").path.read_text(encoding="utf-8"))
    for line, shown in examples():
        done = cli(*shlex.split(line))
        printed = done.out + done.err
        assert matches(shown, printed), f"simtlab {line}\n{printed}"


def test_the_page_names_every_command_and_option():
    group = typer.main.get_command(app)
    for name, command in group.commands.items():  # pyright: ignore[reportAttributeAccessIssue]
        assert f"\n## {name}\n" in PAGE
        for param in command.params:
            if param.param_type_name == "option":
                assert max(param.opts, key=len) in PAGE
