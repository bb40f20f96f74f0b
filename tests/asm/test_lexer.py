"""The Pygments lexer agrees with the assembler's own scanner, and loses no character."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Comment, Error, Keyword, Name, Number, String

import simtlab
from simtlab.asm.lexer import SasmLexer
from simtlab.asm.resolve.branches import _FLAGS
from simtlab.asm.syntax.mistakes import _DIRECTIVES
from simtlab.asm.syntax.shapes import tokens
from simtlab.asm.syntax.values import _SPECIAL
from simtlab.asm.words import CONSTANTS, DIRECTIVES, FLAGS, MNEMONICS
from simtlab.isa.table import TABLE

SOURCES = sorted((Path(simtlab.__file__).parent / "programs").rglob("*.sasm"))


def lexed(text: str) -> list[tuple[int, object, str]]:
    return list(SasmLexer().get_tokens_unprocessed(text))


def test_pygments_finds_the_lexer_where_simtlab_is_installed() -> None:
    if not any(e.name == "sasm" for e in metadata.entry_points(group="pygments.lexers")):
        pytest.skip("simtlab is not installed anew since the entry point was declared")
    assert isinstance(get_lexer_by_name("sasm"), SasmLexer)
    assert isinstance(get_lexer_for_filename("a.sinc"), SasmLexer)


def test_the_words_are_those_of_the_language() -> None:
    assert MNEMONICS == tuple(row.name for row in TABLE)
    assert set(DIRECTIVES.values()) == set(_DIRECTIVES)
    assert set(FLAGS) == {*_FLAGS, "none"}
    assert set(CONSTANTS) == set(_SPECIAL)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_shipped_source_has_no_error_and_every_token_of_the_assembler(path: Path) -> None:
    text = path.read_text("utf-8")
    found = lexed(text)
    assert "".join(part for _, _, part in found) == text
    assert not [part for _, style, part in found if style is Error]
    styles = {at: style for at, style, _ in found}
    offset = 0
    for line in text.split("\n"):
        for word in tokens(line):
            if "\\" in line[max(0, word.start - 1) : word.start + 1]:
                continue  # a parameter of a macro is one token here and two there
            style = styles[offset + word.start]
            if word.text in MNEMONICS:
                assert style is Name.Function
            assert (word.kind == "COMMENT") == (style is Comment.Single)
            assert (word.kind == "REGISTER") == (style is Name.Variable)
            assert (word.kind == "LABEL") == (style is Name.Label)
        offset += len(line) + 1


@given(
    st.text() | st.lists(st.sampled_from(["[", "'", '"', "\\a", "$", "%", "é", "\n", "//", "0x"]))
)
def test_any_text_comes_back_whole(text: str | list[str]) -> None:
    joined = "".join(text)
    assert "".join(part for _, _, part in lexed(joined)) == joined


@pytest.mark.parametrize(
    ("text", "part", "style"),
    [
        ("add_u32 $s0", "add_u32", Name.Function),
        ("mine $s0", "mine", Name.Function.Magic),
        ("kernel add_u32()", "add_u32", Name.Class),
        (".const N = 0x1f", ".const", Keyword),
        (".const N = 0x1f", "0x1f", Number.Hex),
        (".const N = 0b11", "0b11", Number.Bin),
        (".const N = 1.5", "1.5", Number.Float),
        (".const N = 0f3f800000", "0f3f800000", Number.Float),
        (".const N = nan", "nan", Keyword.Constant),
        ("    mad_\\type \\a", "\\type", String.Interpol),
        ("    ret\n    f32", "f32", Name.Function.Magic),
        ("kernel k(f32 %a)", "f32", Keyword.Type),
        ("kernel k(f32 %a)", "%a", Name.Attribute),
        ("ret ?", "?", Error),
        ('.loc "a//b" 1 2', '"a//b"', String),
    ],
)
def test_the_style_of_a_word(text: str, part: str, style: object) -> None:
    assert [found for _, found, shown in lexed(text) if shown == part] == [style]


def test_html_escapes_everything() -> None:
    page = highlight('// <script>&"\n.loc "<b>" 1 1', SasmLexer(), HtmlFormatter(noclasses=True))
    assert "<script" not in page
    assert "<b>" not in page
