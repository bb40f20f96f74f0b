"""The tutorial and the how-to pages show what is printed, and the files that lie beside them."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
import typer

import simtlab
from simtlab.asm.assemble import assemble
from simtlab.cli.app import app
from simtlab.isa.errors import SourceError

from .support.examples import examples, matches

DOCS = Path(simtlab.__file__).parent / "docs"
PAGES = sorted([DOCS / "index.myst", *DOCS.glob("tutorial/*.md"), *DOCS.glob("how-to/*.md")])
FILES = sorted(
    [
        *DOCS.glob("tutorial/*.sasm"),
        *DOCS.glob("tutorial/*.py"),
        *DOCS.glob("how-to/*.py"),
        *DOCS.glob("how-to/*.sasm"),
    ]
)
MADE_BY_THE_READER = {"unguarded.sasm", "broken.sasm", "reverse_right.sasm"}
"""Files that a page describes as a change of another one."""

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def name_of(path: Path) -> str:
    return str(path.relative_to(DOCS))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_prints_what_the_page_shows(page, beside, printed):
    beside(page)
    for line, shown in examples(page.read_text("utf-8")):
        found = printed(shlex.split(line))
        assert matches(shown, found), f"simtlab {line}\n{found}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_python_session_is_true(page, beside):
    beside(page)
    failures, _ = doctest.testfile(str(page), module_relative=False, optionflags=OPTIONS)
    assert not failures


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_has_something_to_run(page):
    text = page.read_text("utf-8")
    assert examples(text) or ">>> " in text


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_a_file_is_shown_on_a_page_as_it_is(file):
    if file.name in MADE_BY_THE_READER:
        pytest.skip("a page says how it is made from another file")
    blocks = [
        block
        for page in file.parent.glob("*.md")
        for block in re.findall(
            r"^```(?:sasm|python)\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S
        )
    ]
    assert file.read_text("utf-8") in blocks


def test_what_the_reader_makes_differs_as_the_page_says():
    folder = DOCS / "tutorial"
    read = {name: (folder / name).read_text("utf-8").splitlines() for name in MADE_BY_THE_READER}
    add = (folder / "add.sasm").read_text("utf-8").splitlines()
    assert read["unguarded.sasm"] == add[:4] + add[6:]
    assert [a for a, b in zip(read["broken.sasm"], add, strict=True) if a != b] == [
        "    add_f32            $s2, $s2"
    ]
    reverse = (folder / "reverse.sasm").read_text("utf-8").splitlines()
    added = [line for line in read["reverse_right.sasm"][1:] if line not in reverse]
    assert [line.split()[0] for line in added] == ["barrier"]


@pytest.mark.parametrize("file", [f for f in FILES if f.suffix == ".sasm"], ids=name_of)
def test_a_kernel_assembles_or_is_meant_not_to(file):
    if file.name == "broken.sasm":
        with pytest.raises(SourceError):
            assemble(file)
    else:
        assert assemble(file).kernels


def test_every_command_that_a_page_names_exists():
    commands = set(typer.main.get_command(app).commands)  # pyright: ignore
    missing = {
        f"{name_of(page)}: simtlab {word}"
        for page in PAGES
        for word in re.findall(r"`simtlab ([a-z]+)", page.read_text("utf-8"))
        if word not in commands
    }
    assert not missing


ARGUMENTS = {
    "add": "--items 6 --arg n=6 --arg a=arange:6 --arg b=ones:6 --arg c=zeros:6",
    "count_right": "--items 64 --arg counter=zeros:1",
    "gather": "--items 64 --arg n=64 --arg x=ones:64 --arg y=zeros:64",
    "odd": "--items 8 --arg y=zeros:8",
    "rare": "--items 8 --arg n=5 --arg y=zeros:8",
    "reverse_right": "--items 64 --block 64 --arg x=arange:64 --arg y=zeros:64",
    "sides": "--items 8 --arg y=zeros:8",
    "stride": "--items 64 --arg step=2 --arg x=arange:128 --arg y=zeros:64",
    "table": "--items 64 --arg n=1024 --arg x=ones:1024 --arg y=zeros:64",
    "walk": "--items 64 --block 16 --arg x=ones:131072 --arg y=zeros:64",
}
WRONG = {"broken", "count", "reverse", "unguarded"}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_kernel_of_the_tutorial_has_nothing_that_the_checker_finds(name, beside, printed):
    beside(DOCS / "how-to" / "overview.md")
    found = printed(["run", f"{name}.sasm", *ARGUMENTS[name].split(), "--check"])
    assert "\ncheck                no errors; " in found, found


def test_every_kernel_is_right_or_meant_to_be_wrong():
    assert {file.stem for file in FILES if file.suffix == ".sasm"} == WRONG | ARGUMENTS.keys()
