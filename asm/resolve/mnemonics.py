"""Mnemonics: the row of an instruction's name, and the messages about unknown names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from ...isa.errors import Suggestion, did_you_mean
from ...isa.table import BY_NAME, TABLE, Row
from ...isa.types import TYPES
from ..syntax.foreign import from_elsewhere, type_hint, unknown_instruction
from ..syntax.shapes import Word
from ..texts.source import Mistake


def find_row(word: Word, macros: Iterable[str] = ()) -> Row:
    """Return the row of a mnemonic; `macros` are further possible names. Raises Mistake."""
    row = BY_NAME.get(word.text)
    if row is None:
        raise _why_not(word, tuple(macros))
    return row


_COMPARISONS = {"gte": "ge", "geq": "ge", "lte": "le", "leq": "le", "neq": "ne"}
"""Comparisons as other languages abbreviate them: those of the table."""

_COMPARISON = re.compile(rf"(?<=^cmp_)({'|'.join(_COMPARISONS)})(?=_)")


@cache
def _stems() -> dict[str, tuple[Row, ...]]:
    """Return the rows by stem, and by stem and segment if the mnemonic has one."""
    rows: dict[str, list[Row]] = {}
    for row in TABLE:
        rows.setdefault(row.stem, []).append(row)
        if row.segment is not None:
            rows.setdefault(f"{row.stem}_{row.segment}", []).append(row)
    return {stem: tuple(found) for stem, found in rows.items()}


def _why_not(word: Word, macros: tuple[str, ...]) -> Mistake:
    name = word.text
    stems = _stems()
    foreign = from_elsewhere(word)
    if foreign is not None:
        return foreign
    if name.lower() in BY_NAME:
        return unknown_instruction(
            word,
            Suggestion.of(f"mnemonics are in lower case: `{name.lower()}`", name.lower()),
        )
    meant = _COMPARISON.sub(lambda found: _COMPARISONS[found[0]], name)
    if meant in BY_NAME:
        return unknown_instruction(word, Suggestion.of(f"it is called `{meant}` here", meant))
    if name in stems:
        return _untyped(word, name, stems[name])
    match = re.fullmatch(r"(?P<stem>.+)_(?P<type>[a-z]+[0-9]+)", name)
    if name.startswith("cvt_") and len(set(name.split("_")[1:])) == 1 and name.count("_") == 2:
        return unknown_instruction(
            word, "a value of the same type needs no conversion: mov copies it"
        )
    if match and match["stem"] == "cmp":
        return unknown_instruction(
            word, f"a comparison names its relation: cmp_eq_{match['type']}, ne, lt, le, gt or ge"
        )
    if match and match["stem"] in stems:
        stem, rows = match["stem"], stems[match["stem"]]
        if all(row.segment is not None for row in rows) and stem == rows[0].stem:
            return _unsegmented(word, rows, match["type"])
        return _wrong_type(word, stem, rows, match["type"])
    return unknown_instruction(word, _near(name, macros))


def _near(name: str, macros: tuple[str, ...]) -> str:
    """Return a hint with a name that is near, whatever the case of its letters."""
    known = (*macros, *BY_NAME)
    return (
        did_you_mean(name, known) or did_you_mean(name.lower(), known) or _near_stem(name.lower())
    )


def _near_stem(name: str) -> str:
    stem = name.split("_", 1)[0]
    return str(did_you_mean(stem, tuple(row.stem for row in TABLE), quote=""))


def _untyped(word: Word, name: str, rows: tuple[Row, ...]) -> Mistake:
    if rows[0].segment is not None and name not in BY_NAME and rows[0].stem == name:
        segments = _words(dict.fromkeys(str(row.segment) for row in rows))
        return Mistake(
            "SIM105",
            f"`{name}` needs a segment and a type",
            word.at,
            "incomplete",
            f"{name} reaches {segments} memory, as in {rows[0].name}",
        )
    example = next((row for row in rows if row.name.endswith("u32")), rows[0])
    return Mistake(
        "SIM105",
        f"`{name}` needs a type",
        word.at,
        "incomplete",
        f"{name} exists for {_types(rows)}, as in {example.name}",
    )


def _unsegmented(word: Word, rows: tuple[Row, ...], type_: str) -> Mistake:
    fitting = [row for row in rows if str(row.type) == type_]
    segments = _words(dict.fromkeys(str(row.segment) for row in fitting or rows))
    return Mistake(
        "SIM105",
        f"`{word.text}` needs a segment",
        word.at,
        "incomplete",
        f"{rows[0].stem} reaches {segments} memory, as in {(fitting or rows)[0].name}",
    )


def _wrong_type(word: Word, stem: str, rows: tuple[Row, ...], type_: str) -> Mistake:
    what = f"`{stem}` has no type {type_}" if type_ in TYPES else f"{type_} is not a type"
    hint = type_hint(type_) if type_ not in TYPES else ""
    existing = _existing(stem, rows, type_)
    if hint:
        existing = f"{hint}; {existing}"
    return Mistake("SIM105", what, word.at, "no such instruction", existing)


def _existing(stem: str, rows: tuple[Row, ...], type_: str) -> str:
    hint = f"{stem} exists for {_types(rows)}"
    if stem == "cvt":
        names = (f"cvt_{to}_{source}" for to in (type_, "f32") for source in ("u32", "f32"))
        example = next(name for name in names if name in BY_NAME)
        hint = f"a conversion names both types, to and from, as {example}"
    if type_.startswith("s") and f"{stem}_u{type_[1:]}" in BY_NAME:
        hint += f"; {stem}_u{type_[1:]} does the same to the bits"
    signed = any(row.type is not None and row.type.is_signed for row in rows)
    if type_.startswith("f") and not signed and f"{stem}_u{type_[1:]}" in BY_NAME:
        hint += f"; registers are untyped, so that {stem}_u{type_[1:]} is for floats too"
    return hint


def _types(rows: tuple[Row, ...]) -> str:
    """Return the legal types of some rows; of a conversion, those that it converts to."""
    return _words(dict.fromkeys(str(row.type) for row in rows if row.type is not None))


def _words(names: Iterable[str]) -> str:
    return ", ".join(names)
