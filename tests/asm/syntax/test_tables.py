"""The fast way from text to statements is Lark's way: same tokens, same trees, same errors."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark, Token, Transformer, Tree
from lark.exceptions import UnexpectedToken

from simtlab.asm.syntax import generate
from simtlab.asm.syntax.mistake_examples import KNOWN, examples_of
from simtlab.asm.syntax.mistakes import explain, words_of
from simtlab.asm.syntax.shapes import FILE, STARTS, STATEMENTS, Shape, ShapeError, scan, shape

from ..support.patience import EndlessError, patience

grammar = cache(generate.grammar)

PROGRAMS = Path(__file__).resolve().parents[3] / "programs"
LINES = sorted(
    {
        line
        for path in PROGRAMS.glob("**/*.sasm")
        for line in path.read_text(encoding="utf-8").split("\n")
        if "\\" not in line  # the body of a macro is text, until its parameters have values
    }
)

PIECES = st.sampled_from(
    (
        *("fma_f32", "$s0", "@a", "%n", "[%n+4]", "N", "1", "0x1f", "1.5e-3", "'a'", '"t"', "-"),
        *(",", ":", "(", ")", "{", "}", "*", "/", "<<", "~", "=", "kernel", "kernels", "global"),
        *(".const", ".readonly", ".group", ".include", ".macro", ".loc", "// end", " ", "\t"),
    )
)


@given(st.lists(PIECES, max_size=12).map(" ".join))
def test_the_scanner_finds_the_tokens_of_the_grammar(text: str) -> None:
    theirs = [(t.type, str(t), t.start_pos) for t in grammar().lex(text)]
    assert [(w.kind, w.text, w.start) for w in scan(text)] == theirs


def test_the_scanner_finds_the_tokens_of_every_line_of_the_programs() -> None:
    assert len(LINES) > 200
    for line in LINES:
        theirs = [(t.type, str(t), t.start_pos) for t in grammar().lex(line)]
        assert [(w.kind, w.text, w.start) for w in scan(line)] == theirs, line


class Reductions(Transformer):  # pyright: ignore[reportMissingTypeArgument]
    """Turns Lark's reductions into shapes. A token carries its number as its position."""

    def __default__(self, data: str, children: list[Any], meta: object) -> Any:
        rule = str(data)
        if rule.startswith("_"):
            return Tree(rule, children)
        parts = [cast("int", c.start_pos) if isinstance(c, Token) else c for c in children]
        if rule in STATEMENTS:
            return Shape(rule, tuple(tuple(p) if isinstance(p, list) else p for p in parts))
        signs = [isinstance(c, Token) and c.type in ("PLUS", "MINUS") for c in children]
        operands = [p for p, is_sign in zip(parts, signs, strict=True) if not is_sign]
        return [*(i for p in operands for i in (p if isinstance(p, list) else [p])), rule]


@cache
def reducing() -> Lark:
    text = FILE.with_suffix(".lark").read_text(encoding="utf-8")
    return Lark(
        text,
        parser="lalr",
        lexer="basic",
        start=list(STARTS),
        maybe_placeholders=False,
        transformer=Reductions(),
    )


def larks_shape(kinds: tuple[str, ...], start: str) -> Shape | tuple[int, frozenset[str]]:
    """What Lark itself makes of tokens of these kinds: a shape, or where it stops and why."""
    parser = reducing().parse_interactive(start=start)
    index = 0
    try:
        for index, kind in enumerate(kinds):
            parser.feed_token(Token(kind, "", index))
        index = len(kinds)
        found = parser.feed_eof(Token("$END", "", index))
    except UnexpectedToken:
        return index, frozenset(parser.accepts())
    if isinstance(found, Shape):
        return found
    part = cast("int", found.start_pos) if isinstance(found, Token) else tuple(found)
    return Shape(start, (part,))


def our_shape(kinds: tuple[str, ...], start: str) -> Shape | tuple[int, frozenset[str]]:
    found = shape(kinds, start)
    return found if isinstance(found, Shape) else (found.index, found.expected)


@given(st.lists(PIECES, max_size=10).map(" ".join), st.sampled_from(STARTS))
def test_a_line_has_lark_s_shape_or_lark_s_error(text: str, start: str) -> None:
    kinds = tuple(word.kind for word in scan(text))
    assert our_shape(kinds, start) == larks_shape(kinds, start)


@given(
    st.lists(st.sampled_from([t.name for t in generate.grammar().terminals]), max_size=8),
    st.sampled_from(STARTS),
)
def test_any_sequence_of_kinds_has_lark_s_shape_or_lark_s_error(
    kinds: list[str], start: str
) -> None:
    assert our_shape(tuple(kinds), start) == larks_shape(tuple(kinds), start)


def test_every_line_of_the_programs_and_every_mistake_has_lark_s_shape_or_error() -> None:
    words = [(scan(line), "line") for line in LINES]
    words += [words_of(example) for known in KNOWN for example in examples_of(known)]
    for line, start in words:
        kinds = tuple(word.kind for word in line)
        assert our_shape(kinds, start) == larks_shape(kinds, start), line


def test_every_line_of_the_programs_has_a_shape() -> None:
    kinds = {tuple(word.kind for word in scan(line)) for line in LINES} - {()}
    # Declarations may have several lines, a kernel's parameters too.
    whole = [k for k in kinds if k[0] not in ("KERNEL", "READONLY", "NUMBER")]
    whole = [k for k in whole if k[:2] != ("NAME", "PARAMETER")]
    assert all(isinstance(shape(k, "line"), Shape) for k in whole)
    assert len(kinds) < 150


def test_an_expression_is_in_postfix_order_with_the_priorities_of_c() -> None:
    words = scan(".const N = 1|2^3&4<<5+6*-~7")
    found = shape(tuple(word.kind for word in words), "line")
    assert isinstance(found, Shape)
    expression = found.parts[2]
    assert isinstance(expression, tuple)
    shown = [words[item].text if isinstance(item, int) else item for item in expression]
    assert shown == (
        "1 2 3 4 5 6 7 complement negative times plus shift_left bit_and bit_xor bit_or".split()
    )


@pytest.mark.parametrize(
    ("example", "code"), [(e, known.code) for known in KNOWN for e in examples_of(known)]
)
def test_a_broken_line_is_named_as_the_mistake_that_it_is_an_example_of(
    example: str, code: str
) -> None:
    words, start = words_of(example)
    error = shape(tuple(word.kind for word in words), start)
    assert isinstance(error, ShapeError)
    assert explain(words, error, start).code == code


def test_the_tables_in_the_package_are_those_of_the_grammar() -> None:
    stored = FILE.read_text(encoding="utf-8")
    assert stored == generate.text(), "run python -m simtlab.asm.syntax.generate"


def test_assembling_does_without_lark() -> None:
    code = (
        "import sys; sys.modules['lark'] = None\n"
        "import simtlab\n"
        "simtlab.assemble('kernel k() { \\n ret \\n}')"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("piece", ["[", "\\'", "'", '"', "[/", "$s0 [", "//[", "a'\\"])
def test_what_is_never_closed_is_scanned_once(piece: str) -> None:
    # A scanner that tries again at each piece takes minutes.
    with patience():
        assert scan("mov_u32 " + piece * 200_000)


def test_a_search_that_tries_again_at_each_piece_is_interrupted() -> None:
    with pytest.raises(EndlessError), patience(0.2):
        re.findall(r"\[[^\]]*\]", "[" * 50_000)
