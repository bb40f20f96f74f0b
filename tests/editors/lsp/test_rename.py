"""Renaming in the language server: every occurrence that is meant, and no other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

from lsprotocol import types

import simtlab
from simtlab.editors.lsp.documents import Document, Documents
from simtlab.editors.lsp.rename import Refused, can_be_renamed, renamed

SOURCE = """\
.include "common.sinc"
.const N = 4
.macro twice a
@again:
    add_u32 \\a, \\a, \\a
    mov_u32 $s9, \\a
.endmacro

kernel one(u32 %n) {
    .group u32 tile[N]
    ld_kernarg_u32 $s0, [%n]
    mov_u32 $s1, SHARED
    cmp_eq_u32 $c0, $s0, N
    cbr $c0, @done
    twice $s0
    mov_u32 $s9, $s0
    st_group_u32 $s0, [tile+4]
@done:
    ret
}

kernel two(u32 %n) {
    ld_kernarg_u32 $s0, [%n]
    br @done
@done:
    ret
}
"""


@pytest.fixture
def document(tmp_path: Path) -> Document:
    (tmp_path / "common.sinc").write_text(".const SHARED = 7\n")
    uri = (tmp_path / "k.sasm").as_uri()
    documents = Documents()
    documents.change(uri, SOURCE)
    found = documents.get(uri)
    assert found is not None
    assert found.diagnostics() == []
    return found


def position(line_text: str, word: str) -> types.Position:
    lines = SOURCE.split("\n")
    line = next(i for i, text in enumerate(lines) if line_text in text)
    return types.Position(line, lines[line].index(word) + 1)


def edited(document: Document, line_text: str, word: str, new: str) -> str:
    """Return the source after a rename."""
    name = document.at(position(line_text, word))
    assert name is not None
    assert can_be_renamed(document, name) == document.location(name).range
    changes: Any = renamed(document, name, new).changes
    lines = SOURCE.split("\n")
    for edit in sorted(changes[document.uri], key=lambda e: e.range.start.character, reverse=True):
        line, start, end = edit.range.start.line, edit.range.start, edit.range.end
        text = lines[line]
        lines[line] = text[: start.character] + edit.new_text + text[end.character :]
    return "\n".join(lines)


def replaced(*changes: tuple[str, str]) -> str:
    """Return the source with texts of its first kernel replaced."""
    first, mark, second = SOURCE.partition("kernel two")
    for old, new in changes:
        assert old in first
        first = first.replace(old, new)
    return first + mark + second


@pytest.mark.parametrize(
    ("line", "word", "new", "changes"),
    [
        ("cbr", "@done", "end", [("@done", "@end")]),
        ("cbr", "@done", "@end", [("@done", "@end")]),
        ("mov_u32 $s1", "$s1", "s2", [("$s1", "$s2")]),
        ("ld_kernarg_u32", "%n", "count", [("%n", "%count")]),
        (".group", "tile", "row", [("tile", "row")]),
        ("cmp_eq", " N", "LENGTH", [("tile[N]", "tile[LENGTH]"), ("const N", "const LENGTH"),
                                    ("$s0, N", "$s0, LENGTH")]),
        ("twice $s0", "twice", "double", [("twice", "double")]),
        ("add_u32", "\\a", "x", [("\\a", "\\x"), ("twice a", "twice x")]),
        ("@again", "@again", "more", [("@again", "@more")]),
        ("kernel one", "one", "first", [("kernel one", "kernel first")]),
    ],
)  # fmt: skip
def test_a_name_changes_wherever_it_means_the_same(
    document: Document, tmp_path: Path, line: str, word: str, new: str,
    changes: list[tuple[str, str]],
) -> None:  # fmt: skip
    text = edited(document, line, word, new)
    assert text == replaced(*changes)
    (tmp_path / "renamed.sasm").write_text(text)
    assert len(simtlab.assemble(tmp_path / "renamed.sasm").kernels) == 2


@pytest.mark.parametrize(
    ("line", "word", "new", "reason"),
    [
        ("cmp_eq", "$s0", "$s1", "`$s1` is in use here already"),
        ("mov_u32 $s1", "$s1", "$s9", "`$s9` is in use here already"),
        ("cmp_eq", "$s0", "$d3", "`$d3` is not a register like $s0: expected $s0 to $s63"),
        ("cmp_eq", "$s0", "64", "`64` is not a register like $s0: expected $s0 to $s63"),
        ("mov_u32 $s9, $s0", "$s9", "$s8", "`$s9` is used by a macro and by a kernel"),
        ("cbr", "@done", "a b", "`a b` is not a name: expected letters, digits and _"),
        ("const N", "N", "SHARED", "`SHARED` is in use here already"),
        ("const N", "N", "inf", "renamed to `inf` the source has an error: "),
        ("mov_u32 $s1", "SHARED", "OTHER", "`SHARED` is defined in common.sinc, which other"),
        ("cmp_eq", "cmp_eq", "other", "`cmp_eq_u32` is not a name of this source"),
    ],
)
def test_a_rename_that_would_change_the_meaning_is_refused(
    document: Document, line: str, word: str, new: str, reason: str
) -> None:
    name = document.at(position(line, word))
    assert name is not None
    with pytest.raises(Refused) as caught:
        renamed(document, name, new)
    assert str(caught.value).startswith(reason)


def test_what_only_other_files_can_change_is_not_offered(document: Document) -> None:
    for line, word in (("mov_u32 $s1", "SHARED"), ("cmp_eq", "cmp_eq"), (".include", '"common')):
        name = document.at(position(line, word))
        assert name is not None
        assert can_be_renamed(document, name) is None


def test_a_name_that_an_included_file_uses_is_refused(tmp_path: Path) -> None:
    """An edit for a line of that file would change the line of this number in the document."""
    (tmp_path / "common.sinc").write_text(".macro more a\n    add_u32 \\a, \\a, N\n.endmacro\n")
    uri, documents = (tmp_path / "k.sasm").as_uri(), Documents()
    documents.change(
        uri,
        '.include "common.sinc"\n// a comment that is long enough\n.const N = 4\n'
        "kernel k() {\n    mov_u32 $s0, N\n    more $s0\n    ret\n}\n",
    )
    document = documents.get(uri)
    assert document is not None
    assert document.diagnostics() == []
    name = document.at(types.Position(2, 7))
    assert name is not None
    assert can_be_renamed(document, name) is None
    with pytest.raises(Refused, match=r"^`N` is used in common\.sinc, which other sources may"):
        renamed(document, name, "LENGTH")
