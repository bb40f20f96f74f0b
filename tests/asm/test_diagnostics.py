"""Every message of the assembler, whole, as the user sees it.

diagnostics.txt has sections of a title, a source and the expected text. After a change of wording
`python tests/asm/test_diagnostics.py` writes the texts anew, to be read in the diff.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest

from simtlab.asm.assemble import assemble
from simtlab.isa.codes import assembler_codes
from simtlab.isa.errors import SourceError

GOLDEN = Path(__file__).with_name("diagnostics.txt")
HEAD = "kernel k(u32 %n, global f32* %x) {\n"
TAIL = "    ret\n}\n"


class Case(NamedTuple):
    """A section of the file: lines of a kernel's body if no line begins a kernel or a macro."""

    title: str
    source: str
    expected: str

    @property
    def text(self) -> str:
        whole = re.search(r"^(kernel|kernal|\.macro|\.include|ret)", self.source, re.MULTILINE)
        return self.source if whole else HEAD + self.source + TAIL


def cases() -> list[Case]:
    found: list[Case] = []
    for section in GOLDEN.read_text(encoding="utf-8").split("=== ")[1:]:
        title, _, rest = section.partition("\n")
        source, _, expected = rest.partition("---\n")
        found.append(Case(title, source, expected.strip("\n")))
    return found


def message(case: Case, folder: Path) -> str:
    """The message, with the case as main.sasm beside two files to include."""
    (folder / "wrong.sinc").write_text("    add_u32 $s0, $s1\n", encoding="utf-8")
    (folder / "circle.sinc").write_text('.include "circle.sinc"\n', encoding="utf-8")
    path = folder / "main.sasm"
    path.write_text(case.text, encoding="utf-8")
    with pytest.raises(SourceError) as caught:
        assemble(path)
    return str(caught.value)


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.title)
def test_the_whole_message(case: Case, tmp_path: Path) -> None:
    assert message(case, tmp_path) == case.expected


def test_titles_are_different() -> None:
    titles = [case.title for case in cases()]
    assert len(set(titles)) == len(titles)


def test_every_code_of_a_source_has_a_message_here() -> None:
    shown = set(re.findall(r"error\[(SIM\d+)\]", GOLDEN.read_text(encoding="utf-8")))
    without_example = {
        code for code in assembler_codes() if code.startswith("SIM1") and code not in shown
    }
    assert without_example == {"SIM101", "SIM144"}, "these have tests in test_source_text.py"


def rewrite() -> None:
    """Write the expected texts anew."""
    parts: list[str] = []
    for case in cases():
        with tempfile.TemporaryDirectory() as folder:
            shown = message(case, Path(folder))
        parts.append(f"=== {case.title}\n{case.source}---\n{shown}\n")
    GOLDEN.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    rewrite()
