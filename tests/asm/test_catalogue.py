"""The catalogue of error codes: its examples are run, and no code is missing from it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simtlab.asm.assemble import assemble
from simtlab.isa.codes import Entry, assembler_codes, find
from simtlab.isa.errors import SourceError

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [entry for entry in assembler_codes().values() if entry.bad]


def in_folder(entry: Entry, text: str, folder: Path) -> Path:
    """The example as a file, beside the files that it includes."""
    for name, content in entry.files.items():
        (folder / name).write_text(content, encoding="utf-8")
    path = folder / "example.sasm"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("entry", SOURCES, ids=lambda entry: entry.code)
def test_a_bad_example_has_exactly_the_error_that_it_is_for(entry: Entry, tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        assemble(in_folder(entry, entry.bad, tmp_path))
    assert [d.code for d in caught.value.diagnostics] == [entry.code]


@pytest.mark.parametrize("entry", SOURCES, ids=lambda entry: entry.code)
def test_a_good_example_assembles(entry: Entry, tmp_path: Path) -> None:
    assert assemble(in_folder(entry, entry.good, tmp_path)).kernels


def test_every_code_of_a_source_or_object_file_is_in_the_catalogue() -> None:
    used = {
        code
        for folder in ("isa", "asm")
        for path in (ROOT / folder).rglob("*.py")
        if path.parent.name != "codes"
        for code in re.findall(r'"(SIM[0-9]{3})"', path.read_text(encoding="utf-8"))
    }
    # Families, and codes of launches, options and files, which launches.py and command.py explain.
    families = {"SIM000", "SIM100", "SIM300", "SIM309", "SIM500", "SIM501", "SIM510", "SIM515"}
    assert used - families - {"SIM308"} == set(assembler_codes())


def test_codes_are_listed_in_order() -> None:
    assert list(assembler_codes()) == sorted(assembler_codes())


def test_an_entry_reads_as_title_cause_remedy_and_examples() -> None:
    entry = find("sim125")
    assert entry is not None
    assert entry.text() == (
        "SIM125: A kernel falls off its end\n\n"
        "Execution would continue after the last instruction of the kernel.\n\n"
        "What to do: End the kernel with ret, br or trap.\n\n"
        "Wrong:\n\n    kernel k() {\n        nop\n    }\n\n"
        "Right:\n\n    kernel k() {\n        nop\n        ret\n    }"
    )


def test_an_unknown_code_has_no_entry() -> None:
    assert find("SIM199") is None
