"""What the server knows of a source: joins, names, places in other encodings."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pygls")

from lsprotocol.types import PositionEncodingKind

import simtlab
from simtlab.asm.words import DIRECTIVES
from simtlab.editors.lsp.positions import Positions
from simtlab.editors.lsp.study import study
from simtlab.editors.lsp.symbols import Index, Kind, Occurrence
from simtlab.editors.lsp.texts import DIRECTIVES as EXPLAINED

SOURCES = sorted((Path(simtlab.__file__).parent / "programs").rglob("*.sasm"))


def test_every_directive_is_explained() -> None:
    assert set(EXPLAINED) == {*DIRECTIVES.values(), "kernel"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_every_name_of_a_shipped_source_has_a_definition(path: Path) -> None:
    found = study(path.read_text("utf-8"), path)
    assert found.diagnostics == ()
    index = Index(found.files.values())
    no_definition = {Kind.INSTRUCTION, Kind.DIRECTIVE, Kind.INCLUDE}
    for name in index.occurrences:
        if name.kind in no_definition or name.kind is Kind.REGISTER:
            continue  # a register may be read without a write: it is zero then
        assert index.definitions(name), name
        assert name in index.same(name)
        line = found.files[name.file].lines[name.line - 1]
        shown = line[name.column : name.column + name.length]
        assert shown in (name.name, name.name.removeprefix("\\"))


def test_the_joins_of_shipped_sources_are_those_of_their_object_files() -> None:
    for path in SOURCES[:12]:
        found = study(path.read_text("utf-8"), path)
        program = simtlab.assemble(path).program
        for kernel in program.kernels:
            for pc, ins in enumerate(kernel.instructions):
                if not ins.row.is_conditional or not kernel.locations:
                    continue
                texts = found.joins(kernel.locations[pc].line)
                if texts and ins.join is not None:
                    line = kernel.locations[ins.join].line
                    assert any(text.endswith(f"line {line}") for text in texts) or len(texts) > 1


def joins(body: str) -> dict[int, str]:
    return study(f"kernel k() {{\n{body}    ret\n}}\n").implicit_joins()


def test_a_join_has_the_name_that_a_source_would_give_it() -> None:
    assert joins("cbr $c0, @a\nnop\n@a:\n@b:\nnop\n") == {2: "@a"}
    assert joins("@a:\ncbr $c0, @a\n") == {3: "line 4"}
    assert joins("cbr $c0, @a\nret\n@a:\n") == {2: "none"}
    assert joins("cbr $c0, @a, @a\nnop\n@a:\n") == {}
    assert joins("cbr $c0, @a, none\nnop\n@a:\n") in ({}, {2: "none"})


def test_a_macro_has_the_join_of_all_its_uses_or_none() -> None:
    macro = ".macro m to\n    cbr $c0, \\to\n.endmacro\n"
    one = study(macro + "kernel k() {\n    m @a\n    nop\n@a:\n    ret\n}\n")
    assert one.implicit_joins() == {2: "@a"}
    two = study(
        macro + "kernel k() {\n    m @a\n    nop\n@a:\n    m @b\n    nop\n@b:\n    ret\n}\n"
    )
    assert two.implicit_joins() == {}
    assert two.joins(2) == ["re-converges at `@a`, line 8", "re-converges at `@b`, line 11"]


def test_a_source_with_an_error_keeps_its_names() -> None:
    found = study("kernel k() {\n    add_u32 $s0 $s1\n    br @a\n@a:\n    rett\n")
    assert found.diagnostics
    names = {o.name for o in Index(found.files.values()).occurrences}
    assert {"k", "@a", "$s0", "$s1"} <= names


def at(index: Index, line: int, column: int) -> Occurrence:
    found = index.at("untitled.sasm", line, column)
    assert found is not None
    return found


def test_an_array_of_the_kernel_hides_nothing_of_another_kernel() -> None:
    kernel = "kernel {}() {{\n    .group u32 t[4]\n    ld_group_u32 $s0, [t]\n    ret\n}}\n"
    index = Index(study(kernel.format("k") + kernel.format("l")).files.values())
    assert [o.line for o in index.same(at(index, 3, 24))] == [2, 3]
    assert [o.line for o in index.same(at(index, 8, 24))] == [7, 8]


@given(st.text(st.characters(exclude_characters="\n\r"), max_size=12), st.data())
def test_positions_come_back(text: str, data: st.DataObject) -> None:
    column = data.draw(st.integers(0, len(text)))
    for encoding in PositionEncodingKind:
        positions = Positions(["", text], encoding)
        assert positions.column(positions.place(2, column)) == (2, column)
    wide = Positions([text], PositionEncodingKind.Utf16)
    assert wide.place(1, column).character == sum(1 + (ord(c) > 0xFFFF) for c in text[:column])
