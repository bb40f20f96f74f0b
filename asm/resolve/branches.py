"""Branches: their operands, and the instructions that labels name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ...isa.errors import Suggestion, did_you_mean
from ...isa.instruction import WORD_BYTES, Reg
from ...isa.table import Row
from ...isa.types import RegClass
from ..draft import Join
from ..syntax.parse import Part
from ..syntax.shapes import Word
from ..texts.source import Mistake
from .operands import wrong_label
from .registers import REGISTERS
from .usage import usage

_FLAGS = {
    "subdivide": ("subdivide", True),
    "nosubdivide": ("subdivide", False),
    "loop": ("loop", True),
    "noloop": ("loop", False),
}


class Branch(NamedTuple):
    """The operands of a branch; labels are not looked up yet."""

    srcs: tuple[Reg, ...]
    target: Word
    join: Word | Join
    flags: dict[str, bool]


def resolve_branch(row: Row, given: Sequence[Part]) -> Branch:
    """Return the operands of `br` or `cbr`. Raises Mistake."""
    rest = list(given)
    srcs: tuple[Reg, ...] = ()
    if row.is_conditional:
        srcs = (_condition(row, rest),)
    target = _label(row, rest, position=len(srcs))
    join: Word | Join = Join.AUTO
    if row.is_conditional and rest and isinstance(rest[0], Word):
        if rest[0].kind == "LABEL":
            join = rest[0]
        elif rest[0].text == "none":
            join = Join.NONE
        if join is not Join.AUTO:
            del rest[0]
    return Branch(srcs, target, join, _flags(row, rest))


def _condition(row: Row, rest: list[Part]) -> Reg:
    if not rest:
        raise _too_few(row, 0)
    part = rest.pop(0)
    reg = REGISTERS.get(part.text) if isinstance(part, Word) else None
    if reg is None or reg.cls is not RegClass.C:
        raise wrong_label(row, 0, part)
    return reg


def _label(row: Row, rest: list[Part], position: int) -> Word:
    if not rest:
        raise _too_few(row, position)
    part = rest.pop(0)
    if not isinstance(part, Word) or part.kind != "LABEL":
        mistake = wrong_label(row, position, part)
        if isinstance(part, Word) and part.kind == "NAME":
            mistake.hint = Suggestion.of(f"did you mean `@{part.text}`?", f"@{part.text}")
        raise mistake
    return part


def _too_few(row: Row, given: int) -> Mistake:
    return Mistake(
        "SIM108",
        f"{row.name} takes {'a condition and ' if row.is_conditional else ''}a target, "
        f"{given or 'nothing'} {'is' if given < 2 else 'are'} given",
        None,
        f"missing: {row.operands[given].describe()}",
        f"write {usage(row)}",
    )


def _flags(row: Row, rest: Sequence[Part]) -> dict[str, bool]:
    allowed = [name for name, (f, _) in _FLAGS.items() if row.is_conditional or f == "loop"]
    flags: dict[str, bool] = {}
    for part in rest:
        name = part.text if isinstance(part, Word) else ""
        if name not in allowed:
            raise Mistake(
                "SIM143",
                f"{f'`{name}`' if name else 'a constant'} cannot follow the labels of {row.name}",
                part.at,
                "not one of its flags",
                did_you_mean(name, allowed) or f"its flags are {', '.join(allowed)}",
            )
        flag, value = _FLAGS[name]
        if flag in flags:
            raise Mistake("SIM143", f"the {flag} flag is given twice", part.at, "given again")
        flags[flag] = value
    return flags


def _near_label(name: str, labels: Iterable[str]) -> str:
    """Return a hint with a similar label, or the same in other letters; else nothing."""
    if near := did_you_mean(f"@{name}", [f"@{known}" for known in labels]):
        return near
    same = [known for known in labels if _letters(known) == _letters(name)]
    return Suggestion.of(f"did you mean `@{same[0]}`?", f"@{same[0]}") if same else ""


def _letters(name: str) -> str:
    return re.sub(r"[_.]", "", name).lower()


def place(label: Word, labels: Mapping[str, int], size: int, elsewhere: Mapping[str, str]) -> int:
    """Return the index of the instruction that a label names, in a kernel of `size` words.

    `elsewhere` names the kernels that have the labels of other kernels. Raises Mistake.
    """
    name = label.text[1:]
    if name in labels:
        index = labels[name]
        if index >= size:
            raise Mistake(
                "SIM110",
                f"`{label.text}` is after the last instruction",
                label.at,
                "nothing to branch to",
                "put an instruction after the label, as ret",
            )
        return index
    if address := re.fullmatch(r"@0[xX]([0-9A-Fa-f]{1,8})", label.text):
        index, rest = divmod(int(address[1], 16), WORD_BYTES)
        if rest or index >= size:
            raise Mistake(
                "SIM110",
                f"`{label.text}` is not the address of an instruction",
                label.at,
                f"expected a multiple of {WORD_BYTES} below {size * WORD_BYTES:#x}",
            )
        return index
    hint = _near_label(name, labels)
    if not hint and name in elsewhere:
        hint = f"it is a label of kernel {elsewhere[name]}; a branch stays in its kernel"
    raise Mistake(
        "SIM110",
        f"unknown label `{label.text}`",
        label.at,
        "not defined in this kernel",
        hint or f"define it with a line of its own: {label.text}:",
        unknown=label.text,
    )
