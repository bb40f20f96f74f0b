"""Pages show what the command prints: every example is run, in the page's order."""

from __future__ import annotations

import shlex
import textwrap
from pathlib import Path

import pytest
import typer

import simtlab
from simtlab.cli.app import app
from simtlab.programs.index import find

from ..docs.support.examples import examples, matches

ROOT = Path(simtlab.__file__).parent
PAGE = (ROOT / "docs" / "command.md").read_text(encoding="utf-8")


OTHERS = (
    "README.md",
    "docs/checking.md",
    "docs/debugging.md",
    "docs/jit/overview.md",
    "docs/sweeps.md",
    "docs/timing/overview.md",
    "docs/timing/your-own-policy.md",
)
"""Pages beside command.md that show output."""


def test_every_example_is_true(cli):
    Path("saxpy.sasm").write_text(find("saxpy").path.read_text(encoding="utf-8"))
    for line, shown in examples(PAGE):
        done = cli(*shlex.split(line))
        printed = done.out + done.err
        assert matches(shown, printed), f"simtlab {line}\n{printed}"


def test_the_example_of_the_source_language_assembles(cli):
    page = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    source = page[page.index("    .const") :].partition("    }\n")[0] + "    }\n"
    Path("example.sasm").write_text(textwrap.dedent(source))
    for line, shown in examples(page):
        done = cli(*shlex.split(line))
        assert matches(shown, done.out + done.err)


@pytest.mark.parametrize("name", OTHERS)
def test_every_example_of_another_page_is_true(cli, name):
    Path("saxpy.sasm").write_text(find("saxpy").path.read_text(encoding="utf-8"))
    Path("docs").symlink_to(ROOT / "docs")
    found = examples((ROOT / name).read_text(encoding="utf-8"))
    assert found
    for line, shown in found:
        done = cli(*shlex.split(line))
        printed = done.out + done.err
        assert matches(shown, printed), f"simtlab {line}\n{printed}"


def test_the_page_names_every_command_and_option():
    group = typer.main.get_command(app)
    for name, command in group.commands.items():  # pyright: ignore[reportAttributeAccessIssue]
        assert f"\n## {name}\n" in PAGE
        for one in (command, *getattr(command, "commands", {}).values()):
            for param in one.params:
                if param.param_type_name == "option":
                    assert max(param.opts, key=len) in PAGE
