"""Register tokens."""

from __future__ import annotations

import re

from ...isa.instruction import Reg
from ...isa.types import REGISTERS_PER_CLASS, RegClass
from ..syntax.shapes import Word
from ..texts.source import Mistake

REGISTERS: dict[str, Reg] = {
    str(reg): reg
    for cls in RegClass
    for reg in (Reg(cls, index) for index in range(REGISTERS_PER_CLASS))
}
"""Every register by its name in the source."""


def register(word: Word) -> Reg:
    """Return the register of a REGISTER token. Raises Mistake."""
    reg = REGISTERS.get(word.text)
    if reg is not None:
        return reg
    match = re.match(r"\$([A-Za-z]*)([0-9]*)(.*)", word.text)
    letters, digits, rest = match.groups() if match else ("", "", "")
    hint = "registers are $s0 to $s63 (32 bits), $d0 to $d63 (64 bits) and $c0 to $c63 (1 bit)"
    if letters in tuple(RegClass) and digits and not rest:
        plain = digits.lstrip("0") or "0"
        if f"${letters}{plain}" in REGISTERS:
            hint = f"did you mean `${letters}{plain}`?"
        raise Mistake(
            "SIM107",
            f"unknown register `{word.text}`",
            word.at,
            f"the last one is ${letters}{REGISTERS_PER_CLASS - 1}"
            if hint.startswith("registers")
            else "",
            hint,
        )
    if letters.lower() in tuple(RegClass) and f"${letters.lower()}{digits}" in REGISTERS:
        hint = f"did you mean `${letters.lower()}{digits}`?"
    raise Mistake("SIM107", f"unknown register `{word.text}`", word.at, "unknown", hint)
