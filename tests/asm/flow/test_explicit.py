from dataclasses import replace

import pytest
from hypothesis import given, settings

from simtlab.asm.assemble import assemble
from simtlab.asm.flow.explicit import with_markers
from simtlab.asm.load import load
from simtlab.isa.objectfile import dumps
from simtlab.isa.verify import verify
from simtlab.programs import Entry, catalogue

from ..support.kernels import jumping_code


@pytest.mark.parametrize("entry", catalogue(), ids=lambda e: e.name)
def test_a_program_gets_the_markers_that_its_text_would_get(entry: Entry) -> None:
    plain = assemble(entry.path)
    assert with_markers(plain) == assemble(entry.path, markers="explicit")
    assert with_markers(load(dumps(plain))) == assemble(entry.path, markers="explicit")


@settings(max_examples=200, deadline=None)
@given(jumping_code)
def test_any_code_gets_the_markers_that_its_text_would_get(lines: list[str]) -> None:
    body = "\n".join(
        f"@l{pc * 8:x}:\n{line.replace('alu', 'nop').replace('cbr @', 'cbr $c0, @l')}"
        for pc, line in enumerate(line.replace("br @", "br @l") for line in [*lines, "ret"])
    ).replace("@ll", "@l")
    text = f"kernel k() {{\n{body}\n}}\n"
    assert with_markers(assemble(text)) == assemble(text, markers="explicit")


NAMED = """\
kernel k() {
    cbr $c0, @a, @b
    nop
@a:
    nop
@b:
    cbr $c1, @c, none
    nop
@c:
    ret
}
"""


def test_joins_that_the_source_names_stay_what_they_are() -> None:
    assert with_markers(assemble(NAMED)) == assemble(NAMED, markers="explicit")


def test_flags_are_those_of_the_program_not_of_the_defaults() -> None:
    plain = assemble(NAMED, subdivide_limit=0)
    assert with_markers(plain) == assemble(NAMED, subdivide_limit=0, markers="explicit")


def test_a_program_without_locations_stays_without() -> None:
    plain = assemble(NAMED)
    bare = replace(plain, kernels=(replace(plain.kernels[0], locations=()),), files=())
    marked = with_markers(bare)
    verify(marked)
    assert marked.kernels[0].words == with_markers(plain).kernels[0].words
    assert marked.kernels[0].locations == ()
