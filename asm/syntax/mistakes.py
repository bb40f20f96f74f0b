"""Syntax errors, named by example.

A parser's own message names the tokens that it would have taken. Comparison explains better what
a writer did wrong: each mistake in mistake_examples.py has broken lines, and a line that breaks at
the same state of the parser, on the same kind of token, is the same mistake.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

from ...isa.errors import Suggestion, did_you_mean, either
from ...isa.table import BY_NAME
from ..texts.source import Mistake
from .foreign import declaration_hint, from_elsewhere, identity_hint
from .mistake_examples import KNOWN, Known, examples_of
from .shapes import ShapeError, Word, scan, shape


@cache
def _by_state() -> dict[tuple[str, int, str], Known]:
    """Return the mistakes by start rule, state of the parser and kind of the refused token."""
    found: dict[tuple[str, int, str], Known] = {}
    for known in KNOWN:
        for example in examples_of(known):
            words, start = words_of(example)
            error = shape(tuple(word.kind for word in words), start)
            assert isinstance(error, ShapeError), f"{example!r} is not a mistake"
            found.setdefault((start, error.state, _kind(words, error)), known)
    return found


def words_of(example: str) -> tuple[list[Word], str]:
    """Return the words of an example and the start rule that it is for."""
    if not example.startswith("["):
        return scan(example), "line"
    inside = scan(example[1:-1])
    return [Word("[", "LSQB", 0), *inside, Word("]", "RSQB", len(example) - 1)], "address"


def _kind(words: Sequence[Word], error: ShapeError) -> str:
    return words[error.index].kind if error.index < len(words) else "$END"


def explain(words: Sequence[Word], error: ShapeError, start: str) -> Mistake:
    """Return the message for a line that no rule of the grammar takes."""
    found = words[error.index] if error.index < len(words) else None
    before = words[error.index - 1] if error.index else None
    special = (
        _bad_character(words, found, start)
        or _misspelt(words)
        or (_as_in_c(words, found, before) if start == "line" else None)
    )
    if special is not None:
        return special
    mistake = _by_state().get((start, error.state, _kind(words, error)))
    if mistake is None:
        return _unexpected(words, error, found)
    place = before if before is not None and (mistake.at_before or found is None) else found
    assert place is not None
    text = found.text if found else "the end of the line"
    code, message, label, hint = (part.replace("{found}", text) for part in mistake[:4])
    return Mistake(code, message, place.at, label, hint)


def _as_in_c(words: Sequence[Word], found: Word | None, before: Word | None) -> Mistake | None:
    """Return the message for a comment, an assignment or an index as C has them."""
    first = words[0]
    if found is None:
        return None
    if found is first and first.text.startswith("/"):
        return Mistake("SIM102", "unexpected `/`", first.at, "unexpected", "comments begin with //")
    if found is first and first.kind == "REGISTER":
        return Mistake(
            "SIM102",
            f"unexpected `{first.text}`",
            first.at,
            "expected an instruction before this",
            "the result is the first operand of an instruction: add_u32 $s0, $s1, $s2",
        )
    if first.kind == "KERNEL" and before is first and found.kind == "NUMBER":
        return Mistake(
            "SIM123",
            f"`{found.text}` is not a name",
            found.at,
            "expected a name here",
            "names begin with a letter or _",
        )
    if found.text == "=" and first.kind == "NAME":
        return Mistake(
            "SIM102",
            "unexpected `=`",
            found.at,
            "not part of an instruction",
            "registers take the place of variables: mov_u32 $s0, 1; st_group_u32 $s0, [tile+$s1]",
        )
    if first.text not in BY_NAME or before is None:
        return None
    if before is words[1] and before.kind == "LPAR":
        return Mistake(
            "SIM102",
            f"unexpected `{found.text}`",
            found.at,
            "not expected here",
            "operands have no parentheses around them",
        )
    is_joined = found.start == before.start + len(before.text)
    if found.kind == "BRACKETS" and before.kind == "NAME" and is_joined and before is not first:
        place = f"[{before.text}+{found.text[1:-1]}]"
        return Mistake(
            "SIM121",
            f"an index after the name of an array: `{found.text}`",
            found.at,
            "expected inside of the brackets of an address",
            f"write {place}; the index counts bytes",
        )
    return None


def _bad_character(words: Sequence[Word], found: Word | None, start: str) -> Mistake | None:
    """Return the message for a character outside tokens, or a bracket that is not closed."""
    alone = ("LSQB", "RSQB") if start == "line" else ()
    if found is None or found.kind not in ("UNKNOWN", "OPEN", "DIRECTIVE", *alone):
        return None
    text, rest = found.text, f"`{found.text}` is not allowed here"
    if found.kind == "DIRECTIVE":
        return _unknown_directive(found)
    hints = {
        "[": ("SIM102", "the bracket is not closed", "expected ] after this", ""),
        "]": ("SIM102", "a closing bracket without an opening one", "nothing to close", ""),
        '"': ("SIM102", "the text is not closed", "begins here", 'close it with "'),
        "'": ("SIM140", "the character has no end", "begins here", "write it as 'a'"),
        ";": ("SIM102", rest, "unexpected", "one instruction a line; comments begin with //"),
        "#": ("SIM102", rest, "unexpected", "comments begin with //"),
        "\\": ("SIM133", rest, "unexpected", "a parameter of a macro is used in its body only"),
        "!": ("SIM102", rest, "unexpected", "conditions are $c registers"),
        "$": ("SIM107", rest, "unexpected", "registers are $s0, $d0 and $c0"),
        "@": ("SIM109", "a label without a name", "expected a name after this", "write @loop"),
        ".": ("SIM140", rest, "unexpected", "numbers begin with a digit, as 0.5"),
    }
    if text in hints:
        code, message, label, hint = hints[text]
        return Mistake(code, message, found.at, label, hint)
    name = unicodedata.name(text, "")
    is_seen = text.isprintable() and text != "`"
    quoted = f"`{text}`" if is_seen else f"U+{ord(text):04X}"
    shown = f" ({name})" if name and not (is_seen and text.isascii()) else ""
    return Mistake(
        "SIM102",
        f"unexpected character {quoted}{shown}",
        found.at,
        "not part of the language",
        _character_hint(text),
    )


def _character_hint(text: str) -> str:
    """Return what to do about a character that is not part of the language."""
    if text.isspace():
        return "write a space"
    if not text.isprintable():
        return "remove it: it is invisible, and often comes with text that was copied"
    return "names are made of the letters A to Z, a to z, digits, _ and ." if text.isalnum() else ""


_DIRECTIVES = (
    *(".const", ".readonly", ".include", ".macro", ".endmacro", ".group", ".private"),
    ".loc",
)


def _unknown_directive(word: Word) -> Mistake:
    if word.text[1:2].isdigit():
        return Mistake(
            "SIM140",
            f"{word.text!r} is not a number",
            word.at,
            "cannot be read",
            f"numbers begin with a digit: 0{word.text}",
        )
    return Mistake(
        "SIM127",
        f"unknown directive `{word.text}`",
        word.at,
        "not a directive",
        declaration_hint(word.text[1:])
        or did_you_mean(word.text, _DIRECTIVES)
        or f"directives are {', '.join(_DIRECTIVES)}",
    )


def _misspelt(words: Sequence[Word]) -> Mistake | None:
    """Return the message for a first word like `kernel`, a directive without dot, or foreign."""
    first = words[0]
    if first.kind == "NAME" and len(words) > 1 and words[1].kind == "COLON":
        return Mistake(
            "SIM109",
            f"a label without an at sign: `{first.text}`",
            first.at,
            f"write @{first.text}",
            Suggestion.of(
                f"a label is defined by a line like `@{first.text}:`, and used as "
                f"`br @{first.text}`",
                f"@{first.text}",
            ),
        )
    asking = next((w for w in words[1:] if w.kind == "NAME" and identity_hint(w.text)), None)
    if asking is not None:  # an expression of C, as i = threadIdx.x
        return from_elsewhere(asking)
    if first.kind != "NAME" or first.text in BY_NAME or len(words) < 2:
        return None
    foreign = from_elsewhere(first)
    if foreign is not None:
        return foreign
    if f".{first.text}" in _DIRECTIVES:
        return Mistake(
            "SIM127",
            f"the directive `.{first.text}` begins with a dot",
            first.at,
            "expected a dot before this",
            Suggestion.of(f"write .{first.text}", f".{first.text}"),
        )
    near = did_you_mean(f".{first.text}", _DIRECTIVES)
    is_list = len(words) > 2 and words[2].kind == "COMMA"  # the arguments of a macro
    if (
        near
        and not is_list
        and not did_you_mean(first.text, tuple(BY_NAME))
        and words[1].kind == "NAME"
    ):
        return Mistake("SIM127", f"unknown directive `{first.text}`", first.at, "unknown", near)
    is_head = words[-1].kind == "LBRACE" or [w.kind for w in words[1:3]] == ["NAME", "LPAR"]
    if is_head:
        return Mistake(
            "SIM123",
            f"unexpected `{first.text}` at the head of a kernel",
            first.at,
            "expected kernel here",
            did_you_mean(first.text.lower(), ("kernel",))
            or "a kernel begins with: kernel name(u32 %n) {",
        )
    return None


_SHOWN = {
    **{"NAME": "a name", "REGISTER": "a register", "LABEL": "a label", "NUMBER": "a number"},
    **{"PARAMETER": "a parameter", "BRACKETS": "an address", "STRING": "a string"},
    **{"CHAR": "a character", "COMMA": "`,`", "LPAR": "`(`", "RPAR": "`)`", "LBRACE": "`{`"},
    **{"RBRACE": "`}`", "COLON": "`:`", "EQUAL": "`=`", "STAR": "`*`", "PLUS": "`+`"},
    **{"MINUS": "`-`", "RSQB": "`]`", "$END": "the end of the line", "KERNEL": "`kernel`"},
    **{"GLOBAL": "`global`"},
}


def _unexpected(words: Sequence[Word], error: ShapeError, found: Word | None) -> Mistake:
    """Return the general message: what was found, and what the parser would have taken."""
    expected = [_SHOWN[kind] for kind in sorted(error.expected) if kind in _SHOWN]
    label = f"expected {either(expected)}" if 0 < len(expected) <= 8 else "not expected here"
    if found is None:
        return Mistake("SIM102", "the line ends too early", words[-1].at, f"{label} after this")
    return Mistake("SIM102", f"unexpected `{found.text}`", found.at, label)
