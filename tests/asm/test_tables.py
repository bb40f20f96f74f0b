"""The fast way from text to statements is Lark's way: same tokens, same trees."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark.exceptions import LarkError

from simtlab.asm.mistake_examples import KNOWN, examples_of
from simtlab.asm.mistakes import explain, words_of
from simtlab.asm.tables import Shape, ShapeError, grammar, scan, shape

PROGRAMS = Path(__file__).resolve().parents[2] / "programs"
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


@given(st.lists(PIECES, min_size=1, max_size=10).map(" ".join))
def test_a_line_has_a_shape_exactly_where_lark_can_parse_it(text: str) -> None:
    words = scan(text)
    found = shape(tuple(word.kind for word in words), "line")
    try:
        grammar().parse(text, start="line")
    except LarkError:
        assert isinstance(found, ShapeError)
    else:
        assert isinstance(found, Shape)


def test_every_line_of_the_programs_has_a_shape() -> None:
    kinds = {tuple(word.kind for word in scan(line)) for line in LINES} - {()}
    whole = [k for k in kinds if k[0] not in ("KERNEL", "READONLY", "NUMBER")]
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


def test_the_tables_come_from_the_cache_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    build = grammar.__wrapped__
    build()
    (cached,) = tmp_path.rglob("*.tables")
    assert build().parse("ret", start="line") == Shape("instruction", (0,))
    cached.write_bytes(b"damaged")
    assert build().parse("ret", start="line") == Shape("instruction", (0,))


def test_the_tables_do_without_a_cache_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert grammar.__wrapped__().parse("ret", start="line") == Shape("instruction", (0,))
