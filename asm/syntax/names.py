"""Names that a source may define."""

from __future__ import annotations

from ...isa.verify import MAX_NAME, RESERVED
from ..texts.source import Mistake
from .shapes import Word


def check_name(word: Word) -> None:
    """Refuse what cannot be the name of anything in an object file. Raises Mistake."""
    if word.kind == "NAME" and word.text in RESERVED:
        raise Mistake(
            "SIM111",
            f"`{word.text}` is a word of the language and cannot be defined",
            word.at,
            "reserved",
        )
    if len(word.text) > MAX_NAME:
        raise Mistake(
            "SIM145",
            f"a name of {len(word.text)} characters",
            word.at,
            f"at most {MAX_NAME}",
        )


def check_label(word: Word) -> None:
    """Refuse what cannot be the name of a label. Raises Mistake."""
    check_name(word)
    if not word.text[1:2].isalpha() and word.text[1:2] != "_":
        raise Mistake(
            "SIM109",
            f"`{word.text}` cannot be the name of a label",
            word.at,
            "must begin with a letter or _",
            "a number after @ is a byte address, which needs no label",
        )
