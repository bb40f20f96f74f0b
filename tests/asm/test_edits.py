"""Diagnostics as data: ranges of bytes, and edits that mend what they are for."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from simtlab.asm.assemble import assemble
from simtlab.isa.codes import assembler_codes
from simtlab.isa.errors import Diagnostic, SourceError
from simtlab.isa.table import BY_NAME

from .test_diagnostics import cases

SOURCES = {case.title: case.text for case in cases()} | {
    entry.code: entry.bad for entry in assembler_codes().values() if entry.bad and not entry.files
}


def errors(source: Path) -> tuple[Diagnostic, ...]:
    try:
        assemble(source)
    except SourceError as error:
        return error.diagnostics
    return ()


def places(found: tuple[Diagnostic, ...]) -> set[tuple[str, int, int]]:
    return {(d.code, d.span.line, d.span.column) for d in found if d.span}


def mended(data: bytes, finding: Diagnostic) -> bytes:
    """The source with the edits of a finding, applied by their bytes."""
    for edit in sorted(finding.edits, key=lambda e: e.span.bytes or (0, 0), reverse=True):
        assert edit.span.bytes is not None
        first, end = edit.span.bytes
        data = data[:first] + edit.replacement.encode() + data[end:]
    return data


@pytest.mark.parametrize("title", SOURCES)
def test_bytes_are_those_of_the_marked_text_and_edits_mend(title: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.sinc").write_text("    add_u32 $s0, $s1\n")
    (tmp_path / "circle.sinc").write_text('.include "circle.sinc"\n')
    path = tmp_path / "main.sasm"
    data = codecs.BOM_UTF8 + SOURCES[title].replace("\n", "\r\n").encode()
    path.write_bytes(data)
    found = errors(path)
    assert found
    for finding in found:
        span = finding.span
        if span is None or span.file != "main.sasm":
            continue
        assert span.bytes is not None
        assert span.source is not None
        marked = span.source[span.column - 1 : span.column - 1 + span.length].replace(
            "\ufffd", "\7"
        )
        assert data[slice(*span.bytes)].decode() == marked
        assert data.count(b"\n", 0, span.bytes[0]) == span.line - 1
        if finding.edits:
            path.write_bytes(mended(data, finding))
            assert not places((finding,)) & places(errors(path)), "the edit does not mend"


def test_many_messages_have_an_edit(tmp_path: Path) -> None:
    path = tmp_path / "main.sasm"
    codes = set()
    for text in SOURCES.values():
        path.write_text(text, encoding="utf-8")
        codes |= {d.code for d in errors(path) if d.edits}
    assert codes >= {"SIM104", "SIM110", "SIM117", "SIM119", "SIM127", "SIM128", "SIM133", "SIM143"}


BODY = """\
kernel k(u32 %number) {{
    {} // é𝄞
@again:
    ld_kernarg_u32 $s0, [%number]
    ret
}}
"""


@given(st.sampled_from(sorted(BY_NAME)), st.data())
def test_a_misspelt_mnemonic_gets_an_edit_to_an_instruction(name: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(name) - 1))
    wrong = name[:at] + "q" + name[at + 1 :]
    assume(wrong not in BY_NAME)
    text = BODY.format(f"{wrong} $s0")
    with pytest.raises(SourceError) as caught:
        assemble(text)
    for finding in caught.value.diagnostics:
        if finding.code == "SIM104" and finding.edits:
            (edit,) = finding.edits
            assert edit.replacement in BY_NAME
            assert mended(text.encode(), finding).decode() == text.replace(wrong, edit.replacement)
            return
    assert caught.value.first.code in ("SIM104", "SIM105")


def edits_of(text: str) -> list[str]:
    with pytest.raises(SourceError) as caught:
        assemble(text)
    return [edit.replacement for d in caught.value.diagnostics for edit in d.edits]


@pytest.mark.parametrize(
    ("line", "edits"),
    [
        ("br @agian", ["@again"]),
        ("br again", ["@again"]),
        ("br @nothing.alike", []),
        ("ld_kernarg_u32 $s0, [number]", ["%number"]),
        ("ld_kernarg_u32 $s0, [%nubmer]", ["%number"]),
        ("fma.f32 $s0, $s1, $s2, $s3", ["fma_f32"]),
        ("add $s0, $s0, $s0", []),
        ("atomicAdd $s0", []),
        ("cbr $c0, @again, lop", ["loop"]),
    ],
)
def test_which_hints_are_exact(line: str, edits: list[str]) -> None:
    assert edits_of(BODY.format(line)) == edits


def test_a_word_of_a_macro_is_mended_in_its_body_but_not_in_what_fills_it() -> None:
    macro = (
        ".macro m op\n    {} $s0, $s0, $s0, $s0\n.endmacro\nkernel k() {{\n    m {}\n    ret\n}}\n"
    )
    assert edits_of(macro.format("fmq_f32", "fma_f32")) == ["fma_f32"]
    assert edits_of(macro.format("\\op", "fmq_f32")) == []
    assert edits_of(macro.format("\\opp", "fma_f32")) == ["\\op"]


def test_the_bytes_of_a_file_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "a.sasm"
    path.write_bytes("// é\n// \xff".encode("latin-1"))
    (finding,) = errors(path)
    assert finding.span is not None
    assert finding.span.bytes == (3, 4)
